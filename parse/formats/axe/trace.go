package axe

import (
	"fmt"
	"slices"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

type builder struct {
	trace.Builder
	txs []tx
}

// tx is a transaction: operations of a thread, from 1, both included.
type tx struct {
	thread      int32
	first, last gen.Value
	line        int
}

func (b *builder) parse(code []byte, line int) error {
	s := trace.Scanner{Text: code}
	first := s.Word()
	if len(first) == 0 {
		return s.Unexpected("a thread")
	}
	if !s.Eat(":") {
		return b.relation(string(first), &s, line)
	}
	op, err := b.operation(&s)
	if err == nil {
		err = end(&s)
	}
	if err != nil {
		return err
	}
	b.Add(b.Thread(first), op, line)
	return nil
}

// relation reads what follows the first word of a line without an operation.
func (b *builder) relation(word string, s *trace.Scanner, line int) error {
	switch word {
	case "final":
		return b.parseFinal(s, line)
	case "order":
		return b.parseOrder(s, line)
	case "dep", "tx":
		thread, from, to, err := b.arrow(s)
		if err == nil && word == "dep" {
			b.Dependency(thread, from, to, line)
		} else if err == nil {
			b.txs = append(b.txs, tx{thread, from, to, line})
		}
		return err
	}
	return s.Unexpected(`":" after the thread`)
}

// end demands that nothing but a timestamp is left: "@ begin:end", of which
// either number may be missing.
func end(s *trace.Scanner) error {
	if s.Eat("@") {
		skipDigits(s)
		if s.Eat(":") {
			skipDigits(s)
		}
	}
	return s.End()
}

func skipDigits(s *trace.Scanner) {
	s.Spaces()
	for s.At < len(s.Text) && s.Text[s.At]-'0' <= 9 {
		s.At++
	}
}

func (b *builder) location(s *trace.Scanner) (int32, error) {
	if s.Eat("M[") {
		name := s.Word()
		if len(name) == 0 {
			return 0, s.Unexpected("a location")
		}
		return b.Locations.Index(name), s.Want("]")
	}
	if name := s.Word(); len(name) > 1 && name[0] == 'v' {
		return b.Locations.Index(name[1:]), nil
	}
	return 0, s.Unexpected(`"M["`)
}

func (b *builder) operation(s *trace.Scanner) (parse.Op, error) {
	op := parse.Op{RF: parse.NoOp}
	if s.Eat("{") {
		return b.rmw(s, "}")
	}
	if s.Eat("<") {
		return b.rmw(s, ">")
	}
	start := s.At
	fence := parse.Op{Kind: parse.Fence, Loc: -1, RF: parse.NoOp}
	var err error
	switch string(s.Word()) {
	case "sync":
		fence.Mask = parse.FullFence
		return fence, nil
	case "stbar":
		fence.Mask = parse.StoreStore
		return fence, nil
	case "membar":
		fence.Mask, err = membar(s)
		return fence, err
	}
	s.At = start
	if op.Loc, err = b.location(s); err != nil {
		return op, err
	}
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
func (b *builder) rmw(s *trace.Scanner, closing string) (parse.Op, error) {
	op := parse.Op{Kind: parse.RMW, RF: parse.NoOp}
	var err error
	if op.Loc, op.Read, err = b.access(s, "=="); err != nil {
		return op, err
	}
	if err := s.Want(";"); err != nil {
		return op, err
	}
	loc, value, err := b.access(s, ":=")
	if err != nil {
		return op, err
	}
	if loc != op.Loc {
		return op, fmt.Errorf("read-modify-write of two locations, M[%s] and M[%s]", b.Locations.List[op.Loc], b.Locations.List[loc])
	}
	op.Write = value
	return op, s.Want(closing)
}

func (b *builder) access(s *trace.Scanner, sign string) (loc int32, value gen.Value, err error) {
	if loc, err = b.location(s); err == nil {
		err = s.Want(sign)
	}
	if err == nil {
		value, err = s.Number()
	}
	return loc, value, err
}

func membar(s *trace.Scanner) (mask parse.FenceMask, err error) {
	for word := s.Word(); len(word) > 0; word = s.Word() {
		i := slices.Index(fenceNames[:], string(word))
		if i < 0 {
			return 0, fmt.Errorf("unknown component %q of a membar: want LL, LS, SL or SS", word)
		}
		mask |= 1 << i
	}
	if mask == 0 {
		return 0, s.Unexpected("LL, LS, SL or SS")
	}
	return mask, nil
}

func (b *builder) parseFinal(s *trace.Scanner, line int) error {
	loc, value, err := b.access(s, "==")
	if err != nil {
		return err
	}
	b.Final(loc, value, line)
	return end(s)
}

func (b *builder) parseOrder(s *trace.Scanner, line int) error {
	loc, err := b.location(s)
	if err == nil {
		err = s.Want(":")
	}
	var values []gen.Value
	for s.Spaces(); err == nil && s.At < len(s.Text); s.Spaces() {
		var v gen.Value
		v, err = s.Number()
		values = append(values, v)
	}
	if err == nil {
		b.Order(loc, values, line)
	}
	return err
}

// arrow reads "thread: from -> to".
func (b *builder) arrow(s *trace.Scanner) (thread int32, from, to gen.Value, err error) {
	word := s.Word()
	if len(word) == 0 {
		return 0, 0, 0, s.Unexpected("a thread")
	}
	thread = b.Thread(word)
	if err = s.Want(":"); err == nil {
		from, err = s.Number()
	}
	if err == nil {
		err = s.Want("->")
	}
	if err == nil {
		to, err = s.Number()
	}
	if err == nil {
		err = end(s)
	}
	return thread, from, to, err
}

// transactions resolves the operations that "tx" lines name.
func (b *builder) transactions() {
	last := map[int32]gen.Value{} // operations of each thread that are in transactions
	for _, x := range b.txs {
		n := gen.Value(b.Len(x.thread))
		switch {
		case x.first < 1 || x.last < x.first || x.last > n:
			b.Faultf(x.line, "transaction %d -> %d: thread %s has %d operations", x.first, x.last, b.Threads.List[x.thread], n)
		case x.first <= last[x.thread]:
			b.Faultf(x.line, "transaction %d -> %d of thread %s: the one before it ends at %d", x.first, x.last, b.Threads.List[x.thread], last[x.thread])
		default:
			last[x.thread] = x.last
			b.Transaction(x.thread, int(x.first)-1, int(x.last))
		}
	}
}
