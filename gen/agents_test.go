package gen

import (
	"math/rand/v2"
	"strings"
	"testing"
)

const agentsText = `ordeal-program 1
layout pairs
locations x y
thread 0
store x 1
thread 1 dma
store x 2
store y 3
delay 4
load y
thread 2 fetch 3
load y
load y
`

func TestAgents(t *testing.T) {
	p, err := Parse("agents", []byte(agentsText))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.String(); got != agentsText {
		t.Errorf("text changed to\n%s", got)
	}
	// The fetcher needs core 3, though one thread only runs on a core.
	if p.Cores() != 4 || p.CountAgents(AgentDMA) != 1 || p.CoresOnly() == nil {
		t.Errorf("%d cores, %d devices, cores only: %v", p.Cores(), p.CountAgents(AgentDMA), p.CoresOnly())
	}
}

func TestAgentFaults(t *testing.T) {
	for _, f := range []struct{ old, new, want string }{
		{"thread 1 dma", "thread 1 dmas", `agents:6: agent of a thread: want "dma"`},
		{"thread 2 fetch 3", "thread 2 fetch", `agents:11: agent of a thread`},
		{"thread 2 fetch 3", "thread 2 fetch 03", `agents:11: agent of a thread`},
		{"thread 2 fetch 3", "thread 2 fetch 64", `agents:12: agent 2 of core 64`},
		{"load y\nload y", "load y\nload x", `agents:13: load x: an agent fetch loads one location`},
		{"load y\nload y", "load y\nstore y 9", `agents:13: store y 9: an agent fetch can only load`},
		{"delay 4", "fence", `agents:9: fence: an agent dma can only load, store and delay`},
		{"delay 4", "add x 1", `agents:9: add x 1: an agent dma can only`},
	} {
		text := strings.Replace(agentsText, f.old, f.new, 1)
		if _, err := Parse("agents", []byte(text)); err == nil || !strings.Contains(err.Error(), f.want) {
			t.Errorf("%q for %q: %v, want %q", f.new, f.old, err, f.want)
		}
	}
	p := Program{Layout: Spread, Locations: []string{"x"}, Threads: make([][]Op, 1), Agents: make([]Agent, 2)}
	if p.Validate() == nil {
		t.Error("more agents than threads are accepted")
	}
}

// TestRandomAgents looks at what options ask for: as many threads of each agent,
// each as long as the others, and transfers of whole lines only where no parts
// are asked for.
func TestRandomAgents(t *testing.T) {
	o := Defaults()
	o.Threads, o.Ops, o.Locations, o.Layout, o.DMA, o.Fetch, o.DMAParts = 2, 60, 7, Pairs, 2, 3, 0
	plain := o
	plain.DMA, plain.Fetch = 0, 0
	for seed := range uint64(20) {
		p, err := Random(rand.New(rand.NewPCG(seed, 0)), o)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Parse("random", p.Text()); err != nil || again.String() != p.String() {
			t.Fatalf("seed %d: the text is read as another program: %v", seed, err)
		}
		if p.CountAgents(AgentCore) != 2 || p.CountAgents(AgentDMA) != 2 || p.CountAgents(AgentFetch) != 3 {
			t.Fatalf("seed %d: agents %v", seed, p.Agents)
		}
		for i := range 3 {
			if a := p.AgentOf(ThreadID(4 + i)); a.Core != i%2 {
				t.Errorf("seed %d: fetcher %d is of core %d", seed, i, a.Core)
			}
		}
		for at, ops := range p.Threads {
			if len(ops) != o.Ops {
				t.Errorf("seed %d: thread %d has %d operations", seed, at, len(ops))
			}
		}
		for i, op := range p.Threads[2] {
			// The locations of a pair are 2k and 2k+1; that of number 6 is alone.
			if op.Kind == Store && op.Loc%2 == 0 && op.Loc < 6 && (p.Threads[2][i+1].Kind != Store || p.Threads[2][i+1].Loc != op.Loc+1) {
				t.Fatalf("seed %d: operation %d stores a part of a line", seed, i)
			}
		}
		// The threads of cores are those of the same options without agents.
		same, err := Random(rand.New(rand.NewPCG(seed, 0)), plain)
		if err != nil || !strings.HasPrefix(p.String(), same.String()) {
			t.Errorf("seed %d: other agents change the threads of cores: %v", seed, err)
		}
	}
}
