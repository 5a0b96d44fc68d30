package porcupine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// verbs are the names of operations.
var verbs = map[string]kind{
	"read": read, "get": read, "load": read, "r": read,
	"write": write, "put": write, "store": write, "set": write, "w": write,
	"cas": cas,
}

func verb(name string) (kind, error) {
	if k := verbs[strings.ToLower(name)]; k != 0 {
		return k, nil
	}
	return 0, fmt.Errorf("operation %q is none of a register: want read, write or cas", name)
}

// defaultKey is the key where lines have none.
const defaultKey = "register"

// word checks a name of a client or key.
func word(what, name string) error {
	if name == "" || !trace.IsWord([]byte(name)) {
		return fmt.Errorf("%s %q: want a word of letters, digits and _", what, name)
	}
	return nil
}

// record is an operation in JSON.
type record struct {
	Client, ClientID scalar
	Input            struct {
		Op, Key, Value, From, To scalar
	}
	Call, Return *int64
	Output       scalar
	Metadata     json.RawMessage
}

// scalar is a value of JSON: the text of a string, number or boolean, or of the
// elements of an array or object, in order.
type scalar struct {
	present bool
	list    []string
	names   []string // of an object's elements, lower case
}

// UnmarshalJSON reads a value.
func (s *scalar) UnmarshalJSON(data []byte) error {
	*s = scalar{present: true}
	if c := data[0]; c == '-' || '0' <= c && c <= '9' { // spare a decoder for what is frequent
		s.list = []string{string(data)}
		return nil
	} else if c == '"' && bytes.IndexByte(data, '\\') < 0 {
		s.list = []string{string(data[1 : len(data)-1])}
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	first, err := d.Token()
	if err != nil {
		return err
	}
	if delim, is := first.(json.Delim); is {
		for d.More() {
			if delim == '{' {
				name, err := d.Token()
				if err != nil {
					return err
				}
				s.names = append(s.names, strings.ToLower(name.(string)))
			}
			value, err := d.Token()
			if err != nil {
				return err
			}
			if _, nested := value.(json.Delim); nested {
				return errors.New("a value within a value within a value")
			}
			s.list = append(s.list, text(value))
		}
		return nil
	}
	s.list = []string{text(first)}
	return nil
}

func text(token json.Token) string {
	if token == nil {
		return nothing
	}
	return fmt.Sprint(token)
}

// one is the value, or that of the first of the fields named, of an object.
func (s *scalar) one(fields ...string) string {
	for _, field := range fields {
		for i, name := range s.names {
			if name == field {
				return s.list[i]
			}
		}
	}
	if s.names != nil || len(s.list) == 0 {
		return nothing
	}
	return s.list[0]
}

// operation reads a line of JSON.
func (r *reader) operation(code []byte, line int) error {
	var rec record
	d := json.NewDecoder(bytes.NewReader(code))
	d.DisallowUnknownFields()
	if err := d.Decode(&rec); err != nil {
		return fmt.Errorf("want an operation as JSON: %w", err)
	}
	if d.More() {
		return errors.New("more than one value on the line")
	}
	o := operation{client: rec.Client.one(), key: defaultKey, line: line}
	if rec.ClientID.present {
		o.client = rec.ClientID.one()
	}
	if rec.Input.Key.present {
		o.key = rec.Input.Key.one()
	}
	var err error
	if o.kind, err = verb(rec.Input.Op.one()); err != nil {
		return err
	}
	if err := errors.Join(word("client", o.client), word("key", o.key)); err != nil {
		return err
	}
	switch {
	case rec.Call == nil:
		return errors.New(`"call" is missing`)
	case rec.Return == nil:
		o.time = parse.Interval{Call: *rec.Call, Return: parse.Pending}
	case *rec.Return < *rec.Call:
		return fmt.Errorf("returns at %d, before its call at %d", *rec.Return, *rec.Call)
	default:
		o.time, o.outcome = parse.Interval{Call: *rec.Call, Return: *rec.Return}, ok
	}
	in := &rec.Input
	switch o.kind {
	case read:
		if o.outcome == ok && !rec.Output.present {
			return errors.New(`"output" is missing: what the read returned`)
		}
		o.from = rec.Output.one("value")
	case write:
		o.to = in.Value.one()
	case cas:
		o.from, o.to = in.From.one(), in.To.one()
		if len(in.Value.list) == 2 {
			o.from, o.to = in.Value.list[0], in.Value.list[1]
		}
		switch done := rec.Output.one("ok"); {
		case o.outcome == pending:
		case done == "true":
		case done == "false":
			o.outcome = failed
		default:
			return errors.New(`"output" of a cas: want true or false`)
		}
	}
	r.ops = append(r.ops, o)
	return nil
}

// event is a line of an event log.
type event struct {
	process, step, verb, key string
	values                   []string
}

// event reads a line of an event log.
func (r *reader) event(code []byte, line int) error {
	s := trace.Scanner{Text: code}
	e := event{key: defaultKey}
	if s.Eat("{") {
		e.ednMap(&s)
	} else if !e.jepsen(&s) {
		return nil // of another kind
	}
	if s.End(); s.Err != nil {
		return s.Err
	}
	if err := errors.Join(word("process", e.process), word("key", e.key)); err != nil {
		return err
	}
	k, err := verb(e.verb)
	if err != nil {
		return err
	}
	index, under := r.open[e.process]
	if e.step == "invoke" {
		if under {
			return fmt.Errorf("process %s invokes an operation while that of line %d is under way", e.process, r.ops[index].line)
		}
		o := operation{client: e.process, kind: k, key: e.key, line: line, time: parse.Interval{Call: int64(line), Return: parse.Pending}}
		switch {
		case k == cas && len(e.values) == 2:
			o.from, o.to = e.values[0], e.values[1]
		case k == write && len(e.values) == 1:
			o.to = e.values[0]
		case k != read:
			return fmt.Errorf("%s with %d values", e.verb, len(e.values))
		}
		r.open[e.process] = len(r.ops)
		r.ops = append(r.ops, o)
		return nil
	}
	if !under {
		return fmt.Errorf("process %s ends an operation that it did not invoke", e.process)
	}
	delete(r.open, e.process)
	o := &r.ops[index]
	if o.kind != k || o.key != e.key {
		return fmt.Errorf("%s of %s ends the operation of line %d, which is another", e.verb, e.key, o.line)
	}
	switch e.step {
	case "ok":
		o.outcome, o.time.Return = ok, int64(line)
		if k == read {
			if len(e.values) != 1 {
				return fmt.Errorf("a read that returns %d values", len(e.values))
			}
			o.from = e.values[0]
		}
	case "fail":
		o.outcome, o.time.Return = failed, int64(line)
	case "info":
	default:
		return fmt.Errorf("type %q: want invoke, ok, fail or info", e.step)
	}
	return nil
}

// jepsen reads a line of a Jepsen log: INFO jepsen.util - 3 :ok :read 7. It
// reports false for lines about something else than a client's operation.
func (e *event) jepsen(s *trace.Scanner) bool {
	_, rest, found := bytes.Cut(s.Text, []byte(" - "))
	fields := bytes.Fields(rest)
	if !found || len(fields) < 3 || fields[1][0] != ':' || bytes.HasPrefix(fields[0], []byte(":")) {
		s.At = len(s.Text)
		return false
	}
	s.Text = rest
	e.process = string(s.Word())
	s.Want(":")
	e.step = string(s.Word())
	s.Want(":")
	e.verb = string(s.Word())
	e.values = ednValues(s)
	return true
}

// ednMap reads what follows the brace of {:process 0, :type :invoke, …}.
func (e *event) ednMap(s *trace.Scanner) {
	for s.Err == nil && !s.Eat("}") {
		s.Want(":")
		key := string(s.Word())
		values := ednValues(s)
		switch {
		case s.Err != nil:
		case key == "value":
			e.values = values
		case len(values) != 1:
			s.Fail("%s has %d values", key, len(values))
		case key == "process":
			e.process = values[0]
		case key == "type":
			e.step = strings.TrimPrefix(values[0], ":")
		case key == "f":
			e.verb = strings.TrimPrefix(values[0], ":")
		case key == "key":
			e.key = values[0]
		}
		s.Eat(",")
	}
}

// ednValues reads a value, or those in brackets.
func ednValues(s *trace.Scanner) []string {
	if !s.Eat("[") {
		return []string{ednValue(s)}
	}
	var list []string
	for s.Err == nil && !s.Eat("]") {
		list = append(list, ednValue(s))
		s.Eat(",")
	}
	return list
}

// ednValue reads nil, a number, a keyword or a string.
func ednValue(s *trace.Scanner) string {
	if s.Next() == '"' {
		end := s.At + 1
		for end < len(s.Text) && s.Text[end] != '"' {
			if s.Text[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(s.Text) {
			s.Fail("the string is not closed")
			return nothing
		}
		value := string(s.Text[s.At+1 : end])
		s.At = end + 1
		return value
	}
	start := s.At
	s.Eat(":")
	s.Eat("-")
	for len(s.Word()) > 0 && s.At < len(s.Text) && (s.Text[s.At] == '-' || s.Text[s.At] == '.') {
		s.At++
	}
	switch value := string(bytes.TrimSpace(s.Text[start:s.At])); value {
	case "":
		s.Unexpected("a value")
		return nothing
	case "nil":
		return nothing
	default:
		return value
	}
}
