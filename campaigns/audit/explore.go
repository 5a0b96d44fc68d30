package audit

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/gen/option"
	"ordeal/sim/explore/search"
	"ordeal/sim/slicc/syntax"
)

// small is a machine to explore.
type small struct {
	cores, lines, devices int
	repair                bool
}

func (m small) String() string {
	text := fmt.Sprintf("%d cores, %d lines", m.cores, m.lines)
	if m.devices > 0 {
		text += fmt.Sprintf(", %d devices", m.devices)
	}
	if m.repair {
		text += ", repaired"
	}
	return text
}

// ladder are the machines, in the order of their sizes.
var ladder = []small{
	{cores: 2, lines: 1}, {cores: 1, lines: 2}, {cores: 1, lines: 1, devices: 1}, {cores: 1, lines: 2, devices: 1}, {cores: 2, lines: 1, devices: 1},
	{cores: 2, lines: 2}, {cores: 3, lines: 1}, {cores: 2, lines: 2, devices: 1}, {cores: 1, lines: 3}, {cores: 3, lines: 2}, {cores: 4, lines: 1},
}

// caps are how many states each machine is explored to, in turn.
var caps = []uint64{20_000, 200_000, 2_000_000}

// setup is what an exploration costs before its first step, in steps.
const setup = 100_000

// channelDepth is how many messages may be under way in a channel.
const channelDepth = 12

// explorationMemory bounds an exploration.
const explorationMemory = 2 << 30

// explorer is the engine that explores.
type explorer struct {
	*session
	machines []small
	complete map[int]bool // machines whose states were all visited, or that are refused
	refused  int
	at       int // of the next turn: cap and machine
}

func newExploration(s *session) *explorer {
	x := &explorer{session: s, complete: map[int]bool{}}
	for _, m := range ladder {
		if m.devices > 0 && !s.protocol.Devices() {
			continue
		}
		x.machines = append(x.machines, m)
		if s.repaired != nil {
			m.repair = true
			x.machines = append(x.machines, m)
		}
	}
	return x
}

// turn explores the next machine.
func (x *explorer) turn(ctx context.Context, w *Work) (cost uint64, done bool, err error) {
	for x.at < len(caps)*len(x.machines) && x.complete[x.at%len(x.machines)] {
		x.at++
	}
	if x.at == len(caps)*len(x.machines) {
		return 0, true, nil
	}
	index := x.at % len(x.machines)
	limit, m := caps[x.at/len(x.machines)], x.machines[index]
	x.at++
	spec := exploration.Spec{
		Machine: x.on(config.Machine{Cores: m.cores, Repair: m.repair}),
		Explore: config.Explore{
			Lines: m.lines, DMA: m.devices, Depth: channelDepth, MaxStates: limit, MaxMemory: explorationMemory, KeepGoing: true,
		},
	}
	o := exploration.Options{Workers: 1}
	if x.o.Dir != "" {
		spec.Started, spec.Tools = time.Now(), run.ExplorationVersions(&spec.Machine)
		o.Dir = filepath.Join(x.o.Dir, fmt.Sprintf("exploration-%d", x.at))
		if err := run.MkdirAll(o.Dir); err != nil {
			return 0, false, err
		}
	}
	var r *exploration.Result
	err = run.Guarded(func() (err error) {
		r, err = exploration.Run(ctx, &spec, o)
		return err
	})
	if refused(err) || run.Panicked(err) {
		if o.Dir != "" {
			err = errors.Join(err, run.RemoveAll(o.Dir))
		}
		x.complete[index] = true
		if x.refused++; x.refused == len(x.machines) || run.Panicked(err) {
			w.Refused = run.InfraTitle(err)
		}
		return setup, false, nil
	}
	if err != nil {
		return setup, false, err
	}
	if r.Limit == search.Interrupted {
		return setup, false, ctx.Err()
	}
	if r.Complete() {
		x.complete[index] = true
		w.Complete = append(w.Complete, m.String())
	}
	w.States += r.States
	x.report.Coverage.Add(r.Coverage)
	keep := false
	for i := range r.Findings {
		f := &r.Findings[i]
		keep = x.add(&Finding{
			Title: f.Title, Failure: f.Failure, Outcome: exploration.OutcomeOf(f.Property).String(), Detail: f.Property.String() + ": " + f.Detail, Machine: spec.Machine, Explore: &spec.Explore, Path: f.Steps, Dir: o.Dir, Needs: m.needs(),
		}, w) || keep
	}
	if o.Dir != "" && !keep {
		err = run.RemoveAll(o.Dir)
	}
	return setup + r.Steps, false, err
}

// refused reports whether an error is that a machine cannot be explored.
func refused(err error) bool {
	if _, ok := errors.AsType[option.Fault](err); ok {
		return true
	}
	_, ok := errors.AsType[syntax.Faults](err)
	return ok
}

// needs are the features of the machine, as those of runs are named.
func (m small) needs() []string {
	if m.devices > 0 {
		return []string{needDevices}
	}
	return nil
}
