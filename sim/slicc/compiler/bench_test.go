package compiler

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"ordeal/sim/slicc/syntax"
)

// benchmarks names the protocols to measure: the sampler, and those of a gem5
// tree when one is given.
func benchmarks(b *testing.B, run func(b *testing.B, fsys fs.FS, root string)) {
	b.Run("sampler", func(b *testing.B) { run(b, os.DirFS("../testdata/sampler"), "sampler.slicc") })
	tree := os.Getenv(treeVariable)
	if tree == "" {
		return
	}
	fsys := os.DirFS(filepath.Join(tree, "src/mem/ruby/protocol"))
	for _, name := range []string{"MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"} {
		b.Run(name, func(b *testing.B) { run(b, fsys, name+".slicc") })
	}
}

// size is the number of bytes of a protocol's files.
func size(b *testing.B, fsys fs.FS, file *syntax.File) int64 {
	info, err := fs.Stat(fsys, file.Name)
	if err != nil {
		b.Fatal(err)
	}
	n := info.Size()
	for d := range file.Includes() {
		n += size(b, fsys, d.File)
	}
	return n
}

// Reading the files of a protocol.
func BenchmarkParse(b *testing.B) {
	benchmarks(b, func(b *testing.B, fsys fs.FS, root string) {
		file, err := syntax.Load(fsys, root)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(size(b, fsys, file))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := syntax.Load(fsys, root); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Checking a protocol that is read, which a changed protocol needs anew.
func BenchmarkCheck(b *testing.B) {
	benchmarks(b, func(b *testing.B, fsys fs.FS, root string) {
		file, err := syntax.Load(fsys, root)
		if err != nil {
			b.Fatal(err)
		}
		rows := 0
		b.ReportAllocs()
		for b.Loop() {
			p, err := Check(file)
			if err != nil {
				b.Fatal(err)
			}
			rows = 0
			for _, m := range p.Machines {
				rows += len(m.Transitions)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/transition")
	})
}
