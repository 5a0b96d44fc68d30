package axe

import (
	"bytes"
	"fmt"
	"slices"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/gather"
)

// trace gathers the lines of one trace.
type trace struct {
	gather.Trace
	txs []tx
}

// tx is a transaction: operations of a thread, from 1, both included.
type tx struct {
	thread      int32
	first, last gen.Value
	line        int
}

// parse reads one line, which is neither empty nor "check".
func (t *trace) parse(code []byte, line int) error {
	s := gather.Scanner{Text: code}
	first := s.Word()
	if len(first) == 0 {
		return s.Unexpected("a thread")
	}
	if !s.Eat(":") {
		switch string(first) {
		case "final":
			return t.parseFinal(&s, line)
		case "dep":
			return t.parseDep(&s, line)
		case "tx":
			return t.parseTx(&s, line)
		case "order":
			return t.parseOrder(&s, line)
		}
		return s.Unexpected(`":" after the thread`)
	}
	op, err := t.operation(&s)
	if err == nil {
		err = end(&s)
	}
	if err != nil {
		return err
	}
	t.Add(t.Thread(first), op, line)
	return nil
}

// end demands that nothing but a timestamp is left: "@ begin:end", of which
// either number may be missing.
func end(s *gather.Scanner) error {
	if s.Eat("@") {
		skipDigits(s)
		if s.Eat(":") {
			skipDigits(s)
		}
	}
	return s.End()
}

func skipDigits(s *gather.Scanner) {
	s.Spaces()
	for s.At < len(s.Text) && s.Text[s.At]-'0' <= 9 {
		s.At++
	}
}

// location reads M[name] or vname and returns the name.
func location(s *gather.Scanner) ([]byte, error) {
	if s.Eat("M[") {
		name := s.Word()
		if len(name) == 0 {
			return nil, s.Unexpected("a location")
		}
		return name, s.Want("]")
	}
	if name := s.Word(); len(name) > 1 && name[0] == 'v' {
		return name[1:], nil
	}
	return nil, s.Unexpected(`"M["`)
}

// operation reads what follows "thread:".
func (t *trace) operation(s *gather.Scanner) (parse.Op, error) {
	op := parse.Op{RF: parse.NoOp}
	if s.Eat("{") {
		return t.rmw(s, "}")
	}
	if s.Eat("<") {
		return t.rmw(s, ">")
	}
	start := s.At
	switch string(s.Word()) {
	case "sync":
		return parse.Op{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp}, nil
	case "stbar":
		return parse.Op{Kind: parse.Fence, Mask: parse.StoreStore, Loc: -1, RF: parse.NoOp}, nil
	case "membar":
		return membar(s)
	}
	s.At = start
	name, err := location(s)
	if err != nil {
		return op, err
	}
	op.Loc = t.Locations.Index(name)
	switch {
	case s.Eat("=="):
		op.Kind = parse.Read
		op.Read, err = s.Number()
	case s.Eat(":="):
		op.Kind = parse.Write
		op.Write, err = s.Number()
	default:
		err = s.Unexpected(`"==" or ":="`)
	}
	return op, err
}

// rmw reads what follows "{" or "<", with the bracket that closes it.
func (t *trace) rmw(s *gather.Scanner, closing string) (parse.Op, error) {
	op := parse.Op{Kind: parse.RMW, RF: parse.NoOp}
	name, err := location(s)
	if err != nil {
		return op, err
	}
	op.Loc = t.Locations.Index(name)
	if err := s.Want("=="); err != nil {
		return op, err
	}
	if op.Read, err = s.Number(); err != nil {
		return op, err
	}
	if err := s.Want(";"); err != nil {
		return op, err
	}
	again, err := location(s)
	if err != nil {
		return op, err
	}
	if !bytes.Equal(again, name) {
		return op, fmt.Errorf("read-modify-write of two locations, M[%s] and M[%s]", name, again)
	}
	if err := s.Want(":="); err != nil {
		return op, err
	}
	if op.Write, err = s.Number(); err != nil {
		return op, err
	}
	return op, s.Want(closing)
}

// membar reads the components of a fence.
func membar(s *gather.Scanner) (parse.Op, error) {
	op := parse.Op{Kind: parse.Fence, Loc: -1, RF: parse.NoOp}
	for {
		word := s.Word()
		if len(word) == 0 {
			break
		}
		i := slices.Index(fenceNames[:], string(word))
		if i < 0 {
			return op, fmt.Errorf("unknown component %q of a membar: want LL, LS, SL or SS", word)
		}
		op.Mask |= 1 << i
	}
	if op.Mask == 0 {
		return op, s.Unexpected("LL, LS, SL or SS")
	}
	return op, nil
}

// parseFinal reads what follows "final".
func (t *trace) parseFinal(s *gather.Scanner, line int) error {
	name, err := location(s)
	if err != nil {
		return err
	}
	loc := t.Locations.Index(name)
	if err := s.Want("=="); err != nil {
		return err
	}
	value, err := s.Number()
	if err != nil {
		return err
	}
	t.Final(loc, value, line)
	return end(s)
}

// parseOrder reads what follows "order".
func (t *trace) parseOrder(s *gather.Scanner, line int) error {
	name, err := location(s)
	if err != nil {
		return err
	}
	loc := t.Locations.Index(name)
	if err := s.Want(":"); err != nil {
		return err
	}
	var values []gen.Value
	for s.Spaces(); s.At < len(s.Text); s.Spaces() {
		v, err := s.Number()
		if err != nil {
			return err
		}
		values = append(values, v)
	}
	t.Order(loc, values, line)
	return nil
}

// parseDep reads what follows "dep".
func (t *trace) parseDep(s *gather.Scanner, line int) error {
	thread, from, to, err := t.arrow(s)
	if err == nil {
		t.Dependency(thread, from, to, line)
	}
	return err
}

// parseTx reads what follows "tx".
func (t *trace) parseTx(s *gather.Scanner, line int) error {
	thread, first, last, err := t.arrow(s)
	if err == nil {
		t.txs = append(t.txs, tx{thread, first, last, line})
	}
	return err
}

// arrow reads "thread: from -> to".
func (t *trace) arrow(s *gather.Scanner) (thread int32, from, to gen.Value, err error) {
	word := s.Word()
	if len(word) == 0 {
		return 0, 0, 0, s.Unexpected("a thread")
	}
	thread = t.Thread(word)
	if err = s.Want(":"); err != nil {
		return
	}
	if from, err = s.Number(); err != nil {
		return
	}
	if err = s.Want("->"); err != nil {
		return
	}
	if to, err = s.Number(); err != nil {
		return
	}
	return thread, from, to, end(s)
}

// transactions resolves the operations that "tx" lines name.
func (t *trace) transactions() {
	last := map[int32]gen.Value{} // operations of each thread that are in transactions
	for _, x := range t.txs {
		n := gen.Value(t.Len(x.thread))
		switch {
		case x.first < 1 || x.last < x.first || x.last > n:
			t.Faultf(x.line, "transaction %d -> %d: thread %s has %d operations", x.first, x.last, t.Threads.List[x.thread], n)
		case x.first <= last[x.thread]:
			t.Faultf(x.line, "transaction %d -> %d of thread %s: the one before it ends at %d", x.first, x.last, t.Threads.List[x.thread], last[x.thread])
		default:
			last[x.thread] = x.last
			t.Transaction(x.thread, int(x.first)-1, int(x.last))
		}
	}
}
