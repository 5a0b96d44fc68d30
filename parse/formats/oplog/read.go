package oplog

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// Read reads a history from in; name stands in error messages. The notes say,
// each in one line, what of the file is left out. The error is about reading,
// or joins all faults, each with name and line.
func (d Dialect) Read(in io.Reader, name string) (h *parse.History, notes []string, err error) {
	r := reader{dialect: d, owner: map[int64]int32{}}
	if err := r.trace.ReadLines(in, name, r.line); err != nil {
		return nil, nil, err
	}
	for i := range r.session {
		r.closeTx(int32(i))
	}
	r.initialState()
	h, err = r.trace.Finish(name, 1)
	if err != nil {
		return nil, nil, err
	}
	return h, r.trace.Notes(len(r.zeros)), nil
}

// Fits reports whether the lines of a text, whose values need not name their
// writers, are of a dialect.
func Fits(text []byte, d Dialect) bool {
	r := reader{dialect: d, owner: map[int64]int32{}}
	line := 0
	for code := range bytes.SplitSeq(text, []byte{'\n'}) {
		line++
		if code = bytes.TrimSpace(code); len(code) == 0 || trace.IsComment(code) {
			continue
		}
		if r.line(code, line) != nil {
			return false
		}
	}
	return d == Plume || !r.zero
}

type reader struct {
	dialect Dialect
	trace   trace.Builder
	session []session
	owner   map[int64]int32 // transaction → its session
	// zeros are the lines of the first transaction that write 0, and rest
	// whether it does anything else.
	zeros []int
	first int64 // the first transaction
	rest  bool
	begun bool
	zero  bool // some line writes 0
}

type session struct {
	tx    int64 // the last one, or the last id
	start int   // its first operation
	any   bool  // there was one
}

// fields are those of a line.
type fields struct {
	op      parse.Op
	thread  []byte
	id      int64
	aborted bool
}

// line reads one line, which is not empty.
func (r *reader) line(code []byte, line int) error {
	f, err := r.operation(code)
	if err != nil {
		return err
	}
	r.zero = r.zero || f.op.Kind == parse.Write && f.op.Write == 0
	if f.aborted {
		r.trace.Abort(f.op, line)
		return nil
	}
	return r.add(f.op, f.thread, f.id, line)
}

// operation reads the fields of a line.
func (r *reader) operation(code []byte) (fields, error) {
	s := trace.Scanner{Text: code}
	op := parse.Op{RF: parse.NoOp}
	switch {
	case s.Eat("r("):
		op.Kind = parse.Read
	case s.Eat("w("):
		op.Kind = parse.Write
	default:
		s.Unexpected(`"r(" or "w("`)
	}
	loc := r.word(&s, "a location")
	value := s.Number()
	s.Want(",")
	if op.Kind == parse.Read {
		op.Read = value
	} else {
		op.Write = value
	}
	thread := r.word(&s, "a thread")
	negative := r.dialect == Plume && s.Eat("-")
	id := s.Number()
	s.Want(")")
	s.End()
	switch {
	case s.Err != nil:
		return fields{}, s.Err
	case id > MaxValue || value > MaxValue && r.dialect == Plume:
		return fields{}, errors.New("number exceeds 63 bits")
	case negative && id != 1:
		return fields{}, fmt.Errorf("transaction -%d: only -1, an aborted one, may be negative", id)
	}
	op.Loc = r.trace.Locations.Index(loc)
	return fields{op: op, thread: thread, id: int64(id), aborted: negative}, nil
}

// word reads a number, or in gem5's dialect a name, and the comma behind it.
func (r *reader) word(s *trace.Scanner, what string) []byte {
	word := s.Name(what)
	if r.dialect == Plume && !trace.IsDigits(word) {
		s.Fail("%q: want %s as a number", word, what)
	}
	s.Want(",")
	return word
}

func (r *reader) add(op parse.Op, thread []byte, id int64, line int) error {
	t := r.trace.Thread(thread)
	if int(t) == len(r.session) {
		r.session = append(r.session, session{})
	}
	th := &r.session[t]
	if r.dialect == GEM5 {
		if th.any && id <= th.tx {
			return fmt.Errorf("id %d of thread %s after id %d: want increasing ones", id, thread, th.tx)
		}
		th.any, th.tx = true, id
		r.trace.Add(t, op, line)
		return nil
	}
	if !r.begun {
		r.begun, r.first = true, id
	}
	if !th.any || id != th.tx {
		if err := r.begin(t, id); err != nil {
			return err
		}
	}
	if id == r.first {
		if op.Kind == parse.Write && op.Write == 0 {
			r.zeros = append(r.zeros, line)
			return nil
		}
		r.rest = true
	}
	r.trace.Add(t, op, line)
	return nil
}

// begin begins transaction id of a session.
func (r *reader) begin(t int32, id int64) error {
	if owner, seen := r.owner[id]; seen && owner != t {
		return fmt.Errorf("transaction %d of session %s: it is of session %s", id, r.trace.Threads.List[t], r.trace.Threads.List[owner])
	} else if seen {
		return fmt.Errorf("transaction %d goes on after transaction %d of the session began", id, r.session[t].tx)
	}
	r.owner[id] = t
	r.closeTx(t)
	r.session[t] = session{tx: id, start: r.trace.Len(t), any: true}
	return nil
}

// closeTx ends the last transaction of a session. One of a single operation
// needs no mention.
func (r *reader) closeTx(t int32) {
	th := &r.session[t]
	if end := r.trace.Len(t); r.dialect == Plume && th.any && end > th.start+1 {
		r.trace.Transaction(t, th.start, end)
	}
}

// initialState faults writes of 0 in a first transaction that does more.
func (r *reader) initialState() {
	if !r.rest {
		return
	}
	for _, line := range r.zeros {
		r.trace.Faultf(line, "writes 0, the initial value, in a transaction that does more")
	}
	r.zeros = nil
}
