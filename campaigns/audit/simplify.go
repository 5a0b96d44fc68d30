package audit

import (
	"context"
	"slices"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/gen"
	"ordeal/sim"
)

// Bounds on what simplify does for a finding: runs and steps.
const (
	simplifyRuns  = 60
	simplifySeeds = 3 // of each subject
	simplifySteps = 1_000_000
)

// simplify takes from the run of a new finding what it shows without: several
// features at a time, then fewer, as delta debugging does (Zeller and Hildebrandt,
// TSE 2002). A run that has not failed in twice the events of the one that did is
// taken for one that does not fail. It returns the job that is left, and its result.
func (x *simulation) simplify(ctx context.Context, f *Finding, job sim.Job, last *run.Evaluation, events uint64) (simple sim.Job, result *run.Evaluation, cost uint64, err error) {
	whole := subject{f.Machine, job.Program, x.repaired != nil}
	kept := whole.features()
	runs := 0
	for part := len(kept); part > 0; part /= 2 {
		for at := 0; at < len(kept) && runs < simplifyRuns && cost < simplifySteps; {
			end := min(at+part, len(kept))
			rest := slices.Concat(kept[:at], kept[end:])
			res, seed, spent, err := x.shows(ctx, f.Title, whole.only(rest), job, 2*events+eventsPerOp)
			cost += spent
			if err != nil {
				return job, last, cost, err
			}
			runs += simplifySeeds
			if res == nil {
				at = end
				continue
			}
			kept, job.Seed, f.Detail, last = rest, seed, res.Detail, res
		}
	}
	s := whole.only(kept)
	job.Program = s.program
	f.Machine, f.Program, f.Seed = s.machine, string(s.program.Text()), job.Seed
	f.Conditions, f.Needs = Conditions(&f.Machine, &f.Failure), names(kept)
	return job, last, cost, nil
}

// shows runs a subject with some seeds until a run fails with a title, and returns its
// result and seed; nil if none does within the budget of events, or if the subject
// cannot run.
func (x *simulation) shows(ctx context.Context, title string, s subject, job sim.Job, budget uint64) (res *run.Evaluation, seed, cost uint64, err error) {
	m := s.machine
	m.StepBudget, job.Program = budget, s.program
	on, err := x.runner(&m)
	if err != nil {
		return nil, 0, 0, nil //nolint:nilerr // what it lacks is needed
	}
	for range simplifySeeds {
		res, spent, err := evaluateRun(ctx, on, job, &m)
		cost += spent
		if err != nil {
			return nil, 0, cost, err
		}
		if res.Failed() && res.FindingTitle() == title {
			return res, job.Seed, cost, nil
		}
		job.Seed++
	}
	return nil, 0, cost, nil
}

func names(list []feature) []string {
	var names []string
	for _, f := range list {
		names = append(names, f.name)
	}
	return names
}

// Features that more than runs of programs have, or that are unusual.
const (
	needParameter    = "parameter "
	needDefect       = "a known defect"
	needAtomics      = "atomic operations"
	needDevices      = "devices"
	needPrefetches   = "prefetches"
	needStreams      = "prefetches after misses"
	needFlushes      = "flushes"
	needFunctional   = "functional reads"
	needTransactions = "few transactions"
)

var unusualNeeds = []string{needDefect, needDevices, needPrefetches, needStreams, needFlushes, needFunctional, Unordered, needTransactions}

// subject is what runs: a program on a machine.
type subject struct {
	machine config.Machine
	program *gen.Program
	repairs bool // the protocol has known defects
}

// feature is something that a subject may go without. Remove is for subjects that
// have it.
type feature struct {
	name   string
	remove func(s *subject)
}

// features lists those of a subject.
func (s *subject) features() []feature {
	m := &s.machine
	var list []feature
	add := func(has bool, name string, remove func(s *subject)) {
		if has {
			list = append(list, feature{name, remove})
		}
	}
	for _, p := range m.SetParameter {
		add(true, needParameter+p, func(s *subject) {
			s.machine.SetParameter = slices.DeleteFunc(slices.Clone(s.machine.SetParameter), func(q string) bool { return p == q })
		})
	}
	add(s.repairs && !m.Repair, needDefect, func(s *subject) { s.machine.Repair = true })
	add(s.program.CountAgents(gen.AgentDMA) > 0, needDevices, func(s *subject) { s.program = withoutAgents(s.program, gen.AgentDMA) })
	add(s.program.CountAgents(gen.AgentFetch) > 0, "instruction fetch", func(s *subject) { s.program = withoutAgents(s.program, gen.AgentFetch) })
	add(slices.ContainsFunc(s.program.Threads, hasAtomics), needAtomics, func(s *subject) { s.program = withoutAtomics(s.program) })
	add(m.Prefetch > 0, needPrefetches, func(s *subject) { s.machine.Prefetch = 0 })
	add(m.Streams > 0, needStreams, func(s *subject) { s.machine.Streams = 0 })
	add(m.Flush > 0, needFlushes, func(s *subject) { s.machine.Flush = 0 })
	add(m.Functional > 0, needFunctional, func(s *subject) { s.machine.Functional = 0 })
	add(m.Reorder == "all", Unordered, func(s *subject) { s.machine.Reorder = "unordered" })
	add(m.Reorder != "", "messages out of order", func(s *subject) { s.machine.Reorder = "" })
	add(m.MemoryReorder, "memory out of order", func(s *subject) { s.machine.MemoryReorder = false })
	add(m.LockHold > 0, "held locks", func(s *subject) { s.machine.LockHold = 0 })
	add(m.RMW == "llsc", "linked loads", func(s *subject) { s.machine.RMW = "access" })
	add(m.RMW == "", "locked pairs", func(s *subject) { s.machine.RMW, s.machine.LockHold = "access", 0 })
	add(m.WrongPath > 0, "wrong paths", func(s *subject) { s.machine.WrongPath = 0 })
	add(m.LateStores > 0, "late stores", func(s *subject) { s.machine.LateStores = 0 })
	add(m.Barriers != "", "barriers in memory", func(s *subject) { s.machine.Barriers = "" })
	add(fewTransactions(m), needTransactions, func(s *subject) { s.machine.TBEs = 0 })
	add(m.L2Cores > 1, "shared second levels", func(s *subject) { s.machine.L2Cores = 0 })
	add(m.DeviceThreads > 1, "devices with several transfers", func(s *subject) { s.machine.DeviceThreads = 0 })
	add(m.Dirs > 1, "several directories", func(s *subject) { s.machine.Dirs = 0 })
	add(m.L2Banks > 1, "several banks", func(s *subject) { s.machine.L2Banks = 0 })
	return list
}

// only is a subject with some of its features and none of the others.
func (s subject) only(kept []feature) subject {
	for _, f := range s.features() {
		if !slices.ContainsFunc(kept, func(k feature) bool { return k.name == f.name }) {
			f.remove(&s)
		}
	}
	return s
}

// atomic reports whether an operation reads and writes at once.
func atomic(op gen.Op) bool {
	return op.Kind.Reads() && op.Kind.Writes() && op.Kind != gen.StoreConditional
}

func hasAtomics(ops []gen.Op) bool { return slices.ContainsFunc(ops, atomic) }

// withoutAtomics is a program with stores in place of exchanges, and loads in place of additions.
func withoutAtomics(p *gen.Program) *gen.Program {
	rest := *p
	rest.Threads = nil
	for _, ops := range p.Threads {
		ops = slices.Clone(ops)
		for i, op := range ops {
			if !atomic(op) {
				continue
			}
			ops[i].Kind = gen.Store
			if !op.Kind.Constant() {
				ops[i].Kind, ops[i].Value = gen.Load, 0
			}
		}
		rest.Threads = append(rest.Threads, ops)
	}
	return &rest
}

// withoutAgents is a program without the threads of a kind of agent.
func withoutAgents(p *gen.Program, kind gen.AgentKind) *gen.Program {
	rest := *p
	rest.Threads, rest.Agents, rest.Transactions = nil, nil, nil
	for t, ops := range p.Threads {
		if p.AgentOf(gen.ThreadID(t)).Kind == kind {
			continue
		}
		rest.Threads = append(rest.Threads, ops)
		rest.Agents = append(rest.Agents, p.AgentOf(gen.ThreadID(t)))
		rest.Transactions = append(rest.Transactions, p.TransactionsOf(gen.ThreadID(t)))
	}
	return &rest
}
