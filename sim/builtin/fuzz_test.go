package builtin

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/syntax"
)

// FuzzProtocol replaces a piece of the text of one of our protocols: it is
// refused with an error, or a run of it ends in an outcome of the protocol;
// the step budget cuts its loops.
func FuzzProtocol(f *testing.F) {
	files := fstest.MapFS{}
	var names []string
	err := fs.WalkDir(protocols.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(protocols.Files(), name)
		files[name] = &fstest.MapFile{Data: data}
		names = append(names, name)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	for i := range names {
		f.Add(uint8(i), uint16(3000), uint16(40), "")
		f.Add(uint8(i), uint16(5000), uint16(1), "1")
	}
	f.Add(uint8(0), uint16(0), uint16(0), "int loop(int x) { return loop(x); }")
	var programs []*gen.Program
	for _, text := range []string{oneStore, "ordeal-program 1\nlayout packed\nlocations x y\nthread 0\nstore x 1\nload y\nthread 1\nstore y 2\nload x\n"} {
		p, err := gen.Parse("p", []byte(text))
		if err != nil {
			f.Fatal(err)
		}
		programs = append(programs, p)
	}
	f.Fuzz(func(t *testing.T, file uint8, at, length uint16, text string) {
		name := names[int(file)%len(names)]
		data := files[name].Data
		from := int(at) % (len(data) + 1)
		to := min(from+int(length), len(data))
		edited := fstest.MapFS{}
		for n, file := range files {
			edited[n] = file
		}
		edited[name] = &fstest.MapFile{Data: append(append(append([]byte(nil), data[:from]...), text...), data[to:]...)}
		for _, protocol := range protocols.Names() {
			root, err := protocols.Root(protocol)
			if err != nil {
				t.Fatal(err)
			}
			if own := strings.HasPrefix(name, strings.TrimSuffix(root, ".slicc")); !own && (name != "native.sm" || protocol != "mi") {
				continue
			}
			tree, err := syntax.Load(edited, root)
			if err != nil {
				continue
			}
			compiled, err := ruby.Compile(tree)
			if err != nil {
				continue
			}
			r, err := New(Options{Compiled: compiled, Core: core.OOO, Budget: 3_000, Watchdog: 5_000})
			if err != nil {
				continue
			}
			for seed, p := range programs {
				report, err := r.Simulate(t.Context(), sim.Job{Program: p, Rounds: 3, Seed: uint64(seed)})
				if err != nil {
					t.Fatal(err)
				}
				if report.Outcome == sim.Infra {
					t.Fatalf("%s: %s\n%s", protocol, report.Title, report.Detail)
				}
			}
		}
	})
}
