package formats

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ordeal/gen/wire"
	"ordeal/parse/formats/events"
	"ordeal/parse/formats/litmus"
	"ordeal/parse/formats/oplog"
	"ordeal/parse/formats/porcupine"
)

// HeadBytes is how much of a file Detect should be shown, if there is as much.
const HeadBytes = 1 << 16

// Detect recognises the format of a file by its beginning; whole says that head is
// all of it. A file that looks like none has that of Axe, whose reader says
// what is wrong with it. The error lists the candidates where there is more
// than one that would read the file differently.
func Detect(head []byte, whole bool) (Format, error) {
	names := candidates(head, whole)
	if len(names) > 1 {
		return Format{}, fmt.Errorf("the format may be %s: name one with --format or --from", strings.Join(names, " or "))
	}
	f, ok := ByName(names[0])
	if !ok {
		panic("formats: detected format is not listed")
	}
	return f, nil
}

// candidates are the names of the formats that a file may have.
func candidates(head []byte, whole bool) []string {
	text := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte(wire.Magic)):
		return []string{"native"}
	case bytes.HasPrefix(head, []byte(events.Magic)):
		return []string{"events"}
	case bytes.HasPrefix(text, []byte("ordeal-program ")):
		return []string{"program"}
	case litmus.Is(head):
		return []string{"litmus"}
	case porcupine.Is(text):
		return []string{"porcupine"}
	case isJSON(text):
		return []string{"dbcop-json"}
	case bytes.HasPrefix(text, []byte("[")), bytes.HasPrefix(text, []byte("//")), bytes.HasPrefix(text, []byte("--")):
		return []string{"dbcop"}
	case bytes.HasPrefix(text, []byte("r(")), bytes.HasPrefix(text, []byte("w(")):
		return dialects(head, whole)
	}
	return []string{byLines(head)}
}

// isJSON reports whether a text begins as an object or an array of arrays, or
// of nothing.
func isJSON(text []byte) bool {
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	rest := bytes.TrimLeft(text[1:], " \t\r\n")
	if text[0] == '{' {
		return len(rest) > 0 && (rest[0] == '"' || rest[0] == '}')
	}
	return len(rest) > 0 && (rest[0] == '[' || rest[0] == ']')
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

// byLines recognises a format by its first line.
func byLines(head []byte) string {
	lines := 0
	for line := range bytes.SplitSeq(head, []byte{'\n'}) {
		words := strings.Fields(string(line))
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if lines++; lines == 1 {
			switch {
			case isCheckTest(words):
				return "check-test"
			case words[0] != "Test" && words[0][0] != '%':
				return "axe"
			}
		}
		switch {
		case words[0] == "Histogram":
			return "litmus7-log"
		case words[0] == "States" && len(words) == 2:
			return "herd7-log"
		}
	}
	return "axe"
}

// isCheckTest reports whether the words are a line of a test of the Check tools:
// a keyword, an equation, or three or four numbers and a microop.
func isCheckTest(words []string) bool {
	if slices.Contains([]string{"Alternative", "Initial", "Microops", "Thread"}, words[0]) && len(words) == 1 ||
		strings.HasPrefix(words[0], "(PA") {
		return true
	}
	n := 0
	for n < len(words) && strings.Trim(words[n], "0123456789") == "" {
		n++
	}
	return (n == 3 || n == 4) && n < len(words) && words[n][0] == '('
}
