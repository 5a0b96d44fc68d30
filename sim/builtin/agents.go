package builtin

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"ordeal/gen"
	"ordeal/sim/builtin/agent"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// describer is what runs a thread.
type describer interface{ Describe() string }

// site is where a thread runs: what its accesses go through, and what to call it.
type site struct {
	name   string
	agent  describer
	oldest func() (memory.Addr, event.Tick, bool)
}

// addAgents makes the agents of all threads.
func (s *simulation) addAgents() {
	p, seed := s.job.Program, s.job.Seed
	var layout agent.Layout
	cores, devices, fetchers := 0, 0, 0
	code := s.loadCode()
	if s.options.Barriers != agent.NoBarriers {
		s.barriers = agent.NewGroup(s.queue, p, s.options.Barriers, s.job.Rounds)
	}
	for t := range p.Threads {
		id := gen.ThreadID(t)
		thread := core.NewThread(p, id, s.job.Rounds, s.writes)
		thread.Record(s.steps)
		thread.Observe(s.observer())
		s.threads = append(s.threads, thread)
		var at site
		switch a := p.AgentOf(id); a.Kind {
		case gen.AgentDMA:
			if devices == 0 {
				layout = agent.NewLayout(p)
			}
			device := s.system.(memory.Devices).Device(devices)
			at = site{fmt.Sprintf("device %d", devices), agent.NewDMA(s.queue, thread, device, layout, s.agentDone), device.Oldest}
			devices++
		case gen.AgentFetch:
			port := s.system.Port(a.Core)
			at = site{fmt.Sprintf("fetcher %d of core %d", fetchers, a.Core), agent.NewFetcher(s.queue, thread, port, code, s.agentDone), port.Oldest}
			fetchers++
		default:
			port := s.system.Port(cores)
			var c core.Core
			var m *agent.Member
			done := s.agentDone
			if s.barriers != nil {
				m = s.barriers.Join(thread, port, s.agentDone)
				done = m.Arrive
			}
			c = core.New(s.queue, s.options.core(seed, cores), thread, port, done)
			at = site{fmt.Sprintf("core %d", cores), c, port.Oldest}
			if m != nil {
				m.Resumes(c.Resume)
				at.agent = meeting{m, c}
			}
			s.cores = append(s.cores, c)
			cores++
		}
		s.sites = append(s.sites, at)
	}
}

// meeting is a core whose thread may be at a barrier.
type meeting struct {
	member *agent.Member
	core   core.Core
}

// Describe is what the thread waits for, or else what the core does.
func (m meeting) Describe() string { return cmp.Or(m.member.Describe(), m.core.Describe()) }

// loadCode puts code into the lines that are fetched, but for those that a device stores
// to, whose transfers may be of whole lines.
func (s *simulation) loadCode() agent.Code {
	p := s.job.Program
	if p.CountAgents(gen.AgentFetch) == 0 {
		return nil
	}
	written := map[memory.Addr]bool{}
	fetched := map[memory.Addr]bool{}
	for t, ops := range p.Threads {
		a := p.AgentOf(gen.ThreadID(t)).Kind
		for _, op := range ops {
			line := addressOf(p, op.Loc).Line()
			switch {
			case a == gen.AgentDMA && op.Kind == gen.Store:
				written[line] = true
			case a == gen.AgentFetch && op.Kind.Reads():
				fetched[line] = true
			}
		}
	}
	maps.DeleteFunc(fetched, func(line memory.Addr, _ bool) bool { return written[line] })
	code := agent.Assemble(p, slices.Sorted(maps.Keys(fetched)))
	for line, words := range code {
		s.system.Load(line, &words.Block)
		for i, v := range words.Block {
			if s.functional != nil {
				s.functional.Wrote(line+memory.Addr(i)*gen.WordBytes, v)
			}
		}
	}
	return code
}

// addFlushers has each core flush lines, if the options ask for it.
func (s *simulation) addFlushers() {
	if s.options.Flush == 0 {
		return
	}
	lines := linesOf(s.job.Program)
	for i := range s.cores {
		s.flushers = append(s.flushers, agent.NewFlusher(s.queue, s.system.Port(i), lines, s.options.Flush, agentSeed(s.job.Seed, i)))
	}
}

// addPrefetchers has the cores prefetch lines, if the options ask for it.
func (s *simulation) addPrefetchers() {
	if s.options.Prefetch == 0 {
		return
	}
	lines := linesOf(s.job.Program)
	for i := range s.cores {
		system := s.system.(agent.PrefetchingSystem)
		s.prefetchers = append(s.prefetchers, agent.NewPrefetcher(s.queue, system, i, lines, s.options.Prefetch, agentSeed(s.job.Seed, i)))
	}
}

// linesOf lists the lines that a program accesses.
func linesOf(p *gen.Program) []memory.Addr {
	var lines []memory.Addr
	for l := range p.Locations {
		if line := addressOf(p, gen.LocID(l)).Line(); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

func addressOf(p *gen.Program, l gen.LocID) memory.Addr {
	return memory.Base + memory.Addr(p.Offset(l))
}

// addReader has lines read functionally, if the options ask for it.
func (s *simulation) addReader() {
	if s.options.Functional == 0 {
		return
	}
	p := s.job.Program
	s.functional = agent.NewReader(s.queue, s.system.(agent.ReadableSystem), linesOf(p), s.options.Functional, s.job.Seed)
	for t, ops := range p.Threads {
		if p.AgentOf(gen.ThreadID(t)).Kind != gen.AgentDMA {
			continue
		}
		for _, op := range ops {
			if op.Kind == gen.Store {
				s.functional.Ignore(addressOf(p, op.Loc))
			}
		}
	}
}

// observer is what threads call with their accesses; nil for nothing.
func (s *simulation) observer() func(core.Access) {
	observed, reader := s.options.Accesses, s.functional
	if reader == nil {
		return observed
	}
	return func(a core.Access) {
		if a.Kind.Writes() {
			reader.Wrote(addressOf(s.job.Program, a.Loc), uint64(a.Written))
		}
		if observed != nil {
			observed(a)
		}
	}
}

// agentSeed is that of an agent's random choices.
func agentSeed(seed uint64, number int) uint64 { return seed + uint64(number)*0x9e3779b97f4a7c15 }

func (s *simulation) agentDone() {
	if s.running--; s.running == 0 {
		s.queue.Halt()
	}
}

func (s *simulation) describe(w io.Writer) {
	for i := range s.sites {
		fmt.Fprintf(w, "%s: %s\n", s.sites[i].name, s.sites[i].agent.Describe())
	}
}

// checkAgents reports threads that the machine cannot run.
func (r *Runner) checkAgents(p *gen.Program) error {
	o := &r.options
	if !o.Core.Runs(p.ISA) {
		return fmt.Errorf("core %s runs no programs of instruction set %s: want core %s", o.Core, p.ISA, core.For(p.ISA))
	}
	if p.Exclusives() && r.protocol != nil && !r.protocol.Links() {
		return fmt.Errorf("protocol %s has no data cache for linked loads", o.Protocol)
	}
	if n := p.Cores(); o.Cores > 0 && n > o.Cores || n > MaxCores {
		return fmt.Errorf("%d threads on %d cores", n, min(max(o.Cores, 1), MaxCores))
	}
	devices := p.CountAgents(gen.AgentDMA)
	if devices > 0 && (r.protocol == nil || !r.protocol.Devices()) {
		return fmt.Errorf("thread of agent dma: protocol %s has no machine for devices", o.Protocol)
	}
	if o.Execution && len(p.Threads) > p.CountAgents(gen.AgentCore) {
		return fmt.Errorf("steps of agents other than cores are not recorded")
	}
	return nil
}

// storeOrderKnown reports whether the order of all stores is known: it is not
// that of the stores of devices, which take effect somewhere in the memory
// system before the device is notified.
func storeOrderKnown(p *gen.Program) bool {
	for t, ops := range p.Threads {
		if p.AgentOf(gen.ThreadID(t)).Kind != gen.AgentDMA {
			continue
		}
		for _, op := range ops {
			if op.Kind == gen.Store {
				return false
			}
		}
	}
	return true
}
