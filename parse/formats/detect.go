package formats

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ordeal/gen/wire"
	"ordeal/parse/formats/axe"
	"ordeal/parse/formats/dbcop"
	"ordeal/parse/formats/events"
	"ordeal/parse/formats/internal/trace"
	"ordeal/parse/formats/litmus"
	"ordeal/parse/formats/litmus7"
	"ordeal/parse/formats/oplog"
	"ordeal/parse/formats/porcupine"
)

// HeadBytes is how much of a file Detect should be shown, if there is as much.
const HeadBytes = 1 << 16

// UnrecognizedError says that a file begins as one of no format.
type UnrecognizedError struct {
	Missed []error // by each format, what it wants instead
	_      struct{}
}

// Error lists what each format misses.
func (e *UnrecognizedError) Error() string {
	return "format not recognised by any reader\n" + errors.Join(e.Missed...).Error()
}

// Detect recognises the format of a file by its beginning; whole says that head is
// all of it. A file with nothing but blank lines and comments (# and //) is a trace file of
// Axe without traces. The error is an *UnrecognizedError, or lists the candidates where
// there is more than one that would read the file differently.
func Detect(head []byte, whole bool) (Format, error) {
	text := trace.SkipComments(head)
	var unrecognized UnrecognizedError
	for _, s := range signs {
		missed := s.missed(text)
		if s.names == "dbcop-bincode" { // whose first byte may be that of a space
			missed = s.missed(head)
		}
		if missed == nil {
			return s.format(head, whole)
		}
		unrecognized.Missed = append(unrecognized.Missed, fmt.Errorf("%s: %w", s.names, missed))
	}
	return Format{}, &unrecognized
}

// sign is what formats are recognised by.
type sign struct {
	names  string                  // of the formats, the first one's first
	missed func(text []byte) error // what a text without it has not; nil if it has it
}

// signs are tried in order. That of a log comes before that of the test whose source
// is in it, and JSON and EDN before other texts that begin with a bracket.
var signs = []sign{
	{"native", begins(wire.Magic)},
	{"events", begins(events.Magic)},
	{"program", begins("ordeal-program ")},
	{"litmus7-log", litmus7.Litmus7.Missed},
	{"herd7-log", litmus7.Herd7.Missed},
	{"litmus", litmus.Missed},
	{"porcupine", porcupine.Missed},
	{"dbcop-json", dbcop.MissedJSON},
	{"dbcop", dbcop.MissedText},
	{"dbcop-bincode", dbcop.MissedBincode},
	{"cobra", dbcop.MissedCobra},
	{"awdit", dbcop.MissedAWDIT},
	{"plume, oplog", begins("r(", "w(")},
	{"axe", axe.Missed},
}

// format is the format of a text that has the sign.
func (s *sign) format(head []byte, whole bool) (Format, error) {
	name := s.names
	if s.names == "plume, oplog" {
		names := dialects(head, whole)
		if len(names) > 1 {
			return Format{}, fmt.Errorf("the format may be %s: name one with --format or --from", strings.Join(names, " or "))
		}
		name = names[0]
	}
	f, ok := ByName(name)
	if !ok {
		panic("formats: detected format is not listed")
	}
	return f, nil
}

// begins is the sign of a text that begins with one of the words.
func begins(words ...string) func(text []byte) error {
	return func(text []byte) error {
		if slices.ContainsFunc(words, func(w string) bool { return bytes.HasPrefix(text, []byte(w)) }) {
			return nil
		}
		return fmt.Errorf("want %s at the beginning", quoted(words))
	}
}

// dialects lists the formats of one call a line that a text fits. Where both read all of a
// file, they read the same.
func dialects(head []byte, whole bool) []string {
	if end := bytes.LastIndexByte(head, '\n'); !whole && end >= 0 {
		head = head[:end+1]
	}
	plume, oplog := oplog.Fits(head, oplog.Plume), oplog.Fits(head, oplog.GEM5)
	switch {
	case plume && oplog && !whole:
		return []string{"plume", "oplog"}
	case plume && !oplog:
		return []string{"plume"}
	}
	return []string{"oplog"}
}

// quoted are words as alternatives.
func quoted(words []string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(list, " or ")
}
