package explore

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"ordeal/gen"
	"ordeal/gen/shapes"
	"ordeal/gen/wire"
	"ordeal/sim/builtin/core"
	"ordeal/sim/explore/machine"
	"ordeal/sim/ruby"
)

// outcomes are the logs of all ends of a program, sorted.
func outcomes(t testing.TB, c Config) [][]byte {
	t.Helper()
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	var e machine.Expansion
	queue := []machine.State{m.Initial()}
	seen := map[machine.Fingerprint]bool{m.Fingerprint(m.Initial()): true}
	logs := map[string]bool{}
	for i := 0; i < len(queue); i++ {
		m.Expand(queue[i], &e)
		for _, f := range e.Faults {
			t.Fatalf("%s: %s: %s", f.Property, f.Title(), f.Detail)
		}
		if e.Done {
			logs[string(m.Outcome(queue[i]))] = true
		}
		for n, print := range e.Prints {
			if !seen[print] {
				seen[print] = true
				queue = append(queue, slices.Clone(machine.State(e.States[n*m.Width():(n+1)*m.Width()])))
			}
		}
	}
	var list [][]byte
	for log := range logs {
		list = append(list, []byte(log))
	}
	slices.SortFunc(list, bytes.Compare)
	return list
}

// programOf is the program of a shape, and the log of the outcome that closes
// its cycle with a value of memory for each location; 0 where any will do.
func programOf(s shapes.Shape) *gen.Program {
	p := &gen.Program{Layout: gen.Spread}
	for l := range s.Locations {
		p.Locations = append(p.Locations, string(rune('x'+l)))
	}
	kinds := map[shapes.Kind]gen.OpKind{shapes.Load: gen.Load, shapes.Store: gen.Store, shapes.Exchange: gen.Exchange, shapes.Fence: gen.FullFence}
	for _, ops := range s.Threads {
		var list []gen.Op
		for _, op := range ops {
			list = append(list, gen.Op{Kind: kinds[op.Kind], Loc: gen.LocID(op.Loc), Value: gen.Value(op.Write)})
		}
		p.Threads = append(p.Threads, list)
	}
	return p
}

// closes reports whether a log is the outcome that closes a shape's cycle.
func closes(t *testing.T, s shapes.Shape, log []byte) bool {
	t.Helper()
	thread := 0
	for len(log) > 0 {
		f, err := wire.Next(log)
		if err != nil {
			t.Fatal(err)
		}
		log = log[f.Size():]
		words := wire.Words(f.Payload)
		var want []int
		if thread < len(s.Threads) {
			for _, op := range s.Threads[thread] {
				if op.Kind == shapes.Load || op.Kind == shapes.Exchange {
					want = append(want, op.Read)
				}
			}
		} else {
			want = s.Final
		}
		for i, w := range want {
			if int(words.At(i)) != w && (thread < len(s.Threads) || w != 0) {
				return false
			}
		}
		thread++
	}
	return true
}

// TestShapes requires each shape's outcome exactly where the model of the cores
// allows it, on a protocol that is correct: the cores are complete.
func TestShapes(t *testing.T) {
	models := map[core.Kind]shapes.Models{core.InOrder: shapes.SC, core.TSO: shapes.TSO, core.OOO: shapes.TSO, core.PSO: shapes.PSO}
	p := compiled(t, "mi")
	for _, s := range shapes.Base() {
		if len(s.Threads) > 2 {
			continue
		}
		for kind, model := range models {
			t.Run(fmt.Sprintf("%s/%s", s.Name, kind), func(t *testing.T) {
				c := tiny(p, len(s.Threads), 1)
				c.System.Private.Ways = 2
				c.Program, c.Core = programOf(s), kind
				logs := outcomes(t, c)
				found := slices.ContainsFunc(logs, func(log []byte) bool { return closes(t, s, log) })
				if allowed := s.Allowed&model != 0; found != allowed {
					t.Errorf("the outcome is found: %v, and allowed: %v; %d outcomes", found, allowed, len(logs))
				}
			})
		}
	}
}

// TestDeviceProgram runs threads on a device, whose transfers take effect in their
// order: a load beside a core that buffers stores is the only way to close a cycle. A
// controller that loses what is written closes others.
func TestDeviceProgram(t *testing.T) {
	const merge = "line.copyPartial(tbe.DataBlk, tbe.First, tbe.Len);"
	whole := edited(t, "MI_example-dma.sm")
	for _, c := range []struct {
		shape    string
		device   int // the thread that it runs
		kind     core.Kind
		found    bool
		protocol *ruby.Protocol
	}{
		{"SB", 0, core.InOrder, false, whole}, {"SB", 0, core.TSO, true, whole}, {"SB", 1, core.OOO, true, whole},
		{"MP", 0, core.OOO, false, whole}, {"MP", 1, core.TSO, false, whole}, {"MP", 1, core.PSO, true, whole},
		{"LB", 0, core.OOO, false, whole}, {"S", 1, core.TSO, false, whole},
		{"S", 1, core.TSO, true, edited(t, "MI_example-dma.sm", merge, "")},
	} {
		s, _ := shapes.ByName(c.shape)
		config := tiny(c.protocol, 1, 1)
		config.Program, config.Core = programOf(s), c.kind
		config.Program.Agents = make([]gen.Agent, 2)
		config.Program.Agents[c.device].Kind = gen.AgentDMA
		logs := outcomes(t, config)
		if found := slices.ContainsFunc(logs, func(log []byte) bool { return closes(t, s, log) }); found != c.found || len(logs) < 2 {
			t.Errorf("%s with thread %d on a device, %s: the outcome is found: %v, want %v; %d outcomes", c.shape, c.device, c.kind, found, c.found, len(logs))
		}
	}
}

// TestIdleDevice has a device read while cores run a program: that makes more states, and
// no other outcome.
func TestIdleDevice(t *testing.T) {
	s, _ := shapes.ByName("MP")
	c := tiny(compiled(t, "mi"), 2, 1)
	c.Program, c.Core = programOf(s), core.TSO
	alone := outcomes(t, c)
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	c.System.Devices = 1
	beside := outcomes(t, c)
	with, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(alone, beside, bytes.Equal) || with.Width() <= m.Width() {
		t.Errorf("%d outcomes, want %d", len(beside), len(alone))
	}
	var e machine.Expansion
	with.Expand(with.Initial(), &e)
	steps := 0
	for _, ordinal := range e.Ordinals {
		if with.Step(with.Initial(), int(ordinal)).String() == "device 0 loads line 1" {
			steps++
		}
	}
	if steps != 1 {
		t.Errorf("%d steps of the device with line 1, want 1", steps)
	}
}
