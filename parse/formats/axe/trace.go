package axe

import (
	"slices"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

type builder struct {
	trace.Builder
	txs []tx
	// clocks are those of the threads, from the first timestamp on.
	clocks       []clock
	hasTimes     bool
	dependencies int // made by timestamps
}

// tx is a transaction: operations of a thread, from 1, both included.
type tx struct {
	thread      int32
	first, last gen.Value
	line        int
}

// Missed says what the first line of a text that is no comment wants to begin a
// line of a trace: a thread, ":" and an operation, or a relation. It is nil for
// a text that begins so, and for one without such a line.
func Missed(text []byte) error {
	line := trace.FirstLine(text, "#")
	s := trace.Scanner{Text: line}
	switch word := s.Name("a thread"); {
	case line == nil || string(line) == "check":
		return nil
	case s.Err == nil && !s.Eat(":") && (string(word) == "final" || string(word) == "order"):
		new(builder).location(&s)
	case s.Err == nil && s.Text[s.At-1] != ':' && (string(word) == "dep" || string(word) == "tx"):
		s.Name("a thread")
		s.Want(":")
	case s.Err == nil && s.Text[s.At-1] != ':':
		s.Unexpected(`":" after the thread`)
	case s.Next() != '{' && s.Next() != '<':
		begin := s.At
		if word := string(s.Word()); !slices.Contains([]string{"sync", "stbar", "membar", "nop", "isync"}, word) {
			s.At = begin
			new(builder).location(&s)
		}
	}
	return s.Err
}

func (b *builder) parse(code []byte, line int) error {
	s := trace.Scanner{Text: code}
	first := s.Name("a thread")
	if !s.Eat(":") {
		b.relation(string(first), &s, line)
		return s.Err
	}
	op := b.operation(&s)
	op.Attr |= parse.Attr(names(&s, accessAttrs))
	at := stamp(&s)
	if s.End(); s.Err != nil {
		return s.Err
	}
	thread := b.Thread(first)
	b.Add(thread, op, line)
	if at.hasBegin || at.hasEnd {
		b.hasTimes = true
	}
	if b.hasTimes {
		return b.timed(thread, &op, at, line)
	}
	return nil
}

// relation reads what follows the first word of a line without an operation.
func (b *builder) relation(word string, s *trace.Scanner, line int) {
	switch word {
	case "final":
		loc, value := b.access(s, "==")
		if s.End(); s.Err == nil {
			b.Final(loc, value, line)
		}
	case "order":
		loc := b.location(s)
		s.Want(":")
		var values []gen.Value
		for s.Spaces(); s.At < len(s.Text); s.Spaces() {
			values = append(values, s.Number())
		}
		if s.Err == nil {
			b.Order(loc, values, line)
		}
	case "dep", "tx":
		thread := b.Thread(s.Name("a thread"))
		s.Want(":")
		from := s.Number()
		s.Want("->")
		to := s.Number()
		var kind uint
		if word == "dep" {
			kind = names(s, parse.DepNames[:])
		}
		switch s.End(); {
		case s.Err != nil:
		case word == "dep":
			b.Dependency(thread, from, to, parse.DepKind(kind), line)
		default:
			b.txs = append(b.txs, tx{thread, from, to, line})
		}
	default:
		s.Unexpected(`":" after the thread`)
	}
}

func (b *builder) location(s *trace.Scanner) int32 {
	if s.Eat("M[") {
		loc := b.Locations.Index(s.Name("a location"))
		s.Want("]")
		return loc
	}
	start := s.At
	name := s.Word()
	if len(name) < 2 || name[0] != 'v' {
		s.At = start
		s.Unexpected(`"M["`)
		return 0
	}
	return b.Locations.Index(name[1:])
}

func (b *builder) operation(s *trace.Scanner) parse.Op {
	op := parse.Op{RF: parse.NoOp}
	if s.Eat("{") {
		return b.rmw(s, "}")
	}
	if s.Eat("<") {
		return b.rmw(s, ">")
	}
	start := s.At
	fence := parse.Op{Kind: parse.Fence, Loc: -1, RF: parse.NoOp}
	switch string(s.Word()) {
	case "sync":
		fence.Mask = parse.FullFence
		return fence
	case "stbar":
		fence.Mask = parse.StoreStore
		return fence
	case "membar":
		fence.Mask = membar(s)
		return fence
	case "nop":
		return fence
	case "isync":
		fence.Attr = parse.ISync
		return fence
	}
	s.At = start
	op.Loc = b.location(s)
	switch {
	case s.Eat("=="):
		op.Kind, op.Read = parse.Read, s.Number()
	case s.Eat(":="):
		op.Kind, op.Write = parse.Write, s.Number()
	default:
		s.Unexpected(`"==" or ":="`)
	}
	return op
}

// rmw reads what follows "{" or "<", with the bracket that closes it.
func (b *builder) rmw(s *trace.Scanner, closing string) parse.Op {
	op := parse.Op{Kind: parse.RMW, RF: parse.NoOp}
	op.Loc, op.Read = b.access(s, "==")
	s.Want(";")
	loc, value := b.access(s, ":=")
	if op.Write = value; loc != op.Loc {
		s.Fail("read-modify-write of two locations, M[%s] and M[%s]", b.Locations.List[op.Loc], b.Locations.List[loc])
	}
	s.Want(closing)
	return op
}

func (b *builder) access(s *trace.Scanner, sign string) (loc int32, value gen.Value) {
	loc = b.location(s)
	s.Want(sign)
	return loc, s.Number()
}

func membar(s *trace.Scanner) parse.FenceMask {
	mask := names(s, fenceNames[:])
	if word := s.Word(); len(word) > 0 {
		s.Fail("unknown component %q of a membar: want LL, LS, SL or SS", word)
	} else if mask == 0 {
		s.Unexpected("LL, LS, SL or SS")
	}
	return parse.FenceMask(mask)
}

// names reads words of a list as a set, up to the first that is none.
func names(s *trace.Scanner, list []string) (set uint) {
	for {
		start := s.At
		i := slices.Index(list, string(s.Word()))
		if i < 0 {
			s.At = start
			return set
		}
		set |= 1 << i
	}
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
