package exploration

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/check/outcomes"
	"ordeal/gen"
	"ordeal/parse"
	"ordeal/sim"
	"ordeal/sim/explore"
	"ordeal/sim/explore/machine"
	"ordeal/sim/explore/search"
)

// Program is a program that is explored: every way in which the cores can run
// it.
type Program struct {
	Name string `json:"name"`
	Text string `json:"text"` // as gen.Parse reads it
	// Placement is the core of each thread, explore.NoCore where a device runs it.
	Placement []int `json:"placement"`
}

// ProgramResult is what a program can compute on a machine.
type ProgramResult struct {
	Program
	Result
	Model string `json:"model"` // that the cores promise
	// Shown counts the outcomes that can be reached, Allowed those of the model;
	// 0 where it has no enumeration. Never lists outcomes of the model that
	// the machine cannot reach.
	Shown   int      `json:"outcomes"`
	Allowed int      `json:"allowed,omitempty"`
	Never   []string `json:"never,omitempty"`
}

// Placements lists the assignments of the threads of a program to the cores of a
// machine, each on a core of its own but those of devices; of those that differ only in
// the names of controllers the first.
func (s *Spec) Placements(p *gen.Program) ([][]int, error) {
	on := s.Machine
	on.Cores = max(on.Cores, p.CountAgents(gen.AgentCore))
	c, err := s.config(on)
	if err != nil {
		return nil, err
	}
	m, err := newMachine(c)
	if err != nil {
		return nil, err
	}
	each := (on.Cores + m.Private() - 1) / m.Private() // cores of a controller
	var all [][]int
	var place func(list []int, next int)
	place = func(list []int, next int) {
		if len(list) == len(p.Threads) {
			all = append(all, slices.Clone(list))
			return
		}
		if p.AgentOf(gen.ThreadID(len(list))).Kind != gen.AgentCore {
			place(append(list, explore.NoCore), next)
			return
		}
		for core := range min(on.Cores, (next+1)*each) {
			if !slices.Contains(list, core) {
				place(append(list, core), max(next, core/each+1))
			}
		}
	}
	place(nil, 0)
	return all, nil
}

// program makes the machine that runs a program.
func (s *Spec) program(p *Program) (*explore.Machine, *gen.Program, error) {
	c, parsed, err := s.programConfig(p)
	if err != nil {
		return nil, nil, err
	}
	m, err := newMachine(c)
	return m, parsed, err
}

// programConfig is what is explored when a program runs.
func (s *Spec) programConfig(p *Program) (explore.Config, *gen.Program, error) {
	parsed, err := gen.Parse(p.Name, []byte(p.Text))
	if err != nil {
		return explore.Config{}, nil, err
	}
	on := s.Machine
	on.Cores = max(on.Cores, parsed.CountAgents(gen.AgentCore))
	c, err := s.config(on)
	if err != nil {
		return c, nil, err
	}
	o, err := s.Machine.Builtin()
	c.Program, c.Placement, c.Core, c.IdleLoads = parsed, p.Placement, o.Core, s.Explore.IdleLoads
	return c, parsed, err
}

// runProgram explores the program with an index, evaluates every outcome by the model that
// the cores promise, and compares them with those that the model has. It goes on from the
// checkpoint of the program, if there is one and the Options say so.
func (s *Spec) runProgram(ctx context.Context, index int, given Options) (*ProgramResult, error) {
	began := time.Now()
	p := &s.Programs[index]
	m, program, err := s.program(p)
	if err != nil {
		return nil, err
	}
	limited, cancel := s.limited(ctx)
	defer cancel()
	var shown map[string]bool
	if s.Explore.OutcomesOnly {
		if m, shown, err = s.sought(limited, m, p, program); err != nil {
			return nil, err
		}
	}
	r, err := s.begin(m, p, index, given)
	if err != nil {
		return nil, err
	}
	defer r.search.Close() // only a file without a name is left, which goes with the process
	r.shown = shown
	result, err := r.program(ctx, limited, program, p, s.Machine.Promise())
	if result != nil {
		result.Elapsed = time.Since(began)
	}
	if err == nil && r.checkpoint != nil {
		err = r.checkpoint.finish(r.search, s.goesOn(result))
	}
	return result, err
}

// sought is the machine that looks for outcomes only, and those that random runs have shown.
func (s *Spec) sought(ctx context.Context, m *explore.Machine, p *Program, program *gen.Program) (*explore.Machine, map[string]bool, error) {
	sought, shown, err := soughtOf(ctx, m, p.Name, program, s.Machine.Promise())
	if err != nil {
		return nil, nil, err
	}
	c, _, err := s.programConfig(p)
	if err != nil {
		return nil, nil, err
	}
	c.Sought = sought
	m, err = newMachine(c)
	return m, shown, err
}

// program explores until the limited context ends, and evaluates what was found until
// then.
func (r *activeSearch) program(ctx, limited context.Context, program *gen.Program, p *Program, promised string) (*ProgramResult, error) {
	began := time.Now()
	found, err := r.search.Run(limited)
	if err != nil {
		return nil, err
	}
	result := &ProgramResult{Program: *p, Result: *newResult(r.machine, found), Model: promised}
	if err := r.findings(&result.Result, found); err != nil {
		return nil, err
	}
	if err := r.evaluate(context.WithoutCancel(ctx), result, program, found.Outcomes); err != nil {
		return nil, err
	}
	for i := range result.Findings {
		result.Findings[i].Program = p
	}
	result.Elapsed = time.Since(began)
	return result, nil
}

// evaluate checks the outcomes.
func (r *activeSearch) evaluate(ctx context.Context, result *ProgramResult, p *gen.Program, list []search.Outcome) error {
	result.Shown = len(list)
	if slices.Contains(r.ignore, machine.Outcome) {
		return nil
	}
	m, ok := model.ByName(result.Model)
	if !ok {
		return fmt.Errorf("no model %s", result.Model)
	}
	shown := map[string]bool{}
	maps.Copy(shown, r.shown)
	corrupt := 0
	for _, o := range list {
		h, err := parse.Native(p, 1, o.Bytes)
		answer := check.Forbidden
		title := ""
		if err != nil {
			corrupt++
			title = "corrupt: " + err.Error()
		} else {
			v, err := check.Check(ctx, h, m, check.Options{AvailableBytes: run.AvailableMemory()})
			if err != nil {
				return err
			}
			outcome := outcomeOf(p, h)
			shown[outcome.Key()] = true
			answer, title = v.Answer, fmt.Sprintf("%s forbids %s", m.Name, describe(p, outcome))
		}
		if answer != check.Forbidden {
			continue
		}
		path, err := r.search.Path(o.State)
		if err != nil {
			return err
		}
		fault := machine.Fault{Property: machine.Outcome, Failure: sim.Failure{Kind: title}, Step: -1}
		result.Findings = append(result.Findings, newFinding(r.machine, fault, path))
	}
	result.Shown = len(shown) + corrupt
	kind, err := outcomes.Parse(result.Model)
	if err != nil {
		return nil // no enumeration of this model
	}
	allowed, err := outcomes.Enumerate(p, kind, maxOutcomes)
	if err != nil {
		return nil // too large to enumerate
	}
	result.Allowed = len(allowed)
	if !result.Complete() {
		return nil
	}
	for i := range allowed {
		if !shown[allowed[i].Key()] {
			result.Never = append(result.Never, describe(p, &allowed[i]))
		}
	}
	return nil
}

// maxOutcomes bounds the enumeration of a model.
const maxOutcomes = 1 << 18

// outcomeOf is what a history has read, and the final memory.
func outcomeOf(p *gen.Program, h *parse.History) *outcomes.Outcome {
	o := &outcomes.Outcome{Reads: make([][]gen.Value, len(p.Threads)), Final: make([]gen.Value, len(p.Locations))}
	for t := range p.Threads {
		for _, op := range h.Ops[h.Start[t]:h.Start[t+1]] {
			if op.Reads() {
				o.Reads[t] = append(o.Reads[t], op.Read)
			}
		}
	}
	for l, w := range h.Final {
		if w >= 0 {
			o.Final[l] = h.Ops[w].Write
		}
	}
	return o
}

// describe is an outcome on one line: what each thread read, and the final
// memory.
func describe(p *gen.Program, o *outcomes.Outcome) string {
	var parts []string
	for t, values := range o.Reads {
		if len(values) > 0 {
			parts = append(parts, fmt.Sprintf("thread %d reads %s", t, strings.Trim(fmt.Sprint(values), "[]")))
		}
	}
	for l, v := range o.Final {
		parts = append(parts, fmt.Sprintf("%s=%d", p.Locations[l], v))
	}
	return strings.Join(parts, ", ")
}
