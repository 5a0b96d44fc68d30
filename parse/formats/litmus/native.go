package litmus

import (
	"errors"
	"fmt"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
)

// native is the execution that equations ask for, of a test of AArch64 or RISCV,
// with the values of its program: see History. Where the result of a
// store-conditional is not asked for, it takes place.
func (t *Test) native(wanted map[Variable]int64) (*parse.History, error) {
	b := &asked{test: t, wanted: wanted}
	w := wire.NewWriter(t.Program, 1)
	var log []byte
	var faults []error
	for thread, ops := range t.Program.Threads {
		var values []gen.Value
		for _, op := range ops {
			if !op.Kind.Reads() {
				continue
			}
			holder, err := b.holder(thread, len(values))
			value := gen.Value(wanted[holder])
			switch {
			case op.Kind == gen.StoreConditional && err != nil:
				value, err = 0, nil
			case op.Kind != gen.StoreConditional && err == nil:
				if value, err = t.written(op.Loc, wanted[holder]); err != nil {
					err = fmt.Errorf("%s: %w", holder, err)
				}
			case err != nil:
				err = fmt.Errorf("thread %d read %d: %w", thread, len(values)+1, err)
			}
			faults = append(faults, err)
			values = append(values, value)
		}
		log = w.AppendThread(log, gen.ThreadID(thread), values)
	}
	if err := errors.Join(append(faults, b.constants())...); err != nil {
		return nil, err
	}
	h, err := parse.Native(t.Program, 1, log)
	if err != nil {
		return nil, err
	}
	return h, t.endsIn(h, wanted)
}

// written is the value of the program that stands for a value of the test which
// one store to a location, or the initial state, has.
func (t *Test) written(loc gen.LocID, value int64) (gen.Value, error) {
	var found []gen.Value
	if t.initial[loc] == value {
		found = append(found, 0)
	}
	for _, ops := range t.Program.Threads {
		for _, op := range ops {
			if op.Kind.Writes() && op.Loc == loc && t.values[op.Value] == value {
				found = append(found, op.Value)
			}
		}
	}
	if len(found) != 1 {
		return 0, sources(len(found), t.Program.Locations[loc], value)
	}
	return found[0], nil
}

// endsIn gives the history the final values that are asked for.
func (t *Test) endsIn(h *parse.History, wanted map[Variable]int64) error {
	for x, name := range h.Locations {
		value, ok := wanted[Variable{-1, name}]
		if !ok {
			continue
		}
		written, err := t.written(gen.LocID(x), value)
		if err != nil {
			return fmt.Errorf("[%s]: %w", name, err)
		}
		if h.Final == nil {
			h.Final = make([]parse.OpID, len(h.Locations))
			for i := range h.Final {
				h.Final[i] = parse.NoOp
			}
		}
		h.Final[x] = parse.Init
		for id := range h.Ops {
			if op := &h.Ops[id]; written != 0 && op.Writes() && op.Loc == int32(x) && op.Write == written {
				h.Final[x] = parse.OpID(id)
			}
		}
		if written != 0 && h.Final[x] == parse.Init {
			return fmt.Errorf("[%s]: the store-conditional of %d fails", name, value)
		}
	}
	return nil
}
