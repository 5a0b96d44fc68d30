package checktest

import (
	"fmt"
	"strings"

	"ordeal/gen"
	"ordeal/parse"
)

// id names a microop: its number and that of the part of its instruction.
type id struct{ global, part gen.Value }

func (i id) String() string { return fmt.Sprintf("%d %d", i.global, i.part) }

type microop struct {
	id
	op     parse.Op
	loc    string // of an access
	atomic bool   // part of a read-modify-write
	thread string
	line   int
	// original is what a write writes in the text.
	original gen.Value
}

type relation struct {
	from, to int // indices of microops
	line     int
}

type final struct {
	loc   string
	value gen.Value
	line  int
}

type alternative struct {
	first     int // line
	microops  []microop
	index     map[id]int
	relations map[string][]relation
	finals    []final
	notes     []string
}

func newAlternative(line int) *alternative {
	return &alternative{first: line, index: map[id]int{}, relations: map[string][]relation{}}
}

func (a *alternative) microop(s *scanner, line int) error {
	m := microop{line: line, op: parse.Op{RF: parse.NoOp}}
	m.global = s.Number()
	core, thread := s.Number(), gen.Value(0)
	m.part = s.Number()
	if s.Next() != '(' {
		thread, m.part = m.part, s.Number()
	}
	if m.thread = fmt.Sprint(core); thread != 0 {
		m.thread = fmt.Sprintf("%d_%d", core, thread)
	}
	s.Want("(")
	start := s.At
	switch kind := string(s.Word()); kind {
	case "Read", "Write", "RMWRead", "RMWWrite":
		m.atomic = s.isAtomic(strings.HasPrefix(kind, "RMW"))
		s.address("VA")
		m.loc = s.address("PA")
		m.op.Kind = parse.Read
		if strings.HasSuffix(kind, "Write") {
			m.op.Kind, m.op.Write = parse.Write, s.data()
		} else {
			m.op.Read = s.data()
		}
	case "Fence":
		name := string(s.Name("a kind of fence"))
		m.op.Kind, m.op.Mask, m.op.Loc = parse.Fence, fenceMasks[name], -1
		if m.op.Mask == 0 {
			s.Fail("fence %s is not supported: want MFENCE, LFENCE or SFENCE", name)
		}
	default:
		s.At = start
		s.Unexpected("Read, Write or Fence")
	}
	s.Want(")")
	if s.End(); s.Err != nil {
		return s.Err
	}
	if first, twice := a.index[m.id]; twice {
		return fmt.Errorf("microop %s is on line %d already", m.id, a.microops[first].line)
	}
	a.index[m.id] = len(a.microops)
	a.microops = append(a.microops, m)
	return nil
}

// derived are relations that follow from the microops and the other ones, and
// are not looked at.
var derived = map[string]bool{"mfence": true, "lfence": true, "sfence": true, "implied": true, "iico_control": true, "iico_data": true}

// dependencies are relations that RMO has too.
var dependencies = map[string]bool{"addr": true, "data": true, "ctrl": true}

// relationship reads "rf 0 0 -> 1 0".
func (a *alternative) relationship(s *scanner, line int) error {
	kind := string(s.Name("a relation"))
	from := id{s.Number(), s.Number()}
	s.Want("->")
	to := id{s.Number(), s.Number()}
	if s.End(); s.Err != nil {
		return s.Err
	}
	var ends [2]int
	for i, which := range []id{from, to} {
		k, ok := a.index[which]
		if !ok {
			return fmt.Errorf("there is no microop %s", which)
		}
		ends[i] = k
	}
	if err := a.sound(kind, ends[0], ends[1]); err != nil {
		return err
	}
	a.relations[kind] = append(a.relations[kind], relation{ends[0], ends[1], line})
	return nil
}

// sound refuses a relation of a kind that is not known, or between microops
// that it cannot relate.
func (a *alternative) sound(kind string, from, to int) error {
	p, q := &a.microops[from], &a.microops[to]
	access := func(m *microop, kind parse.Kind) bool { return m.op.Kind == kind }
	ok := true
	switch {
	case kind == "po" || dependencies[kind]:
		if ok = p.thread == q.thread && from != to; ok && dependencies[kind] {
			ok = access(p, parse.Read)
		}
	case kind == "rf":
		if ok = access(p, parse.Write) && access(q, parse.Read) && p.loc == q.loc; ok && p.op.Write != q.op.Read {
			return fmt.Errorf("rf %s -> %s: writes %d, but %d is read", p.id, q.id, p.op.Write, q.op.Read)
		}
	case kind == "co":
		ok = access(p, parse.Write) && access(q, parse.Write) && p.loc == q.loc && from != to
	case kind == "fr":
		ok = access(p, parse.Read) && access(q, parse.Write) && p.loc == q.loc
	case !derived[kind]:
		return fmt.Errorf("relation %q is not supported", kind)
	}
	if !ok {
		return fmt.Errorf("%s %s -> %s: no two microops that it can relate", kind, p.id, q.id)
	}
	return nil
}

// total orders the given microops by relations of a kind. It fails at the
// first two that the relations leave unordered or order in a circle.
func (a *alternative) total(kind string, members []int) (order []int, err error) {
	waits := make(map[int]int, len(members))
	for _, m := range members {
		waits[m] = 0
	}
	after := map[int][]int{}
	for _, r := range a.relations[kind] {
		if _, ok := waits[r.from]; ok {
			if _, ok := waits[r.to]; ok {
				after[r.from] = append(after[r.from], r.to)
				waits[r.to]++
			}
		}
	}
	var ready []int
	for _, m := range members {
		if waits[m] == 0 {
			ready = append(ready, m)
		}
	}
	for len(ready) > 0 {
		if len(ready) > 1 {
			return nil, fmt.Errorf("%s does not order microops %s and %s", kind, a.microops[ready[0]].id, a.microops[ready[1]].id)
		}
		m := ready[0]
		order, ready = append(order, m), ready[:0]
		for _, next := range after[m] {
			if waits[next]--; waits[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	if len(order) < len(members) {
		return nil, fmt.Errorf("%s orders microops in a circle", kind)
	}
	return order, nil
}
