package dbcop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"ordeal/gen"
	"ordeal/parse"
)

// ReadJSON reads a history in the JSON form, in any notation of events; name
// stands in error messages. Notes are those of ReadText, and one for what the
// file has besides the sessions. The error is the first fault of syntax, or
// joins all faults in values, with name, line and column.
func ReadJSON(data []byte, name string) (*parse.History, []string, error) {
	if len(data) > math.MaxInt32 {
		return nil, nil, fmt.Errorf("%s: more than %d bytes", name, math.MaxInt32)
	}
	r := &reader{data: data, in: json.NewDecoder(bytes.NewReader(data)), builder: newBuilder()}
	r.Column = func(at int) (int, int) { return column(data, at) }
	wrapped, err := r.file()
	if err != nil {
		line, col := column(data, r.value)
		return nil, nil, fmt.Errorf("%s:%d:%d: %w", name, line, col, explain(err))
	}
	h, notes, err := r.finish(name)
	if err == nil && wrapped {
		notes = append(notes, "the parameters, the information and the times of start and end")
	}
	return h, notes, err
}

// explain puts an error of encoding/json in terms of the file.
func explain(err error) error {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s is not what belongs here", e.Value)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends too early")
	}
	return err
}

// reader is the state of one call of ReadJSON.
type reader struct {
	data  []byte
	in    *json.Decoder
	value int // where the value read last begins
	*builder
}

// next notes where the next value begins.
func (r *reader) next() {
	r.value = int(r.in.InputOffset())
	r.value += len(r.data[r.value:]) - len(bytes.TrimLeft(r.data[r.value:], " \t\r\n,:"))
}

// decode reads the next value into v.
func (r *reader) decode(v any) error {
	r.next()
	return r.in.Decode(v)
}

// array calls each for every element of the array that comes next.
func (r *reader) array(each func() error) error {
	if err := r.delimiter('['); err != nil {
		return err
	}
	for r.in.More() {
		if err := each(); err != nil {
			return err
		}
	}
	return r.delimiter(']')
}

// object calls each for every key of the object that comes next, to read the
// key's value, and returns the keys.
func (r *reader) object(each func(key string) error) (map[string]bool, error) {
	if err := r.delimiter('{'); err != nil {
		return nil, err
	}
	keys := map[string]bool{}
	for r.in.More() {
		r.next()
		token, err := r.in.Token()
		if err != nil {
			return nil, err
		}
		key := token.(string) // in an object, Token refuses any other key
		if keys[key] {
			return nil, fmt.Errorf("key %q comes twice", key)
		}
		keys[key] = true
		if err := each(key); err != nil {
			return nil, err
		}
	}
	return keys, r.delimiter('}')
}

func (r *reader) delimiter(want json.Delim) error {
	r.next()
	token, err := r.in.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("want %q before %v", want.String(), token)
	}
	return nil
}

func unknownKey(key string) error { return fmt.Errorf("key %q does not belong here", key) }

// file reads the sessions, alone or as "data" of an object, which is wrapped.
func (r *reader) file() (wrapped bool, err error) {
	if r.next(); bytes.HasPrefix(r.data[r.value:], []byte("[")) {
		err = r.array(r.readSession)
	} else {
		start := r.value
		var keys map[string]bool
		keys, err = r.object(func(key string) error {
			switch key {
			case "data":
				return r.array(r.readSession)
			case "params", "info", "start", "end":
				wrapped = true
				return r.decode(new(json.RawMessage))
			}
			return unknownKey(key)
		})
		if err == nil && !keys["data"] {
			r.value, err = start, errors.New(`want the sessions as "data"`)
		}
	}
	if err != nil {
		return wrapped, err
	}
	if r.next(); r.value < len(r.data) {
		return wrapped, errors.New("want the end of the file")
	}
	return wrapped, nil
}

func (r *reader) readSession() error {
	r.session()
	return r.array(r.readTransaction)
}

// readTransaction reads {"events": […], "committed": true}, or with "success"
// instead.
func (r *reader) readTransaction() error {
	r.next()
	start, committed := r.value, false
	keys, err := r.object(func(key string) error {
		switch key {
		case "events":
			return r.array(r.readEvent)
		case "committed", "success":
			return r.decode(&committed)
		}
		return unknownKey(key)
	})
	if err == nil && (len(keys) != 2 || !keys["events"]) {
		r.value, err = start, errors.New(`want a transaction with "events" and "committed"`)
	}
	if err == nil {
		r.end(committed)
	}
	return err
}

// readEvent reads an event in any notation.
func (r *reader) readEvent() error {
	var e jsonEvent
	if err := r.decode(&e); err != nil {
		return err
	}
	r.add(e.write, []byte(e.variable), e.value, r.value, e.failed)
	return nil
}

// jsonEvent is an event while it is read.
type jsonEvent struct {
	write    bool
	variable variable
	value    gen.Value
	failed   bool
}

var errEvent = errors.New(`want an event: ["r", …], ["w", …], {"Read": …}, {"Write": …} or write, variable, value and success`)

// UnmarshalJSON reads an event in any notation.
func (e *jsonEvent) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		return e.compact(data)
	}
	type access struct {
		Variable *variable       `json:"variable"`
		Version  json.RawMessage `json:"version"`
	}
	var o struct {
		Read     *access    `json:"Read"`
		Write    *access    `json:"Write"`
		Of2019   *bool      `json:"write"`
		Variable *variable  `json:"variable"`
		Value    *gen.Value `json:"value"`
		Success  *bool      `json:"success"`
	}
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	if err := in.Decode(&o); err != nil {
		return fmt.Errorf("event: %w", err)
	}
	tagged := o.Read
	if o.Write != nil {
		tagged, e.write = o.Write, true
	}
	first := o.Of2019 != nil || o.Variable != nil || o.Value != nil || o.Success != nil
	switch {
	case tagged != nil && (first || o.Read != nil && o.Write != nil):
		return errEvent
	case tagged != nil && (tagged.Variable == nil || tagged.Version == nil):
		return errors.New(`want "variable" and "version"`)
	case tagged != nil:
		e.variable = *tagged.Variable
		return e.version(tagged.Version)
	case o.Of2019 == nil || o.Variable == nil || o.Value == nil || o.Success == nil:
		return errEvent
	}
	e.write, e.variable, e.value, e.failed = *o.Of2019, *o.Variable, *o.Value, !*o.Success
	return nil
}

// compact reads ["w", 0, 1] or ["r", 0, null].
func (e *jsonEvent) compact(data []byte) error {
	var fields []json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	if len(fields) != 3 || string(fields[0]) != `"w"` && string(fields[0]) != `"r"` {
		return errEvent
	}
	e.write = string(fields[0]) == `"w"`
	return errors.Join(json.Unmarshal(fields[1], &e.variable), e.version(fields[2]))
}

// version reads a value; null is the initial one, of a read only.
func (e *jsonEvent) version(data []byte) error {
	if e.write && string(data) == "null" {
		return errors.New("null is not what belongs here")
	}
	return json.Unmarshal(data, &e.value)
}

// variable is a number or a name.
type variable string

// UnmarshalJSON reads a number or a string of a name.
func (v *variable) UnmarshalJSON(data []byte) error {
	if data[0] != '"' {
		var n gen.Value
		err := json.Unmarshal(data, &n)
		*v = variable(data)
		return err
	}
	name := strings.Trim(string(data), `"`)
	if strings.Trim(name, "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || name == "" {
		return fmt.Errorf("variable %s: want letters, digits and _", data)
	}
	*v = variable(name)
	return nil
}

// column gives line and column, from 1, of a place in bytes.
func column(data []byte, at int) (int, int) {
	before := data[:min(at, len(data))]
	return 1 + bytes.Count(before, []byte{'\n'}), len(before) - bytes.LastIndexByte(before, '\n')
}
