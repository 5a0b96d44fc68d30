package audit

import (
	"context"
	"errors"

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/gen/option"
	"ordeal/sim"
	"ordeal/sim/explore/search"
	"ordeal/sim/slicc/syntax"
)

// small is a machine to explore.
type small struct {
	exploration.Size
	repair bool
}

func (m small) String() string {
	if m.repair {
		return m.Size.String() + ", repaired"
	}
	return m.Size.String()
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
	at       int           // of the next turn: cap and machine
	again    []*explorable // the other findings of the last exploration
}

func newExploration(s *session) *explorer {
	x := &explorer{session: s, complete: map[int]bool{}}
	for _, size := range exploration.Sizes {
		m := small{Size: size}
		if m.Devices > 0 && !s.protocol.Devices() {
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

func (x *explorer) runs() int { return 1 }

// explorable is a machine to explore up to a number of states, or what else such an exploration found.
type explorable struct {
	*explorer
	index   int // of the machine
	limit   uint64
	finding int                 // which of the findings, from 0
	result  *exploration.Result // nil: not explored yet
}

// draw returns the next machine.
func (x *explorer) draw() (attempt, error) {
	if len(x.again) > 0 {
		e := x.again[0]
		x.again = x.again[1:]
		return e, nil
	}
	for x.at < len(caps)*len(x.machines) && x.complete[x.at%len(x.machines)] {
		x.at++
	}
	if x.at == len(caps)*len(x.machines) {
		return nil, nil
	}
	e := &explorable{explorer: x, index: x.at % len(x.machines), limit: caps[x.at/len(x.machines)]}
	x.at++
	return e, nil
}

// spec is what is explored.
func (e *explorable) spec() exploration.Spec {
	m := e.machines[e.index]
	return exploration.Spec{
		Version: exploration.Version, Machine: e.on(config.Machine{Cores: m.Cores, Repair: m.repair}),
		Explore: config.Explore{
			Lines: m.Lines, DMA: m.Devices, Depth: channelDepth, MaxStates: e.limit, MaxMemory: explorationMemory, KeepGoing: true,
		},
	}
}

func (e *explorable) run(ctx context.Context) (*outcome, error) {
	spec := e.spec()
	out := &outcome{Drawn: journal.Drawn{Steps: setup}, config: e.config(spec.Machine), result: &run.Evaluation{Result: &run.Result{Version: run.FormatVersion}}}
	out.config.Explore = &spec.Explore
	if e.result == nil { // else an attempt before has explored it
		err := run.Guarded(func() (err error) {
			e.result, err = exploration.Run(ctx, &spec, exploration.Options{Workers: 1})
			return err
		})
		if refused(err) || run.Panicked(err) {
			out.Refused = run.InfraTitle(err)
			out.result.Outcome, out.result.Detail = sim.Passed, "not explored: "+out.Refused
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if e.result.Limit == search.Interrupted {
			return nil, ctx.Err()
		}
	}
	one := *e.result
	if e.finding > 0 {
		out.Steps = 0
	} else {
		out.Steps, out.States, out.Complete = setup+one.Steps, one.States, one.Complete()
		out.More = max(len(one.Findings)-1, 0)
	}
	if len(one.Findings) > 0 {
		one.Findings = one.Findings[e.finding : e.finding+1]
	}
	out.explored = &exploration.Explored{Spec: &spec, Result: one}
	out.program, out.result = out.explored.Program(), out.explored.Run(out.config.Expect)
	if len(one.Findings) == 0 && !one.Complete() {
		out.result.Answers = nil // that the states are too many is expected
	}
	if len(one.Findings) > 0 {
		f := &one.Findings[0]
		out.Needs = e.machines[e.index].needs()
		out.finding = &Finding{
			Title: f.Title, Failure: f.Failure, Outcome: exploration.OutcomeOf(f.Property).String(), Detail: f.Property.String() + ": " + f.Detail, Machine: spec.Machine,
			Explore: &spec.Explore, Path: f.Steps, Needs: out.Needs,
		}
	}
	return out, nil
}

func (e *explorable) add(out *outcome, w *Work) {
	switch {
	case out.Refused != "":
		e.complete[e.index] = true
		if e.refused++; e.refused == len(e.machines) {
			w.Refused = out.Refused
		}
		return
	case e.finding == 0:
		if out.Complete {
			e.complete[e.index] = true
			w.Complete = append(w.Complete, e.machines[e.index].String())
		}
		w.States += out.States
		e.report.Coverage.Add(out.result.Coverage)
	}
	if out.finding != nil {
		e.found(out.finding, w)
	}
	for i := range out.More {
		e.again = append(e.again, &explorable{explorer: e.explorer, index: e.index, limit: e.limit, finding: i + 1, result: e.result})
	}
}

func (e *explorable) restore(entry *journal.Entry) (*outcome, error) {
	out := restored(entry)
	if out.finding != nil {
		spec := e.spec()
		out.finding.Explore = &spec.Explore
	}
	return out, nil
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
	if m.Devices > 0 {
		return []string{needDevices}
	}
	return nil
}
