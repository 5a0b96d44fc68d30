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
			t.Fatalf("%s: %s: %s", f.Property, f.Title, f.Detail)
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
