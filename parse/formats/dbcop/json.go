package dbcop

import (
	"fmt"
	"math"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// ReadJSON reads a history in the JSON form, name
// stands in error messages. Notes are those of ReadText, and one for what the
// file has besides the sessions. The error is the first fault of syntax, or joins
// all faults in values, with name, line and column.
func ReadJSON(data []byte, name string) (*parse.History, []string, error) {
	if len(data) > math.MaxInt32 {
		return nil, nil, fmt.Errorf("%s: more than %d bytes", name, math.MaxInt32)
	}
	r := &reader{scanner: scanner{trace.Scanner{Text: data, Unit: "file"}}, builder: new(builder)}
	r.Column = func(at int) (int, int) { return column(data, at) }
	wrapped := r.file()
	if r.scanner.Err != nil {
		line, col := column(data, r.At)
		return nil, nil, fmt.Errorf("%s:%d:%d: %w", name, line, col, r.scanner.Err)
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
		for _, key := range []string{"data", "params", "info", "start", "end"} {
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

type reader struct {
	scanner
	*builder
}

// file reads the sessions, alone or in an object.
func (r *reader) file() (wrapped bool) {
	if r.Next() == '[' {
		r.array(r.readSession)
	} else {
		start := r.At
		keys := r.object(func(key []byte) int {
			switch string(key) {
			case "data":
				r.array(r.readSession)
				return 0
			case "params", "info", "start", "end":
				r.skip()
				wrapped = true
				return int(key[0] - 'a') // apart from each other and from 0
			}
			return -1
		})
		if keys&1 == 0 {
			r.failAt(start, "want the sessions as \"data\"")
		}
	}
	r.End()
	return wrapped
}

func (r *reader) readSession() {
	r.session()
	r.array(r.readTransaction)
}

// readTransaction reads {"events": […], "committed": true}.
func (r *reader) readTransaction() {
	r.Next()
	start, committed := r.At, false
	keys := r.object(func(key []byte) int {
		switch string(key) {
		case "events":
			r.array(r.readEvent)
			return 0
		case "committed":
			committed = r.boolean()
			return 1
		}
		return -1
	})
	if keys != 3 {
		r.failAt(start, `want a transaction with "events" and "committed"`)
		return
	}
	r.end(committed)
}

type operation struct {
	write    bool
	variable []byte
	value    gen.Value
}

// readEvent reads {"Write": {…}} or {"Read": {…}}.
func (r *reader) readEvent() {
	var op operation
	r.Next()
	start := r.At
	keys := r.object(func(key []byte) int {
		if op.write = string(key) == "Write"; !op.write && string(key) != "Read" {
			return -1
		}
		at := r.At
		if fields := r.object(func(key []byte) int { return r.field(&op, key) }); fields != 3 {
			r.failAt(at, `want "variable" and "version"`)
		}
		return 0
	})
	if keys != 1 {
		r.failAt(start, `want an event: {"Read": …} or {"Write": …}`)
	}
	if r.scanner.Err == nil {
		r.add(op.write, op.variable, op.value, start)
	}
}

func (r *reader) field(op *operation, key []byte) int {
	switch string(key) {
	case "variable":
		op.variable = r.variable()
		return 0
	case "version":
		op.value = r.version(op.write)
		return 1
	}
	return -1
}

func (r *reader) variable() []byte {
	if r.Next() != '"' {
		start := r.At
		r.number()
		return r.Text[start:r.At]
	}
	at := r.At
	name := r.text()
	if r.scanner.Err == nil && !trace.IsWord(name) {
		r.failAt(at, "want a variable of letters, digits and _")
	}
	return name
}

// version reads a value; null is the initial one, of a read only.
func (r *reader) version(write bool) gen.Value {
	if r.Next() != 'n' || write {
		return r.number()
	}
	if !r.Eat("null") {
		r.Unexpected("a version or null")
	}
	return 0
}
