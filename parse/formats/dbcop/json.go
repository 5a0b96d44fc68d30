package dbcop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// ReadJSON reads a history in the JSON form, name
// stands in error messages. Notes are those of ReadText, and one for what the
// file has besides the sessions. The error is the first fault of syntax, or joins
// all faults in values, with name, line and column: those of the transaction.
func ReadJSON(data []byte, name string) (*parse.History, []string, error) {
	if len(data) > math.MaxInt32 {
		return nil, nil, fmt.Errorf("%s: more than %d bytes", name, math.MaxInt32)
	}
	r := &reader{data: data, in: json.NewDecoder(bytes.NewReader(data))}
	r.in.DisallowUnknownFields()
	r.Column = func(at int) (line, column int) {
		before := data[:min(at, len(data))]
		return 1 + bytes.Count(before, []byte{'\n'}), len(before) - bytes.LastIndexByte(before, '\n')
	}
	wrapped, err := r.file()
	if err != nil {
		line, column := r.Column(r.place)
		return nil, nil, fmt.Errorf("%s:%d:%d: %w", name, line, column, err)
	}
	h, notes, err := r.finish(name)
	if err == nil && wrapped {
		notes = append(notes, "the parameters, the information and the times of start and end")
	}
	return h, notes, err
}

// MissedJSON says what a text wants to begin as an array of arrays, or of nothing, or
// as an object with one of the keys of a file; nil if it does.
func MissedJSON(text []byte) error {
	s := trace.Scanner{Text: text}
	if s.Eat("{") {
		for _, key := range fileKeys {
			if s.Eat(`"` + key + `"`) {
				return nil
			}
		}
		s.Unexpected(`a key "data", "params", "info", "start" or "end"`)
		return s.Err
	}
	if s.Want("["); s.Err == nil && s.Next() != ']' {
		s.Want("[")
	}
	return s.Err
}

var fileKeys = []string{"data", "params", "info", "start", "end"}

type reader struct {
	builder
	data  []byte
	in    *json.Decoder
	place int // where what is read begins
}

// next notes where the next value begins, after spaces and the comma or colon before it.
func (r *reader) next() {
	r.place = int(r.in.InputOffset())
	for r.place < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[r.place]) >= 0 {
		r.place++
	}
}

// file reads the sessions, alone or in an object.
func (r *reader) file() (wrapped bool, err error) {
	sessions := func() error { return r.list('[', r.readSession) }
	r.next()
	if r.place == len(r.data) || r.data[r.place] != '{' {
		err = sessions()
	} else {
		start, found := r.place, false
		err = r.list('{', func() error {
			switch key, err := r.in.Token(); {
			case err != nil:
				return err
			case key == "data" && !found:
				found = true
				return sessions()
			case key == "params", key == "info", key == "start", key == "end":
				wrapped = true
				var any json.RawMessage
				r.next()
				return r.in.Decode(&any)
			default:
				return fmt.Errorf("key %q does not belong here", key)
			}
		})
		if err == nil && !found {
			r.place, err = start, errors.New("want the sessions as \"data\"")
		}
	}
	if err != nil {
		return wrapped, err
	}
	if r.next(); r.place < len(r.data) {
		err = fmt.Errorf("want the end of the file before %.20q", r.data[r.place:])
	}
	return wrapped, err
}

// list reads an array, or an object, whose elements each reads.
func (r *reader) list(open json.Delim, each func() error) error {
	r.next()
	if first, err := r.in.Token(); err != nil || first != open {
		return errors.Join(fmt.Errorf("want %q", open.String()), err)
	}
	for r.in.More() {
		r.next()
		if err := each(); err != nil {
			return err
		}
	}
	r.next()
	if _, err := r.in.Token(); err != nil {
		return fmt.Errorf("want a comma, or the end of what %q opens: %w", open.String(), err)
	}
	return nil
}

func (r *reader) readSession() error {
	r.session()
	return r.list('[', r.readTransaction)
}

// readTransaction reads {"events": [{"Write": {"variable": 0, "version": 1}}, …], "committed": true}.
func (r *reader) readTransaction() error {
	var tx struct {
		Events *[]map[string]struct {
			Variable json.RawMessage
			Version  *gen.Value // nil: the initial one, of a read
		}
		Committed *bool
	}
	if err := r.in.Decode(&tx); err != nil || tx.Events == nil || tx.Committed == nil {
		return errors.Join(errors.New(`want a transaction with "events" and "committed"`), err)
	}
	for _, event := range *tx.Events {
		if len(event) != 1 {
			return errors.New(`want events {"Read": …} or {"Write": …}`)
		}
		for kind, e := range event {
			variable := bytes.Trim(e.Variable, `"`)
			version := gen.Value(0)
			if e.Version != nil {
				version = *e.Version
			}
			switch {
			case kind != "Read" && kind != "Write":
				return fmt.Errorf("want events {\"Read\": …} or {\"Write\": …}: %q is neither", kind)
			case !trace.IsWord(variable):
				return fmt.Errorf("variable %s: want a number, or a word of letters, digits and _", e.Variable)
			case kind == "Write" && e.Version == nil:
				return fmt.Errorf("a write of variable %s without a version", variable)
			}
			r.add(kind == "Write", variable, version, r.place)
		}
	}
	r.end(*tx.Committed)
	return nil
}
