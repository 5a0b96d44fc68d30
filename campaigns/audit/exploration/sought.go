package exploration

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"ordeal/check/outcomes"
	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/parse"
	"ordeal/sim/explore"
)

// config.Explore.OutcomesOnly leaves out the states from which no outcome of interest can be reached. Of
// interest are those that the model forbids, and those that it allows and random runs have not shown: so
// the outcomes that are found are exactly those of a search of all states. Only two kinds of forbidden outcomes
// are left out: values that no order of the accesses to a location explains, whatever the order of the
// program is, and a final memory that contradicts reads which the model allows with another one.

// The random runs of a program: at most so many, and so many behind the last that showed an outcome that
// none before it did, each of so many steps.
const (
	samplesMost  = 1 << 13
	samplesIdle  = 1 << 10
	samplesSteps = 1 << 11
	maxReads     = 1 << 16 // the most combinations of values that are tried
)

// errSought is the error of a program whose outcomes are too many.
func errSought(name string, reason any) error {
	return option.Faultf("outcomes-only", "%s: %v", name, reason)
}

// soughtOf is what an exploration of a program looks for when only outcomes count, and the outcomes that
// random runs have shown.
func soughtOf(ctx context.Context, m *explore.Machine, name string, p *gen.Program, model string) (sought []explore.Reads, shown map[string]bool, err error) {
	allowed, err := enumerate(name, p, model)
	if err != nil {
		return nil, nil, err
	}
	shown, err = sample(ctx, m, p, len(allowed))
	if err != nil {
		return nil, nil, err
	}
	sought, err = soughtReads(p, allowed, shown)
	if err != nil {
		return nil, nil, errSought(name, err)
	}
	return sought, shown, nil
}

// enumerate lists the outcomes that the model allows.
func enumerate(name string, p *gen.Program, model string) ([]outcomes.Outcome, error) {
	kind, err := outcomes.Parse(model)
	if err != nil {
		return nil, errSought(name, err)
	}
	allowed, err := outcomes.Enumerate(p, kind, maxOutcomes)
	if err != nil {
		return nil, errSought(name, err)
	}
	return allowed, nil
}

// isSeekable reports what keeps an exploration of a program from looking for outcomes only.
func isSeekable(name string, p *gen.Program, model string) error {
	allowed, err := enumerate(name, p, model)
	if err != nil {
		return err
	}
	if _, err = soughtReads(p, allowed, nil); err != nil {
		return errSought(name, err)
	}
	return nil
}

// sample runs a program at random, the same way each time, until it has shown a number of outcomes or
// hardly shows new ones.
func sample(ctx context.Context, m *explore.Machine, p *gen.Program, enough int) (map[string]bool, error) {
	random := rand.New(rand.NewPCG(1, 1))
	shown := map[string]bool{}
	for n, last := 0, 0; n < samplesMost && n-last < samplesIdle && len(shown) < enough && ctx.Err() == nil; n++ {
		log, ok := m.Sample(random, samplesSteps)
		if !ok {
			continue
		}
		h, err := parse.Native(p, 1, log)
		if err != nil {
			continue // corrupt: the search finds it
		}
		if key := outcomeOf(p, h).Key(); !shown[key] {
			shown[key], last = true, n
		}
	}
	return shown, ctx.Err()
}

// soughtReads are the reads of the outcomes that matter: see above.
func soughtReads(p *gen.Program, allowed []outcomes.Outcome, shown map[string]bool) ([]explore.Reads, error) {
	explained, known := map[string]bool{}, map[string]bool{}
	sought := map[string]explore.Reads{}
	for i := range allowed {
		o := &allowed[i]
		explained[readsKey(o.Reads)] = true
		if key := o.Key(); shown[key] {
			known[key] = true
		} else {
			sought[readsKey(o.Reads)] = o.Reads
		}
	}
	// Reads that the model allows with no final memory.
	err := combine(p, true, func(o *outcomes.Outcome) {
		if key := readsKey(o.Reads); !explained[key] {
			sought[key] = cloneReads(o.Reads)
		}
	})
	if err != nil {
		return nil, err
	}
	// Those that it forbids with a final memory that is coherent with them.
	err = combine(p, false, func(o *outcomes.Outcome) {
		if !known[o.Key()] {
			sought[readsKey(o.Reads)] = cloneReads(o.Reads)
		}
	})
	if err != nil {
		return nil, err
	}
	if len(sought) > explore.MaxSought {
		return nil, fmt.Errorf("%d combinations of values matter: want at most %d", len(sought), explore.MaxSought)
	}
	list := []explore.Reads{} // not nil: nothing may be sought
	for _, key := range slices.Sorted(maps.Keys(sought)) {
		list = append(list, sought[key])
	}
	return list, nil
}

func readsKey(r [][]gen.Value) string { return (&outcomes.Outcome{Reads: r}).Key() }

func cloneReads(r [][]gen.Value) explore.Reads {
	list := make(explore.Reads, len(r))
	for t := range r {
		list[t] = slices.Clone(r[t])
	}
	return list
}

var errCombinations = fmt.Errorf("its reads have more than %d combinations of values", maxReads)

// combine calls each with all combinations of what single locations can do: of coherent ones, or of
// those in which accesses happen in any order, which have no final memory. The outcome is changed
// between the calls.
func combine(p *gen.Program, anyOrder bool, each func(*outcomes.Outcome)) error {
	o := &outcomes.Outcome{Final: make([]gen.Value, len(p.Locations))}
	for t := range p.Threads {
		o.Reads = append(o.Reads, make([]gen.Value, p.Reads(gen.ThreadID(t))))
	}
	var all [][]outcomes.Outcome // by location
	var places [][]*gen.Value    // of the reads of each location
	number := 1
	for l := range p.Locations {
		list, err := ofLocation(p, gen.LocID(l), anyOrder)
		if err != nil {
			return err
		}
		if number *= len(list); number > maxReads {
			return errCombinations
		}
		all, places = append(all, list), append(places, placesOf(p, gen.LocID(l), o.Reads))
	}
	var choose func(l int)
	choose = func(l int) {
		if l == len(all) {
			each(o)
			return
		}
		for i := range all[l] {
			for n, v := range slices.Concat(all[l][i].Reads...) {
				*places[l][n] = v
			}
			o.Final[l] = all[l][i].Final[l]
			choose(l + 1)
		}
	}
	choose(0)
	return nil
}

// placesOf lists where reads has what the reads of a location return, thread by thread.
func placesOf(p *gen.Program, l gen.LocID, reads [][]gen.Value) []*gen.Value {
	var list []*gen.Value
	for t, ops := range p.Threads {
		n := 0
		for _, op := range ops {
			if !op.Kind.Reads() {
				continue
			}
			if op.Loc == l {
				list = append(list, &reads[t][n])
			}
			n++
		}
	}
	return list
}

var errAdditions = errors.New("its values depend on the order of additions")

// ofLocation lists what the accesses to a location can do: coherently, or in any order and then whatever
// memory holds at the end.
func ofLocation(p *gen.Program, l gen.LocID, anyOrder bool) ([]outcomes.Outcome, error) {
	q := &gen.Program{Layout: p.Layout, Locations: p.Locations}
	for _, ops := range p.Threads {
		var own []gen.Op
		for _, op := range ops {
			switch {
			case op.Kind == gen.FetchAdd:
				return nil, errAdditions
			case !op.Kind.Reads() && !op.Kind.Writes() || op.Loc != l:
			case anyOrder:
				q.Threads = append(q.Threads, []gen.Op{op})
			default:
				own = append(own, op)
			}
		}
		if !anyOrder {
			q.Threads = append(q.Threads, own)
		}
	}
	list, err := outcomes.Enumerate(q, outcomes.SC, maxOutcomes)
	if err != nil || !anyOrder {
		return list, err
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(o outcomes.Outcome) bool {
		key := readsKey(o.Reads)
		again := seen[key]
		seen[key] = true
		return again
	}), nil
}
