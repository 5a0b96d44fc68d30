package exploration

import (
	"context"
	"fmt"
	"slices"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/explore"
	"ordeal/sim/explore/search"
	"ordeal/sim/ruby"
)

// rareTries is the number of paths of which Rare chooses.
const rareTries = 48

// Rare lists schedules to states that are rarely reached: of shortest paths to states
// of the farther half of those that an exploration visits first, up to a limit, the ones
// whose transitions few others of them take. It is a function of its arguments.
func Rare(ctx context.Context, c explore.Config, limit uint64, count int) ([][]string, error) {
	c.Symmetry = true
	m, err := newMachine(c)
	if err != nil {
		return nil, err
	}
	find, err := search.New(m, search.Options{Workers: 1, MaxStates: limit, KeepGoing: true})
	if err != nil {
		return nil, err
	}
	defer find.Close() // only a file without a name is left, which goes with the process
	found, err := find.Run(ctx)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	taken := map[sim.Row]bool{}
	replayer, err := explore.NewReplayer(c, func(s ruby.Step) {
		taken[sim.Row{Machine: s.Machine, State: s.State, Event: s.Event}] = true
	}, nil)
	if err != nil {
		return nil, err
	}
	var paths []rarePath
	for k := range uint64(rareTries) {
		path, err := find.Path(found.Orbits - 1 - found.Orbits/2*k/rareTries)
		if err != nil {
			return nil, err
		}
		var p rarePath
		for _, step := range path.Steps {
			p.steps = append(p.steps, step.String())
		}
		clear(taken)
		if _, err := replayer.Replay(p.steps); err != nil {
			return nil, err
		}
		for row := range taken {
			p.rows = append(p.rows, row)
		}
		paths = append(paths, p)
	}
	return rarest(paths, count), nil
}

// rarePath is a path with the transitions that it takes.
type rarePath struct {
	steps []string
	rows  []sim.Row
}

// rarest chooses paths one after the other: the one whose transitions that no chosen one
// takes are the rarest, the first of those that are alike.
func rarest(paths []rarePath, count int) [][]string {
	seen := map[sim.Row]int{}
	for i := range paths {
		for _, row := range paths[i].rows {
			seen[row]++
		}
	}
	var chosen [][]string
	for len(chosen) < min(count, len(paths)) {
		best, most := -1, -1.0
		for i := range paths {
			if paths[i].steps == nil {
				continue // chosen
			}
			sum := 0.0
			slices.SortFunc(paths[i].rows, func(a, b sim.Row) int { return seen[a] - seen[b] }) // the order of a sum of floats
			for _, row := range paths[i].rows {
				if seen[row] > 0 {
					sum += 1 / float64(seen[row])
				}
			}
			if sum > most {
				best, most = i, sum
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, paths[best].steps)
		for _, row := range paths[best].rows {
			seen[row] = 0
		}
		paths[best].steps = nil
	}
	return chosen
}

// stepDelay is the delay in a program for each step of a schedule between two
// accesses of a core.
const stepDelay = 4

// Timed is a program that makes the accesses of schedules, one schedule after the other and
// repeatedly, until a thread has so many operations. Delays keep the distances that the
// accesses of a core have in steps. Schedules without an access make none: nil.
func Timed(schedules [][]string, ops int) *gen.Program {
	p := &gen.Program{Layout: gen.Conflict}
	longest := 0
	for before := -1; longest < ops && longest > before; {
		before = longest
		for _, steps := range schedules {
			last := map[int]int{}
			for at, step := range steps {
				core, op, ok := accessOf(step)
				if !ok {
					continue
				}
				makeRoom(p, core, op.Loc)
				if d := at - last[core]; d > 0 {
					p.Threads[core] = append(p.Threads[core], gen.Op{Kind: gen.Delay, Value: gen.Value(stepDelay * d)})
				}
				last[core] = at
				p.Threads[core] = append(p.Threads[core], op)
				longest = max(longest, len(p.Threads[core]))
			}
		}
	}
	return finished(p)
}

// makeRoom adds threads up to that of a core, and locations up to one.
func makeRoom(p *gen.Program, core int, l gen.LocID) {
	for len(p.Threads) <= core {
		p.Threads = append(p.Threads, nil)
	}
	for len(p.Locations) <= int(l) {
		p.Locations = append(p.Locations, gen.LocationName(gen.LocID(len(p.Locations))))
	}
}

// finished drops cores without a thread, and numbers the values; nil if no thread is
// left.
func finished(p *gen.Program) *gen.Program {
	p.Threads = slices.DeleteFunc(p.Threads, func(ops []gen.Op) bool { return len(ops) == 0 })
	if len(p.Threads) == 0 {
		return nil
	}
	p.NumberValues()
	return p
}

// accessOf is the access of a core that a step makes.
func accessOf(step string) (core int, op gen.Op, ok bool) {
	var line int
	var verb string
	if n, _ := fmt.Sscanf(step, "core %d %s line %d", &core, &verb, &line); n != 3 {
		return 0, op, false
	}
	op = gen.Op{Kind: gen.Load, Loc: gen.LocID(line)}
	if verb == "stores" {
		op.Kind = gen.Store
	}
	return core, op, true
}
