package dbcop

import (
	"errors"
	"fmt"
	"math"

	"ordeal/gen"
	"ordeal/parse"
)

// ReadJSON reads a history in the JSON form, in any notation of events; name
// stands in error messages. Notes are those of ReadText, and one for what the
// file has besides the sessions. The error is the first fault of syntax, or joins
// all faults in values, with name, line and column.
func ReadJSON(data []byte, name string) (*parse.History, []string, error) {
	if len(data) > math.MaxInt32 {
		return nil, nil, fmt.Errorf("%s: more than %d bytes", name, math.MaxInt32)
	}
	r := &reader{scanner: scanner{data: data}, builder: new(builder)}
	r.Column = func(at int) (int, int) { return column(data, at) }
	wrapped := r.file()
	if r.err != nil {
		line, col := column(data, r.at)
		return nil, nil, fmt.Errorf("%s:%d:%d: %w", name, line, col, r.err)
	}
	h, notes, err := r.finish(name)
	if err == nil && wrapped {
		notes = append(notes, "the parameters, the information and the times of start and end")
	}
	return h, notes, err
}

type reader struct {
	scanner
	*builder
}

// file reads the sessions, alone or in an object.
func (r *reader) file() (wrapped bool) {
	if r.peek() == '[' {
		r.array(r.readSession)
	} else {
		start := r.at
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
			r.fail(start, "want the sessions as \"data\"")
		}
	}
	if r.peek() != 0 || r.err == nil && r.at < len(r.data) {
		r.unexpected("the end of the file")
	}
	return wrapped
}

func (r *reader) readSession() {
	r.session()
	r.array(r.readTransaction)
}

// readTransaction reads {"events": […], "committed": true}, or with "success"
// instead.
func (r *reader) readTransaction() {
	r.peek()
	start, committed := r.at, false
	keys := r.object(func(key []byte) int {
		switch string(key) {
		case "events":
			r.array(r.readEvent)
			return 0
		case "committed", "success":
			committed = r.boolean()
			return 1
		}
		return -1
	})
	if keys != 3 {
		r.fail(start, `want a transaction with "events" and "committed"`)
		return
	}
	r.end(committed)
}

type operation struct {
	write    bool
	variable []byte
	value    gen.Value
	failed   bool
}

func (r *reader) readEvent() {
	var op operation
	c := r.peek()
	start := r.at
	switch c {
	case '[':
		r.compact(&op)
	case '{':
		r.tagged(&op, start)
	default:
		r.unexpected("an event")
	}
	if r.err == nil {
		r.add(op.write, op.variable, op.value, start, op.failed)
	}
}

// compact reads ["w", 0, 1] or ["r", 0, null].
func (r *reader) compact(op *operation) {
	r.want('[')
	r.peek()
	at := r.at
	tag := r.text()
	op.write = string(tag) == "w"
	if !op.write && string(tag) != "r" {
		r.fail(at, `%q: want "r" or "w"`, tag)
	}
	r.want(',')
	op.variable = r.variable()
	r.want(',')
	op.value = r.version(op.write)
	r.want(']')
}

// tagged reads {"Write": {…}}, {"Read": {…}}, or the notation of 2019.
func (r *reader) tagged(op *operation, start int) {
	succeeded := true
	keys := r.object(func(key []byte) int {
		switch string(key) {
		case "Read", "Write":
			op.write = key[0] == 'W'
			at := r.at
			if fields := r.object(func(key []byte) int { return r.field(op, key) }); fields != 3 {
				r.fail(at, `want "variable" and "version"`)
			}
			return 0
		case "write":
			op.write = r.boolean()
			return 1
		case "variable":
			op.variable = r.variable()
			return 2
		case "value":
			op.value = r.number()
			return 3
		case "success":
			succeeded = r.boolean()
			return 4
		}
		return -1
	})
	if keys != 1 && keys != 0b11110 {
		r.fail(start, `want an event: {"Read": …}, {"Write": …} or write, variable, value and success`)
	}
	op.failed = !succeeded
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
	if r.peek() != '"' {
		start := r.at
		r.number()
		return r.data[start:r.at]
	}
	at := r.at
	name := r.text()
	if r.err == nil && !isName(name) {
		r.fail(at, "%w", errName)
	}
	return name
}

var errName = errors.New("want a variable of letters, digits and _")

func isName(name []byte) bool {
	for _, c := range name {
		if c != '_' && c|0x20-'a' > 25 && c-'0' > 9 {
			return false
		}
	}
	return len(name) > 0
}

// version reads a value; null is the initial one, of a read only.
func (r *reader) version(write bool) gen.Value {
	if r.peek() != 'n' || write {
		return r.number()
	}
	at := r.at
	if string(r.word()) != "null" {
		r.rewind(at, "a version or null")
	}
	return 0
}
