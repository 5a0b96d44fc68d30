package exploration

import (
	"context"
	"fmt"
	"slices"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/explore/machine"
)

// Explored is a whole exploration that has ended: that of any access at any time,
// or of programs.
type Explored struct {
	Spec     *Spec
	Result   Result // of programs: of all of them
	Programs []*ProgramResult
}

// Explore explores what the configuration of a run says. Its timeout counts if it has no
// limit of time of its own, and its share of the memory. In a directory, unless it is
// empty, it leaves a checkpoint while it goes on and if the context ends; a later call
// goes on from there. The directory is gone once the exploration has ended.
func Explore(ctx context.Context, spec *run.Spec, workers int, dir string) (*Explored, error) {
	return exploreRun(ctx, spec, workers, Options{Workers: 1, Dir: dir})
}

func exploreRun(ctx context.Context, spec *run.Spec, workers int, o Options) (*Explored, error) {
	s, err := SpecOf(spec)
	if err != nil {
		return nil, err
	}
	if s.Explore.MaxMemory == 0 {
		s.Explore.MaxMemory = config.Size(run.MemoryShare(workers))
	}
	o.Resume = o.Dir != "" && s.begun(run.Dir(o.Dir))
	x, err := s.explore(ctx, o)
	if err != nil && o.Resume && ctx.Err() == nil {
		o.Resume = false // what is left is of another version: begin again
		x, err = s.explore(ctx, o)
	}
	switch {
	case err != nil && (x == nil || s.Programs != nil):
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case o.Dir != "": // what could not be written there is not needed any more
		err = run.RemoveAll(o.Dir)
	}
	return x, err
}

// SpecOf is what the configuration of a run explores.
func SpecOf(spec *run.Spec) (*Spec, error) {
	s := &Spec{Version: Version, Machine: spec.Config.Machine, Explore: *spec.Config.Explore, Command: spec.Command, Tools: spec.Tools, Started: spec.Started}
	if s.Explore.MaxTime == 0 {
		s.Explore.MaxTime = spec.Timeout
	}
	return s, s.shapes()
}

// shapes takes in the programs of the shapes that the Spec names.
func (s *Spec) shapes() error {
	if len(s.Explore.Shape) == 0 {
		return nil
	}
	named, err := Shapes(s.Explore.Shape)
	if err == nil {
		s.Programs, err = s.Placed(named)
	}
	return err
}

// Check reports what keeps a configuration of a campaign from being explored: its machine contradicts
// itself or needs what an encoded state does not have, or programs do not fit it.
func Check(m config.Machine, e *config.Explore) error {
	s := &Spec{Machine: m, Explore: *e}
	if err := s.shapes(); err != nil { // makes a machine for them
		return err
	}
	if s.Programs == nil {
		_, err := s.new()
		return err
	}
	return s.CheckPrograms()
}

// CheckPrograms reports what keeps the programs of the Spec from being explored.
func (s *Spec) CheckPrograms() error {
	seekable := map[string]bool{} // texts of programs
	for i := range s.Programs {
		p := &s.Programs[i]
		c, program, err := s.programConfig(p)
		if err == nil {
			err = c.Validate()
		}
		if err == nil && s.Explore.OutcomesOnly && !seekable[p.Text] {
			seekable[p.Text] = true
			err = isSeekable(p.Name, program, s.Machine.Promise())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// begun reports whether an exploration can go on from what a directory has.
func (s *Spec) begun(dir run.Dir) bool {
	if s.Programs == nil {
		return run.Exists(dir.Path(checkpointFile))
	}
	return run.Exists(dir.Path(resultFile)) || run.Exists(dir.Path(checkpointOf(0)))
}

func (s *Spec) explore(ctx context.Context, o Options) (*Explored, error) {
	if o.Dir != "" {
		if err := run.MkdirAll(o.Dir); err != nil {
			return nil, err
		}
	}
	if s.Programs != nil {
		return RunPrograms(ctx, s, o, nil)
	}
	r, err := Run(ctx, s, o)
	if r == nil {
		return nil, err
	}
	return &Explored{Spec: s, Result: *r}, err
}

// Write writes the files of the exploration into a directory, with a schedule for
// each finding, so that repro replays them.
func (x *Explored) Write(dir string) error {
	if err := run.WriteJSON(run.Dir(dir).Path(specFile), x.Spec, true); err != nil {
		return err
	}
	if x.Programs != nil {
		return x.writePrograms(dir)
	}
	if err := writeSchedules(dir, x.Result.Findings); err != nil {
		return err
	}
	return run.WriteJSON(run.Dir(dir).Path(resultFile), &x.Result, true)
}

// Run is the exploration as a run of a campaign. The answer is that of the model
// which the configuration expects: allowed if every property holds in all states,
// unknown if not all were visited.
func (x *Explored) Run(expect string) *run.Evaluation {
	r := &x.Result
	result := &run.Evaluation{Coverage: r.Coverage, Result: &run.Result{
		Version: run.FormatVersion, Outcome: sim.Passed, Elapsed: r.Elapsed, Covered: run.CoveredBy(r.Coverage),
		Detail: fmt.Sprintf("%d states in %d orbits, %d steps, depth %d", r.States, r.Orbits, r.Steps, r.Depth),
	}}
	answer := run.Answer{Model: expect, Answer: check.Allowed.String(), Procedure: "exploration", Search: r.Elapsed}
	switch {
	case len(r.Findings) > 0:
		f := &r.Findings[0]
		answer.Answer = check.Forbidden.String()
		outcome := OutcomeOf(f.Property)
		if f.Failure.Kind == sim.KindUnsupplied { // it says nothing about the protocol
			outcome = sim.Infra
		}
		result.Fail(outcome, f.Failure)
		result.Counterexample = len(f.Steps)
		result.Detail = fmt.Sprintf("%s, after %d steps\n%s\n%s", f.Property, len(f.Steps), f.Detail, result.Detail)
	case !r.Complete():
		answer.Answer, answer.Reason = check.Unknown.String(), fmt.Sprintf("incomplete after %d states, depth %d: limit of %s", r.States, r.Depth, r.Limit)
	}
	result.Answers = []run.Answer{answer}
	return result
}

// OutcomeOf is the outcome of a run in which a property does not hold.
func OutcomeOf(p machine.Property) sim.Outcome {
	switch p {
	case machine.SWMR, machine.Values, machine.Outcome, machine.Leftovers:
		return sim.Violation
	case machine.Deadlock:
		return sim.Deadlock
	case machine.Livelock:
		return sim.Livelock
	}
	return sim.Crash
}

// Program is a program of the accesses of the first counterexample, core by core,
// or of the first one explored: what a simulation would run to come near it.
// Without either it has one load.
func (x *Explored) Program() *gen.Program {
	if len(x.Result.Findings) > 0 {
		return Accesses(&x.Result.Findings[0])
	}
	if x.Programs != nil {
		if p, err := gen.Parse(x.Programs[0].Name, []byte(x.Programs[0].Text)); err == nil {
			return p
		}
	}
	return Accesses(&Finding{Steps: []string{"core 0 loads line 0"}})
}

// Accesses is a program of the accesses that the cores make in a path, in order:
// a location for each line, all in one set of every cache.
func Accesses(f *Finding) *gen.Program {
	if f.Program != nil {
		if p, err := gen.Parse(f.Program.Name, []byte(f.Program.Text)); err == nil {
			return p
		}
	}
	p := &gen.Program{Layout: gen.Conflict}
	for _, step := range f.Steps {
		if core, op, ok := accessOf(step); ok {
			growTo(p, core, op.Loc)
			p.Threads[core] = append(p.Threads[core], op)
		}
	}
	if p = withoutIdle(p); p == nil {
		return Accesses(&Finding{Steps: []string{"core 0 loads line 0"}})
	}
	return p
}

// growTo adds threads up to that of a core, and locations up to one.
func growTo(p *gen.Program, core int, l gen.LocID) {
	for len(p.Threads) <= core {
		p.Threads = append(p.Threads, nil)
	}
	for len(p.Locations) <= int(l) {
		p.Locations = append(p.Locations, gen.LocationName(gen.LocID(len(p.Locations))))
	}
}

// withoutIdle drops cores without a thread, and numbers the values; nil if no thread is
// left.
func withoutIdle(p *gen.Program) *gen.Program {
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
