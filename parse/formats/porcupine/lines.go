package porcupine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// verbs are the names of operations.
var verbs = map[string]kind{
	"read": read, "get": read, "load": read, "r": read,
	"write": write, "put": write, "store": write, "set": write, "w": write,
	"cas": cas, "append": add, "txn": txn, "acquire": acquire, "release": release,
}

func verb(name string) (kind, error) {
	if k := verbs[strings.ToLower(name)]; k != 0 {
		return k, nil
	}
	return 0, fmt.Errorf("operation %q: want read, write, cas, append, txn, acquire or release", name)
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
	case write, add:
		o.to = in.Value.one()
	case acquire, release:
		o.mutex()
	case cas:
		o.from, o.to = in.From.one(), in.To.one()
		if len(in.Value.list) == 2 {
			o.from, o.to = in.Value.list[0], in.Value.list[1]
		}
		switch done := rec.Output.one("ok"); {
		case o.outcome == pending:
		case done == "true":
		case done == "false":
			o.outcome, o.compared = failed, true
		default:
			return errors.New(`"output" of a cas: want true or false`)
		}
	}
	r.ops = append(r.ops, o)
	return nil
}

// event is what happens to an operation, by an event log.
type event struct {
	process, step, verb string
	key                 string // empty: not given
	value               form
	log                 bool // a line of a log
}

// event reads a line or map of an event log.
func (r *reader) event(code []byte, line int) error {
	s := trace.Scanner{Text: code}
	var e event
	switch {
	case isMap(code):
		s.Eat("{")
		e.ednMap(&s)
	case code[0] == '{':
		if err := e.json(code); err != nil {
			return err
		}
		s.At = len(code)
	case !e.jepsen(&s):
		return nil // of another kind
	}
	if s.End(); s.Err != nil {
		return s.Err
	}
	if strings.HasPrefix(e.process, ":") || e.process == "nemesis" {
		r.lost.others++
		return nil
	}
	r.now = max(r.now+1, int64(line))
	k, err := verb(e.verb)
	if err != nil {
		return err
	}
	if e.step == "invoke" || e.step == "ok" {
		e.tuple(k)
	}
	if err := word("process", e.process); err != nil {
		return err
	}
	if e.key != "" {
		if err := word("key", e.key); err != nil {
			return err
		}
	}
	if e.step == "invoke" {
		return r.invoke(&e, k, line)
	}
	return r.complete(&e, k)
}

// tuple takes the key out of a value [key value] of Jepsen's independent tests: the
// value of a cas alone is a pair.
func (e *event) tuple(k kind) {
	if list := e.value.list; e.key == "" && len(list) == 2 && ((k != cas && k != txn) || list[1].list != nil) && list[0].list == nil {
		e.key, e.value = strings.TrimPrefix(list[0].text, ":"), list[1]
	}
}

// scalar is a value that is neither a list nor a map; ok is false if it is one.
func (f *form) scalar() (text string, ok bool) {
	if len(f.list) == 1 {
		f = &f.list[0]
	}
	return f.text, f.list == nil && !f.other
}

// invoke begins an operation.
func (r *reader) invoke(e *event, k kind, line int) error {
	if index, under := r.open[e.process]; under {
		return fmt.Errorf("process %s invokes an operation while that of line %d is under way", e.process, r.ops[index].line)
	}
	o := operation{client: e.process, kind: k, verb: k, key: cmp.Or(e.key, defaultKey), line: line, time: parse.Interval{Call: r.now, Return: parse.Pending}}
	is := true
	switch list := e.value.list; {
	case k == write || k == add:
		o.to, is = e.value.scalar()
	case k == acquire || k == release:
		o.mutex()
	case k == txn:
		o.parts, is = transaction(e.value)
	case k == cas && len(list) == 2:
		var to bool
		o.from, is = list[0].scalar()
		o.to, to = list[1].scalar()
		is = is && to
	case k == cas:
		is = false
	}
	if !is {
		return fmt.Errorf("%s of another value than the operation has: want one, of cas two", e.verb)
	}
	r.open[e.process] = len(r.ops)
	r.ops = append(r.ops, o)
	return nil
}

// complete ends an operation; the value of one that failed or may not have ended is
// of any shape.
func (r *reader) complete(e *event, k kind) error {
	index, under := r.open[e.process]
	if !under {
		return fmt.Errorf("process %s ends an operation that it did not invoke", e.process)
	}
	delete(r.open, e.process)
	o := &r.ops[index]
	if o.verb != k || e.key != "" && o.key != e.key {
		return fmt.Errorf("%s of %s ends the operation of line %d, which is another", e.verb, cmp.Or(e.key, o.key), o.line)
	}
	switch e.step {
	case "ok":
		o.outcome, o.time.Return = ok, r.now
		if k == txn {
			var is bool
			if o.parts, is = transaction(e.value); !is {
				return errors.New("a transaction that returns other than operations [:r key value]")
			}
		}
		if k == read {
			var is bool
			if o.from, is = e.value.scalar(); !is {
				return errors.New("a read that returns other than one value")
			}
		}
	case "fail":
		o.outcome, o.time.Return, o.compared = failed, r.now, e.log
	case "info":
	default:
		return fmt.Errorf("type %q: want invoke, ok, fail or info", e.step)
	}
	return nil
}

// steps are what happens to operations.
var steps = []string{":invoke", ":ok", ":fail", ":info"}

// isLogged reports whether a line has a process and a step, as in Jepsen's logs.
func isLogged(line []byte) (process, step []byte, is bool) {
	fields := bytes.Fields(line)
	for i := 1; i < len(fields); i++ {
		if slices.Contains(steps, string(fields[i])) {
			return fields[i-1], fields[i], true
		}
	}
	return nil, nil, false
}

// jepsen reads a line of a Jepsen log or of its history.txt: INFO jepsen.util - 3 :ok :read 7.
// It reports false for lines about something else than an operation. What follows the
// value of one that failed or may not have ended is its error.
func (e *event) jepsen(s *trace.Scanner) bool {
	process, step, is := isLogged(s.Text)
	if !is {
		s.At = len(s.Text)
		return false
	}
	e.log, e.process, e.step = true, string(process), string(step[1:])
	s.At = bytes.Index(s.Text, append([]byte{step[0]}, step[1:]...)) + len(step)
	e.verb = strings.TrimPrefix(ednForm(s, 0).text, ":")
	if s.Next() != 0 {
		e.value = ednForm(s, 0)
	}
	if e.step == "fail" || e.step == "info" || strings.HasPrefix(e.process, ":") {
		s.At = len(s.Text)
	}
	return true
}

// json reads {"process": 0, "type": "invoke", …}.
func (e *event) json(code []byte) error {
	var fields struct {
		Process, Type, F, Key scalar
		Value                 json.RawMessage
	}
	if err := json.Unmarshal(code, &fields); err != nil {
		return fmt.Errorf("want an event as JSON: %w", err)
	}
	e.process, e.step, e.verb, e.key = fields.Process.one(), fields.Type.one(), fields.F.one(), fields.Key.one()
	s := trace.Scanner{Text: bytes.ReplaceAll(fields.Value, []byte("null"), []byte("nil"))}
	if len(s.Text) > 0 {
		e.value = ednForm(&s, 0)
	}
	return s.Err
}

// mutex makes the operation that of the lock as a register: nothing, or held.
func (o *operation) mutex() {
	if o.to = "held"; o.kind == release {
		o.from, o.to = o.to, nothing
	}
	o.kind = cas
}

// ednMap reads what follows the brace of {:process 0, :type :invoke, …}.
func (e *event) ednMap(s *trace.Scanner) {
	for ; s.Err == nil && !s.Eat("}"); s.Eat(",") {
		key := ednForm(s, maxDepth)
		value := ednForm(s, 0)
		switch key.text {
		case ":value":
			e.value = value
		case ":process":
			e.process = value.text
		case ":type":
			e.step = strings.TrimPrefix(value.text, ":")
		case ":f":
			e.verb = strings.TrimPrefix(value.text, ":")
		case ":key":
			e.key = value.text
		}
	}
}
