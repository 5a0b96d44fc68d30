package gen

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"ordeal/gen/faults"
)

// Bounds on the parts of an operation.
const (
	// MaxDelay bounds the iterations of one Delay: milliseconds on hardware.
	MaxDelay Value = 1 << 20
	// MaxAddends bounds the sum of all additions to one location in a run,
	// in AddUnits: beyond it the high bits of the word would wrap around.
	MaxAddends Value = math.MaxUint64/AddUnit + 1
	// MaxNameBytes bounds the length of a location's name.
	MaxNameBytes = 64
)

// Validate reports everything that keeps p from being a valid program, or
// nil. A valid program has 1 to MaxThreads threads (some may be empty), 1 to
// MaxLocations locations with unique well-formed names, a known layout, and
// operations whose fields are in range, zero where their kind has no use for
// them; its agents can perform their operations; its transactions have operations and stand in order; no two of its
// stores and exchanges have one constant, and no two of its additions one
// addend. It can be run for one round at least.
func (p *Program) Validate() error {
	var list faults.List
	fault := func(format string, args ...any) { list.Addf("validate program: "+format, args...) }
	if !slices.Contains(Layouts(), p.Layout) {
		fault("unknown layout %d", p.Layout)
	}
	if err := checkThreadCount(len(p.Threads)); err != nil {
		fault("%w", err)
	}
	checkNames(p.Locations, func(err error) { fault("%w", err) })
	for t, ops := range p.Threads {
		for i, op := range ops {
			if err := checkOp(op, len(p.Locations)); err != nil {
				fault("thread %d operation %d (%s): %w", t, i, p.OpText(op), err)
			}
		}
	}
	p.checkAgents(func(t ThreadID, i int, err error) { fault("thread %d operation %d: %w", t, i, err) })
	p.checkISA(func(t ThreadID, i int, err error) { fault("thread %d operation %d: %w", t, i, err) })
	p.checkTransactions(func(err error) { fault("%w", err) })
	p.checkUnique(func(first, second place) {
		fault("thread %d operation %d (%s): %s repeats thread %d operation %d",
			second.thread, second.index, p.OpText(p.op(second)), valueNoun(p.op(second).Kind), first.thread, first.index)
	})
	if list.Count() == 0 {
		if err := p.checkRounds(1); err != nil {
			fault("%w", err)
		}
	}
	return list.Err()
}

// ValidateRounds reports, besides what Validate reports, whether the values
// of the given number of rounds fit their bounds: round·Stride + constant
// stays below AddUnit, and the additions to one location in all rounds sum up
// to less than MaxAddends.
func (p *Program) ValidateRounds(rounds int) error {
	if rounds < 1 {
		return errors.Join(p.Validate(), fmt.Errorf("validate program: %d rounds: want at least 1", rounds))
	}
	if err := p.Validate(); err != nil {
		return err
	}
	if err := p.checkRounds(rounds); err != nil {
		return fmt.Errorf("validate program: %w", err)
	}
	return nil
}

func (p *Program) checkRounds(rounds int) error {
	if most := p.MaxRounds(); rounds > most {
		return fmt.Errorf("values stay unique for at most %d rounds, not %d", most, rounds)
	}
	return nil
}

// MaxRounds is the largest number of rounds for which a program with valid
// operations keeps its values unique: see ValidateRounds. It may be 0.
func (p *Program) MaxRounds() int {
	most := AddUnit / p.Stride()
	sums := make([]Value, len(p.Locations))
	for _, ops := range p.Threads {
		for _, op := range ops {
			if op.Kind == FetchAdd {
				sums[op.Loc] += op.Value
			}
		}
	}
	for _, sum := range sums {
		if sum > 0 {
			most = min(most, (MaxAddends-1)/sum)
		}
	}
	return int(most)
}

func checkThreadCount(n int) error {
	if n < 1 || n > MaxThreads {
		return fmt.Errorf("%d threads: want 1 to %d", n, MaxThreads)
	}
	return nil
}

// checkNames reports the faults of a list of location names, each once.
func checkNames(names []string, report func(error)) {
	if n := len(names); n < 1 || n > MaxLocations {
		report(fmt.Errorf("%d locations: want 1 to %d", n, MaxLocations))
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if !IsName(name) {
			report(fmt.Errorf("location name %q: want letters, digits and _, no digit first, at most %d bytes", name, MaxNameBytes))
		} else if seen[name] {
			report(fmt.Errorf("location %s is named twice", name))
		}
		seen[name] = true
	}
}

// IsName reports whether a name may be a location's: an identifier of C.
func IsName(name string) bool {
	if name == "" || len(name) > MaxNameBytes {
		return false
	}
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		digit := '0' <= c && c <= '9'
		if !letter && (!digit || i == 0) {
			return false
		}
	}
	return true
}

// checkOp checks the fields of one operation of a program with the given
// number of locations.
func checkOp(op Op, locations int) error {
	if op.Kind.Reads() || op.Kind.Writes() {
		if op.Loc < 0 || int(op.Loc) >= locations {
			return fmt.Errorf("location %d of %d", op.Loc, locations)
		}
	} else if op.Loc != 0 {
		return fmt.Errorf("location %d where the operation has none", op.Loc)
	}
	limit := Value(0)
	switch op.Kind {
	case Load, LoadLinked, FullFence:
		if op.Value != 0 {
			return fmt.Errorf("value %d where the operation has none", op.Value)
		}
		return nil
	case PartialFence:
		if FenceName(op.Value) == "" {
			return fmt.Errorf("unknown fence %d", op.Value)
		}
		return nil
	case Store, Exchange, StoreConditional:
		limit = AddUnit - 1
	case FetchAdd:
		limit = MaxAddends - 1
	case Delay:
		limit = MaxDelay
	default:
		return fmt.Errorf("unknown kind %d", op.Kind)
	}
	if op.Value < 1 || op.Value > limit {
		return fmt.Errorf("%s %d: want 1 to %d", valueNoun(op.Kind), op.Value, limit)
	}
	return nil
}

func valueNoun(k OpKind) string {
	switch k {
	case FetchAdd:
		return "addend"
	case Delay:
		return "delay"
	default:
		return "value"
	}
}

type place struct {
	thread ThreadID
	index  int32
}

func (p *Program) op(at place) Op { return p.Threads[at.thread][at.index] }

// checkUnique calls report for every stored constant and every addend that
// repeats that of an operation before it.
func (p *Program) checkUnique(report func(first, second place)) {
	var stored, added []valueAt
	for t, ops := range p.Threads {
		for i, op := range ops {
			at := valueAt{op.Value, place{ThreadID(t), int32(i)}}
			switch op.Kind {
			case Store, Exchange, StoreConditional:
				if op.Attr&Retry != 0 {
					continue // writes only where the attempt before it did not
				}
				stored = append(stored, at)
			case FetchAdd:
				added = append(added, at)
			}
		}
	}
	for _, values := range [][]valueAt{stored, added} {
		slices.SortStableFunc(values, func(a, b valueAt) int { return cmp.Compare(a.value, b.value) })
		first := 0
		for i := 1; i < len(values); i++ {
			if values[i].value == values[first].value {
				report(values[first].at, values[i].at)
			} else {
				first = i
			}
		}
	}
}

type valueAt struct {
	value Value
	at    place
}
