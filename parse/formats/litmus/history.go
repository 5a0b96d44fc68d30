package litmus

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"ordeal/gen"
	"ordeal/parse"
)

// History is the execution that the condition asks for: the condition has to
// be a conjunction of equations that give every read of the test a value which
// one store, or the initial state, has. Values in the history are those of the
// test if they are fit for one (positive, unique for a location, which starts
// at 0), and of its program otherwise. The error says why there is no such
// execution, or more than one.
func (t *Test) History() (*parse.History, error) {
	wanted, err := t.equations()
	if err != nil {
		return nil, fmt.Errorf("history of litmus test %s: %w", t.Name, err)
	}
	if t.Program.ISA != gen.X86 {
		h, err := t.native(wanted)
		if err != nil {
			return nil, fmt.Errorf("history of litmus test %s: %w", t.Name, err)
		}
		return h, nil
	}
	b := &asked{test: t, wanted: wanted, stores: map[gen.LocID][]parse.OpID{}}
	b.operations()
	if err = errors.Join(b.reads(), b.finals()); err == nil {
		b.restore()
		err = b.h.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("history of litmus test %s: %w", t.Name, err)
	}
	return b.h, nil
}

// equations are the values that the condition gives variables.
func (t *Test) equations() (map[Variable]int64, error) {
	if t.Quantifier == Forall {
		return nil, errors.New("a condition with forall asks for no single execution")
	}
	wanted := map[Variable]int64{}
	var collect func(Condition) error
	collect = func(c Condition) error {
		switch c := c.(type) {
		case truth:
		case equal:
			if old, twice := wanted[c.v]; twice && old != c.value {
				return fmt.Errorf("the condition asks that %s be %d and %d", c.v, old, c.value)
			}
			wanted[c.v] = c.value
		case both:
			return errors.Join(collect(c.left), collect(c.right))
		default:
			return fmt.Errorf("the condition %s is no conjunction of equations", t.Condition)
		}
		return nil
	}
	return wanted, collect(t.Condition)
}

type asked struct {
	test   *Test
	wanted map[Variable]int64
	h      *parse.History
	stores map[gen.LocID][]parse.OpID
}

// operations fills in all but what reads return.
func (b *asked) operations() {
	p := b.test.Program
	b.h = &parse.History{Start: []parse.OpID{0}, Locations: p.Locations}
	kinds := map[gen.OpKind]parse.Kind{gen.Load: parse.Read, gen.Store: parse.Write, gen.Exchange: parse.RMW}
	for t, ops := range p.Threads {
		for _, op := range ops {
			id := parse.OpID(len(b.h.Ops))
			if op.Kind == gen.FullFence {
				b.h.Ops = append(b.h.Ops, parse.Op{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp})
				continue
			}
			b.h.Ops = append(b.h.Ops, parse.Op{Kind: kinds[op.Kind], Loc: int32(op.Loc), RF: parse.NoOp, Write: op.Value})
			if op.Kind.Writes() {
				b.stores[op.Loc] = append(b.stores[op.Loc], id)
			}
		}
		b.h.Start = append(b.h.Start, parse.OpID(len(b.h.Ops)))
		b.h.ThreadNames = append(b.h.ThreadNames, strconv.Itoa(t))
	}
}

// source is the store of a value of the test, or Init.
func (b *asked) source(loc gen.LocID, value int64, except parse.OpID) (parse.OpID, error) {
	var found []parse.OpID
	if b.test.initial[loc] == value {
		found = append(found, parse.Init)
	}
	for _, id := range b.stores[loc] {
		if id != except && b.test.values[b.h.Ops[id].Write] == value {
			found = append(found, id)
		}
	}
	if len(found) != 1 {
		return parse.NoOp, sources(len(found), b.h.Locations[loc], value)
	}
	return found[0], nil
}

// sources reports a number of sources of a value that is not one.
func sources(n int, location string, value int64) error {
	return fmt.Errorf("%d stores give %s the value %d, with the initial state: want one", n, location, value)
}

func (b *asked) reads() error {
	var faults []error
	for thread := range b.h.Threads() {
		index := 0
		for id := b.h.Start[thread]; id < b.h.Start[thread+1]; id++ {
			op := &b.h.Ops[id]
			if !op.Reads() {
				continue
			}
			v, err := b.holder(thread, index)
			if index++; err != nil {
				faults = append(faults, fmt.Errorf("thread %d read %d: %w", thread, index, err))
				continue
			}
			if op.RF, err = b.source(gen.LocID(op.Loc), b.wanted[v], id); err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", v, err))
			} else if op.RF >= 0 {
				op.Read = b.h.Ops[op.RF].Write
			}
		}
	}
	return errors.Join(faults...)
}

// holder is a variable of the condition that holds what a read returns.
func (b *asked) holder(thread, index int) (holder Variable, err error) {
	found := false
	for _, v := range b.test.Seen {
		value, asked := b.wanted[v]
		if in, from, ok := b.test.holds(v); !asked || !ok || in != thread || from.index != index {
			continue
		}
		if found && b.wanted[holder] != value {
			return holder, fmt.Errorf("the condition asks that it return %d and %d", b.wanted[holder], value)
		}
		holder, found = v, true
	}
	if !found {
		return holder, errors.New("the condition does not determine what it returns")
	}
	return holder, nil
}

func (b *asked) finals() error {
	var faults []error
	for x, name := range b.h.Locations {
		value, ok := b.wanted[Variable{-1, name}]
		if !ok {
			continue
		}
		if b.h.Final == nil {
			b.h.Final = slices.Repeat([]parse.OpID{parse.NoOp}, len(b.h.Locations))
		}
		id, err := b.source(gen.LocID(x), value, parse.NoOp)
		if err != nil {
			faults = append(faults, fmt.Errorf("[%s]: %w", name, err))
		}
		b.h.Final[x] = id
	}
	return errors.Join(append(faults, b.constants())...)
}

// constants checks registers that no read sets.
func (b *asked) constants() error {
	var faults []error
	for _, v := range b.test.Seen {
		value, asked := b.wanted[v]
		if from, set := b.test.registers[v]; asked && v.Thread >= 0 && (!set || from.index < 0) && from.value != value {
			faults = append(faults, fmt.Errorf("%s: the test leaves %d in the register, not %d", v, from.value, value))
		}
	}
	return errors.Join(faults...)
}

// restore puts the values of the test in place of the program's, if they are
// fit.
func (b *asked) restore() {
	type written struct {
		loc   int32
		value int64
	}
	seen := map[written]bool{}
	for i := range b.h.Ops {
		if op := &b.h.Ops[i]; op.Writes() {
			key := written{op.Loc, b.test.values[op.Write]}
			if key.value <= 0 || seen[key] || b.test.initial[op.Loc] != 0 {
				return
			}
			seen[key] = true
		}
	}
	for i := range b.h.Ops {
		op := &b.h.Ops[i]
		op.Read, op.Write = gen.Value(b.test.values[op.Read]), gen.Value(b.test.values[op.Write])
	}
}
