package gen

import (
	"fmt"
	"slices"
	"strconv"
)

// Agent says what runs a thread. The zero value is a core of the thread's own.
// Cores are numbered from 0 in the order of their threads.
type Agent struct {
	Kind AgentKind
	// Core is the number of the core that a fetcher belongs to; 0 otherwise.
	Core int
}

// AgentKind is a kind of agent. Only the embedded simulator, and gem5 with the tester in
// it, have others than cores.
type AgentKind uint8

// The kinds of agent.
const (
	AgentCore AgentKind = iota
	// AgentDMA is a device that loads and stores, one transfer at a time:
	// consecutive loads, or stores, of locations of one line in the order of
	// their addresses are one transfer, at one instant.
	AgentDMA
	// AgentFetch is the instruction fetch of a core: loads of one location, one
	// at a time. Fetches of different locations are not ordered, and so are
	// threads of their own.
	AgentFetch
)

// The words of agents in the text form.
const (
	wordDMA   = "dma"
	wordFetch = "fetch"
)

// String is the agent as the text form has it after the number of its thread;
// empty for a core.
func (a Agent) String() string {
	switch a.Kind {
	case AgentDMA:
		return wordDMA
	case AgentFetch:
		return wordFetch + " " + strconv.Itoa(a.Core)
	}
	return ""
}

// AgentOf is what runs thread t.
func (p *Program) AgentOf(t ThreadID) Agent {
	if int(t) >= len(p.Agents) {
		return Agent{}
	}
	return p.Agents[t]
}

// CountAgents counts the threads that agents of a kind run.
func (p *Program) CountAgents(k AgentKind) int {
	n := 0
	for t := range p.Threads {
		if p.AgentOf(ThreadID(t)).Kind == k {
			n++
		}
	}
	return n
}

// Cores is the number of cores that the program needs: one for each thread that
// a core runs, and those that its fetchers name.
func (p *Program) Cores() int {
	n := p.CountAgents(AgentCore)
	for _, a := range p.Agents {
		if a.Kind == AgentFetch {
			n = max(n, a.Core+1)
		}
	}
	return n
}

// CoresOnly reports a thread that no core runs: a fault for everything that has
// only cores.
func (p *Program) CoresOnly() error {
	for t, a := range p.Agents {
		if a.Kind != AgentCore {
			return fmt.Errorf("thread %d is of agent %q: only the embedded simulator and gem5 with the tester (--agent) have agents other than cores", t, a)
		}
	}
	return nil
}

func parseAgent(words [][]byte) (Agent, error) {
	switch {
	case len(words) == 0:
		return Agent{}, nil
	case len(words) == 1 && string(words[0]) == wordDMA:
		return Agent{Kind: AgentDMA}, nil
	case len(words) == 2 && string(words[0]) == wordFetch:
		if core, err := strconv.Atoi(string(words[1])); err == nil && strconv.Itoa(core) == string(words[1]) {
			return Agent{Kind: AgentFetch, Core: core}, nil
		}
	}
	return Agent{}, fmt.Errorf("agent of a thread: want %q, or %q and the number of a core", wordDMA, wordFetch)
}

// checkAgents reports agents that are not as Program says, and operations that
// an agent cannot perform, the first of each thread.
func (p *Program) checkAgents(report func(t ThreadID, i int, err error)) {
	if len(p.Agents) > len(p.Threads) {
		report(0, 0, fmt.Errorf("agents of %d threads, there are %d", len(p.Agents), len(p.Threads)))
		return
	}
	for t, a := range p.Agents {
		if a.Kind > AgentFetch || a.Core < 0 || a.Core >= MaxThreads || a.Kind != AgentFetch && a.Core != 0 {
			report(ThreadID(t), 0, fmt.Errorf("agent %d of core %d: want one of the kinds of agent, and a core from 0 to %d for a fetcher",
				a.Kind, a.Core, MaxThreads-1))
			continue
		}
		first := slices.IndexFunc(p.Threads[t], func(op Op) bool { return op.Kind != Delay })
		for i, op := range p.Threads[t] {
			if err := p.checkAgentOp(a, op, p.Threads[t][max(first, 0)]); err != nil {
				report(ThreadID(t), i, err)
				break
			}
		}
	}
}

// checkAgentOp checks an operation of an agent's thread, whose first operation
// other than a delay is given as well.
func (p *Program) checkAgentOp(a Agent, op, first Op) error {
	switch {
	case op.Kind == Delay || a.Kind == AgentCore || op.Kind == Load && a.Kind == AgentDMA || op.Kind == Store && a.Kind == AgentDMA:
		return nil
	case a.Kind == AgentDMA:
		return fmt.Errorf("%s: an agent %s can only load, store and delay", p.OpText(op), a)
	case op.Kind != Load:
		return fmt.Errorf("%s: an agent %s can only load and delay", p.OpText(op), wordFetch)
	case op.Loc != first.Loc:
		return fmt.Errorf("%s: an agent %s loads one location, and loaded another before", p.OpText(op), wordFetch)
	}
	return nil
}

// addAgents adds the threads of devices and of fetchers that the options ask
// for, as long as those of cores.
func (p *Program) addAgents(code *randomCode) {
	o, cores := &code.o, len(p.Threads)
	for range o.DMA {
		p.addThread(Agent{Kind: AgentDMA}, code.transfers(p))
	}
	for i := range o.Fetch {
		loc := code.anyLocation()
		var ops []Op
		for len(ops) < o.Ops {
			if o.Delays > 0 && code.rng.Float64() < o.Delays {
				ops = append(ops, randomDelay(code.rng, *o))
			} else {
				ops = append(ops, Op{Kind: Load, Loc: loc})
			}
		}
		p.addThread(Agent{Kind: AgentFetch, Core: i % cores}, ops)
	}
}

func (p *Program) addThread(a Agent, ops []Op) {
	for len(p.Agents) < len(p.Threads) {
		p.Agents = append(p.Agents, Agent{})
	}
	p.Agents, p.Threads = append(p.Agents, a), append(p.Threads, ops)
}

// transfers is the code of a device: loads and stores by their weights, each of
// a location or of all locations of its line. Where those of a line no longer
// fit, it loads one location.
func (c *randomCode) transfers(p *Program) []Op {
	lines := p.lines()
	var ops []Op
	for len(ops) < c.o.Ops {
		if c.o.Delays > 0 && c.rng.Float64() < c.o.Delays {
			ops = append(ops, randomDelay(c.rng, c.o))
			continue
		}
		op := Op{Kind: Load, Loc: c.location(len(ops))}
		if c.rng.IntN(max(c.o.Mix.Load+c.o.Mix.Store, 1)) >= c.o.Mix.Load {
			op.Kind = Store
		}
		if c.rng.Float64() < c.o.DMAParts {
			ops = append(ops, op)
			continue
		}
		line := lines[p.Offset(op.Loc)/LineBytes]
		if len(line) > c.o.Ops-len(ops) {
			ops = append(ops, Op{Kind: Load, Loc: op.Loc})
			continue
		}
		for _, op.Loc = range line {
			ops = append(ops, op)
		}
	}
	return ops
}

// lines lists the locations of each line in the order of their addresses.
func (p *Program) lines() map[int64][]LocID {
	lines := make(map[int64][]LocID)
	for l := range p.Locations {
		line := p.Offset(LocID(l)) / LineBytes
		lines[line] = append(lines[line], LocID(l))
	}
	return lines
}
