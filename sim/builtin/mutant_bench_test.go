package builtin

import (
	"testing"

	"ordeal/sim/builtin/core"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
)

// BenchmarkMutant measures the processor time from the request of a mutant,
// its protocol being read, to a runner that is ready: the edit of a copy of
// the tree, the check and the compilation.
func BenchmarkMutant(b *testing.B) {
	for _, name := range protocols.Names() {
		b.Run(name, func(b *testing.B) {
			tree, err := protocols.Load(name)
			if err != nil {
				b.Fatal(err)
			}
			p, err := mutate.New(tree)
			if err != nil {
				b.Fatal(err)
			}
			list := p.List()
			b.ReportAllocs()
			n, start := 0, userTime(b)
			for b.Loop() {
				m := list[n*7919%len(list)]
				n++
				if _, err := New(Options{Tree: p.Apply(m), Protocol: m.ID, Core: core.OOO}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((userTime(b)-start).Microseconds())/float64(n)/1000, "cpu-ms/mutant")
		})
	}
}
