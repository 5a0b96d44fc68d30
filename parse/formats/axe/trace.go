package axe

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"ordeal/gen"
	"ordeal/parse"
)

// maxFaults is how many faults of one trace are reported.
const maxFaults = 20

// trace gathers the lines of one trace.
type trace struct {
	threads []thread
	final   []final
	deps    []dep
	names   names // of threads
	locs    names
	faults  []fault
	more    int // faults not kept
}

// thread is the operations of one thread and the lines they stand in.
type thread struct {
	name  string
	ops   []parse.Op
	lines []int32
}

type final struct {
	loc   int32
	value gen.Value
	line  int
}

type dep struct {
	thread   int32
	from, to gen.Value // operations of the thread, from 1
	line     int
}

type fault struct {
	line int
	err  error
}

func (t *trace) fault(line int, err error) {
	if len(t.faults) < maxFaults {
		t.faults = append(t.faults, fault{line, err})
	} else {
		t.more++
	}
}

func (t *trace) reset() { *t = trace{} }

// names numbers words in order of appearance.
type names struct {
	list  []string
	small []int32          // index+1 by the value of a word that is a short number
	other map[string]int32 // index of other words
}

// maxSmall is one more than the largest number that names looks up in a table.
const maxSmall = 1 << 16

func (n *names) index(word []byte) int32 {
	if v, ok := smallNumber(word); ok {
		if v >= len(n.small) {
			n.small = append(n.small, make([]int32, v+1-len(n.small))...)
		}
		if n.small[v] == 0 {
			n.list = append(n.list, string(word))
			n.small[v] = int32(len(n.list))
		}
		return n.small[v] - 1
	}
	i, ok := n.other[string(word)]
	if !ok {
		i = int32(len(n.list))
		if n.other == nil {
			n.other = map[string]int32{}
		}
		n.list = append(n.list, string(word))
		n.other[n.list[i]] = i
	}
	return i
}

// smallNumber is the value of a word that is a number below maxSmall without
// leading zeros.
func smallNumber(word []byte) (v int, ok bool) {
	if len(word) > 5 || word[0] == '0' && len(word) > 1 {
		return 0, false
	}
	for _, c := range word {
		if c-'0' > 9 {
			return 0, false
		}
		v = v*10 + int(c-'0')
	}
	return v, v < maxSmall
}

func (t *trace) thread(word []byte) *thread {
	i := t.names.index(word)
	if int(i) == len(t.threads) {
		t.threads = append(t.threads, thread{name: t.names.list[i]})
	}
	return &t.threads[i]
}

// parse reads one line, which is neither empty nor "check".
func (t *trace) parse(code []byte, line int) error {
	s := scanner{text: code}
	first := s.word()
	if len(first) == 0 {
		return s.unexpected("a thread")
	}
	if !s.eat(":") {
		switch string(first) {
		case "final":
			return t.parseFinal(&s, line)
		case "dep":
			return t.parseDep(&s, line)
		}
		return s.unexpected(`":" after the thread`)
	}
	op, err := t.operation(&s)
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return err
	}
	th := t.thread(first)
	if n := len(th.ops); n == cap(th.ops) { // doubling moves less than append
		th.ops, th.lines = slices.Grow(th.ops, n+16), slices.Grow(th.lines, n+16)
	}
	th.ops = append(th.ops, op)
	th.lines = append(th.lines, int32(line))
	return nil
}

// operation reads what follows "thread:".
func (t *trace) operation(s *scanner) (parse.Op, error) {
	op := parse.Op{RF: parse.NoOp}
	if s.eat("{") {
		return t.rmw(s, "}")
	}
	if s.eat("<") {
		return t.rmw(s, ">")
	}
	start := s.at
	switch string(s.word()) {
	case "sync":
		return parse.Op{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp}, nil
	case "stbar":
		return parse.Op{Kind: parse.Fence, Mask: parse.StoreStore, Loc: -1, RF: parse.NoOp}, nil
	case "membar":
		return membar(s)
	}
	s.at = start
	name, err := s.location()
	if err != nil {
		return op, err
	}
	op.Loc = t.locs.index(name)
	switch {
	case s.eat("=="):
		op.Kind = parse.Read
		op.Read, err = s.number()
	case s.eat(":="):
		op.Kind = parse.Write
		op.Write, err = s.number()
	default:
		err = s.unexpected(`"==" or ":="`)
	}
	return op, err
}

// rmw reads what follows "{" or "<", with the bracket that closes it.
func (t *trace) rmw(s *scanner, closing string) (parse.Op, error) {
	op := parse.Op{Kind: parse.RMW, RF: parse.NoOp}
	name, err := s.location()
	if err != nil {
		return op, err
	}
	op.Loc = t.locs.index(name)
	if err := s.want("=="); err != nil {
		return op, err
	}
	if op.Read, err = s.number(); err != nil {
		return op, err
	}
	if err := s.want(";"); err != nil {
		return op, err
	}
	again, err := s.location()
	if err != nil {
		return op, err
	}
	if !bytes.Equal(again, name) {
		return op, fmt.Errorf("read-modify-write of two locations, M[%s] and M[%s]", name, again)
	}
	if err := s.want(":="); err != nil {
		return op, err
	}
	if op.Write, err = s.number(); err != nil {
		return op, err
	}
	return op, s.want(closing)
}

// membar reads the components of a fence.
func membar(s *scanner) (parse.Op, error) {
	op := parse.Op{Kind: parse.Fence, Loc: -1, RF: parse.NoOp}
	for {
		word := s.word()
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
		return op, s.unexpected("LL, LS, SL or SS")
	}
	return op, nil
}

// parseFinal reads what follows "final".
func (t *trace) parseFinal(s *scanner, line int) error {
	name, err := s.location()
	if err != nil {
		return err
	}
	f := final{loc: t.locs.index(name), line: line}
	if err := s.want("=="); err != nil {
		return err
	}
	if f.value, err = s.number(); err != nil {
		return err
	}
	t.final = append(t.final, f)
	return s.end()
}

// parseDep reads what follows "dep".
func (t *trace) parseDep(s *scanner, line int) error {
	word := s.word()
	if len(word) == 0 {
		return s.unexpected("a thread")
	}
	d := dep{thread: t.names.index(word), line: line}
	t.thread(word)
	if err := s.want(":"); err != nil {
		return err
	}
	var err error
	if d.from, err = s.number(); err != nil {
		return err
	}
	if err := s.want("->"); err != nil {
		return err
	}
	if d.to, err = s.number(); err != nil {
		return err
	}
	t.deps = append(t.deps, d)
	return s.end()
}

// order is the order of threads in the history: numbers by value, then other
// names as they came.
func (t *trace) order() []int {
	order := make([]int, len(t.threads))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int {
		if v, ok := smallNumber([]byte(t.threads[i].name)); ok {
			return v
		}
		return maxSmall
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	return order
}

// err joins the faults, each with its place; nil when there is none.
func (t *trace) err(name string) error {
	if len(t.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(t.faults, func(a, b fault) int { return cmp.Compare(a.line, b.line) })
	errs := make([]error, len(t.faults))
	for i, f := range t.faults {
		errs[i] = fmt.Errorf("%s:%d: %w", name, f.line, f.err)
	}
	if t.more > 0 {
		errs = append(errs, fmt.Errorf("%s: and %d more faults", name, t.more))
	}
	return errors.Join(errs...)
}
