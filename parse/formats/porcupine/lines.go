package porcupine

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
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

// operation reads a line of JSON.
func (r *reader) operation(code []byte, line int) error {
	n := r.read(code)
	n.maps = true
	o := operation{key: defaultKey, line: line}
	var client, id, op, key, value, from, to, output form
	var call, returned int64
	var isCalled, isDone bool
	n.each(func(name string) {
		switch name {
		case "client":
			client = n.value(0)
		case "clientid":
			id = n.value(0)
		case "input":
			n.each(func(name string) {
				switch v := n.value(0); name {
				case "op":
					op = v
				case "key":
					key = v
				case "value":
					value = v
				case "from":
					from = v
				case "to":
					to = v
				default:
					n.Fail("unknown field %q of the input", name)
				}
			})
		case "call":
			call, isCalled = n.integer()
		case "return":
			returned, isDone = n.integer()
		case "output":
			output = n.value(0)
		case "metadata":
			n.value(maxDepth)
		default:
			n.Fail("unknown field %q", name)
		}
	})
	if n.Err != nil {
		return fmt.Errorf("want an operation as JSON: %w", n.Err)
	}
	if n.Next() != 0 {
		return errors.New("more than one value on the line")
	}
	if o.client = client.text; id.given {
		o.client = id.text
	}
	if key.given {
		o.key = key.text
	}
	var err error
	if o.kind, err = verb(op.text); err != nil {
		return err
	}
	if err := errors.Join(word("client", o.client), word("key", o.key)); err != nil {
		return err
	}
	switch {
	case !isCalled:
		return errors.New(`"call" is missing`)
	case !isDone:
		o.time = parse.Interval{Call: call, Return: parse.Pending}
	case returned < call:
		return fmt.Errorf("returns at %d, before its call at %d", returned, call)
	default:
		o.time, o.outcome = parse.Interval{Call: call, Return: returned}, ok
	}
	switch o.kind {
	case read:
		if o.outcome == ok && !output.given {
			return errors.New(`"output" is missing: what the read returned`)
		}
		o.from = output.one("value")
	case write, add:
		o.to = value.text
	case acquire, release:
		o.mutex()
	case cas:
		if o.from, o.to = from.text, to.text; len(value.list) == 2 {
			o.from, o.to = value.list[0].text, value.list[1].text
		}
		switch done := output.one("ok"); {
		case o.outcome == pending:
		case done == "true":
		case done == "false":
			o.outcome, o.compared = failed, true
		default:
			return errors.New(`"output" of a cas: want true or false`)
		}
	}
	r.keep(o)
	return nil
}

// integer reads a time; given is false for null.
func (n *notation) integer() (v int64, given bool) {
	n.Spaces()
	text := n.raw()
	if string(text) == "null" {
		return 0, false
	}
	v, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		n.Fail("%q is no time: want an integer", text)
	}
	return v, true
}

// keep adds an operation; a full list is doubled.
func (r *reader) keep(o operation) {
	if len(r.ops) == cap(r.ops) {
		r.ops = slices.Grow(r.ops, len(r.ops)+1)
	}
	r.ops = append(r.ops, o)
}

// read begins to read a text.
func (r *reader) read(code []byte) *notation {
	if r.text.words == nil {
		r.text.words = map[string]string{}
	}
	r.text.Scanner, r.text.maps = trace.Scanner{Text: code}, false
	return &r.text
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
	n := r.read(code)
	var e event
	if code[0] == '{' {
		e.fields(n)
	} else if !e.jepsen(n) {
		return nil // of another kind
	}
	if n.End(); n.Err != nil {
		return n.Err
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
	r.keep(o)
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
func (e *event) jepsen(n *notation) bool {
	process, step, is := isLogged(n.Text)
	if !is {
		n.At = len(n.Text)
		return false
	}
	e.log, e.process, e.step = true, string(process), string(step[1:])
	n.At = bytes.Index(n.Text, append([]byte{step[0]}, step[1:]...)) + len(step)
	f := n.value(0)
	e.verb = strings.TrimPrefix(f.text, ":")
	if n.Next() != 0 {
		e.value = n.value(0)
	}
	if e.step == "fail" || e.step == "info" || strings.HasPrefix(e.process, ":") {
		n.At = len(n.Text)
	}
	return true
}

// mutex makes the operation that of the lock as a register: nothing, or held.
func (o *operation) mutex() {
	if o.to = "held"; o.kind == release {
		o.from, o.to = o.to, nothing
	}
	o.kind = cas
}

// fields reads {:process 0, :type :invoke, …} or {"process": 0, "type": "invoke", …}.
func (e *event) fields(n *notation) {
	n.each(func(name string) {
		value := n.value(0)
		switch name {
		case "value":
			e.value = value
		case "process":
			e.process = value.text
		case "type":
			e.step = strings.TrimPrefix(value.text, ":")
		case "f":
			e.verb = strings.TrimPrefix(value.text, ":")
		case "key":
			e.key = value.text
		}
	})
}
