package builtin

import (
	"testing"

	"ordeal/sim/builtin/core"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/mutate"
)

// BenchmarkMutant measures the processor time from a mutant of a catalogue to a
// runner: the edit of a copy of the tree, the check and the compilation.
func BenchmarkMutant(b *testing.B) {
	for _, name := range protocols.Names() {
		b.Run(name, func(b *testing.B) {
			tree, err := protocols.Load(name)
			if err != nil {
				b.Fatal(err)
			}
			catalogue, err := mutate.NewCatalogue(tree)
			if err != nil {
				b.Fatal(err)
			}
			list := catalogue.Mutants()
			b.ReportAllocs()
			n, start := 0, userTime(b)
			for b.Loop() {
				m := list[n*7919%len(list)]
				n++
				compiled, err := ruby.Compile(catalogue.Tree(m))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := New(Options{Compiled: compiled, Protocol: m.ID, Core: core.OOO}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((userTime(b)-start).Microseconds())/float64(n)/1000, "cpu-ms/mutant")
		})
	}
}
