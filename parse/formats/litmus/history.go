package litmus

import (
	"errors"
	"fmt"
	"slices"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
)

// History is the execution that the condition asks for: the condition has to
// be a conjunction of equations that give every read of the test a value which
// one store, or the initial state, has. Where the result of a store-conditional is not asked
// for, it takes place. Values in the history of a test of X86_64 are those of the
// test if they are fit for one (positive, unique for a location, which starts
// at 0), and of its program otherwise. The error says why there is no such
// execution, or more than one.
func (t *Test) History() (*parse.History, error) {
	wanted, err := t.equations()
	var found *parse.History
	for _, c := range t.Cases {
		if err != nil {
			break
		}
		b := &asked{Case: c, wanted: wanted}
		h, fault := b.history()
		switch {
		case fault == nil && found != nil:
			err = errors.New("the condition does not determine which way the threads go")
		case fault == nil:
			found = h
		case len(t.Cases) == 1:
			err = fault
		}
	}
	if err == nil && found == nil {
		err = errors.New("the condition does not determine what each read returns")
	}
	if err != nil {
		return nil, fmt.Errorf("history of litmus test %s: %w", t.Name, err)
	}
	return found, nil
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
	*Case
	wanted map[Variable]int64
}

// history is the execution of a case.
func (b *asked) history() (*parse.History, error) {
	p := b.Program
	w := wire.NewWriter(p, 1)
	var log []byte
	var faults []error
	for thread, ops := range p.Threads {
		var values []gen.Value
		for _, op := range ops {
			if !op.Kind.Reads() {
				continue
			}
			holder, err := b.holder(thread, len(values))
			value := gen.Value(b.wanted[holder])
			switch {
			case op.Kind == gen.StoreConditional && err != nil:
				value, err = 0, nil
			case op.Kind == gen.StoreConditional:
			case err != nil:
				err = fmt.Errorf("thread %d read %d: %w", thread, len(values)+1, err)
			default:
				_, from, _ := b.holds(holder)
				if value, err = b.written(op.Loc, holder, from.width, op.Value); err != nil {
					err = fmt.Errorf("%s: %w", holder, err)
				}
			}
			if err == nil && !b.Accepts(thread, len(values), value) {
				err = fmt.Errorf("thread %d read %d: the threads go another way", thread, len(values)+1)
			}
			faults = append(faults, err)
			values = append(values, value)
		}
		log = w.AppendThread(log, gen.ThreadID(thread), values)
	}
	if len(b.NoReturn) > 0 {
		faults = append(faults, errors.New("an atomic instruction without a result orders less than histories can say"))
	}
	faults = append(faults, b.constants())
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	h, err := parse.Native(p, 1, log)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(b.depends(h), b.endsIn(h)); err != nil {
		return nil, err
	}
	if p.ISA == gen.X86 {
		b.restore(h)
	}
	return h, nil
}

// depends adds the dependencies that the program cannot say.
func (b *asked) depends(h *parse.History) error {
	at := func(thread gen.ThreadID, i int) parse.OpID { // of the first operation that one of the program became
		id := h.Start[thread] + parse.OpID(i)
		for _, op := range b.Program.Threads[thread][:i] {
			if b.Program.ISA == gen.AArch64 && op.Kind == gen.Exchange {
				id++
			}
		}
		return id
	}
	for _, d := range b.Deps {
		if d.Kind == gen.DepPick {
			return errors.New("a store waits for what chose its value: histories cannot say it")
		}
		from, to := at(d.Thread, d.From), at(d.Thread, d.To)
		last := at(d.Thread, d.To+1) - 1
		if d.Kind == gen.DepData {
			to = last
		}
		for ; to <= last && h.Ops[from].Kind != parse.Fence; to++ {
			if kind := parse.DepKind(d.Kind); h.Ops[to].Kind != parse.Fence || kind == parse.DepControl {
				h.Deps = append(h.Deps, parse.Dep{From: from, To: to, Kind: kind})
			}
		}
	}
	h.Deps = parse.MergeDeps(h.Deps)
	return h.Validate()
}

// written is the value of the program that stands for what is wanted of a variable, which
// one store to a location, or the initial state, has in a width, but for that of a constant.
func (b *asked) written(loc gen.LocID, v Variable, w width, except gen.Value) (gen.Value, error) {
	var found []gen.Value
	is := func(n int64) bool { return b.test.shown(v, b.test.narrow(n, w)) == b.wanted[v] }
	if is(b.test.initial[loc]) {
		found = append(found, 0)
	}
	for _, ops := range b.Program.Threads {
		for _, op := range ops {
			if op.Kind.Writes() && op.Loc == loc && op.Value != except && is(b.values[op.Value]) {
				found = append(found, op.Value)
			}
		}
	}
	if len(found) != 1 {
		return 0, fmt.Errorf("%d stores give %s the value %d, with the initial state: want one", len(found), b.test.names[loc], b.wanted[v])
	}
	return found[0], nil
}

// holder is a variable of the condition that holds what a read returns.
func (b *asked) holder(thread, index int) (holder Variable, err error) {
	found := false
	for _, v := range b.test.Seen {
		value, asked := b.wanted[v]
		if in, from, ok := b.holds(v); !asked || !ok || in != thread || from.index != index {
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

// endsIn gives the history the final values that are asked for.
func (b *asked) endsIn(h *parse.History) error {
	var faults []error
	for x, name := range h.Locations {
		value, ok := b.wanted[Variable{-1, name}]
		if !ok {
			continue
		}
		written, err := b.written(gen.LocID(x), Variable{-1, name}, width{}, 0)
		if err != nil {
			faults = append(faults, fmt.Errorf("[%s]: %w", name, err))
			continue
		}
		if h.Final == nil {
			h.Final = slices.Repeat([]parse.OpID{parse.NoOp}, len(h.Locations))
		}
		h.Final[x] = parse.Init
		for id := range h.Ops {
			if op := &h.Ops[id]; written != 0 && op.Writes() && op.Loc == int32(x) && op.Write == written {
				h.Final[x] = parse.OpID(id)
			}
		}
		if written != 0 && h.Final[x] == parse.Init {
			faults = append(faults, fmt.Errorf("[%s]: the store-conditional of %d fails", name, value))
		}
	}
	return errors.Join(faults...)
}

// constants checks registers that no read sets.
func (b *asked) constants() error {
	var faults []error
	for _, v := range b.test.Seen {
		value, asked := b.wanted[v]
		if from, set := b.registers[v]; asked && v.Thread >= 0 && (!set || from.index < 0) && b.test.shown(v, from.value) != value {
			faults = append(faults, fmt.Errorf("%s: the test leaves %d in the register, not %d", v, from.value, value))
		}
	}
	return errors.Join(faults...)
}

// restore puts the values of the test in place of the program's, if they are
// fit.
func (b *asked) restore(h *parse.History) {
	type written struct {
		loc   int32
		value int64
	}
	seen := map[written]bool{}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Writes() {
			key := written{op.Loc, b.values[op.Write]}
			if key.value <= 0 || seen[key] || b.test.initial[op.Loc] != 0 {
				return
			}
			seen[key] = true
		}
	}
	for i := range h.Ops {
		op := &h.Ops[i]
		op.Read, op.Write = gen.Value(b.values[op.Read]), gen.Value(b.values[op.Write])
	}
}
