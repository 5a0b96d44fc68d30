package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// TestInterleaving runs eight cores on two directories and two banks, and on
// three directories, whose number is no power of two.
func TestInterleaving(t *testing.T) {
	machines := []Options{
		{Protocol: "mi", Hardware: ruby.Hardware{Directories: 4}},
		{Protocol: "mesi-two-level", Hardware: ruby.Hardware{Directories: 2, Banks: 2}},
		{Protocol: "mesi-two-level", Hardware: ruby.Hardware{Directories: 3, Banks: 4}},
		{Protocol: "mesi-two-level", Hardware: ruby.Hardware{Directories: 1, Banks: 2}},
		{Protocol: "moesi-hammer", Hardware: ruby.Hardware{Directories: 2}},
		{Protocol: "moesi-hammer", Hardware: ruby.Hardware{Directories: 3}},
		{Protocol: "moesi-amd-base", Hardware: ruby.Hardware{Directories: 2}},
		{SLICC: smallProtocol, Hardware: ruby.Hardware{Directories: 4}},
	}
	if tree := os.Getenv("ORDEAL_GEM5_TREE"); tree != "" {
		dir := filepath.Join(tree, "src/mem/ruby/protocol")
		machines = append(machines,
			Options{SLICC: filepath.Join(dir, "MESI_Two_Level.slicc"), Hardware: ruby.Hardware{Directories: 2, Banks: 2}},
			Options{SLICC: filepath.Join(dir, "MOESI_CMP_directory.slicc"), Hardware: ruby.Hardware{Directories: 2, Banks: 2}},
			Options{SLICC: filepath.Join(dir, "MOESI_hammer.slicc"), Hardware: ruby.Hardware{Directories: 2}})
	}
	for _, o := range machines {
		o.Core = core.OOO
		t.Run(fmt.Sprintf("%s %d %d", o.Protocol+filepath.Base(o.SLICC), o.Directories, o.Banks), func(t *testing.T) {
			taken := map[string]map[int]bool{"Directory": {}, "L2Cache": {}}
			homes := map[string]int{"Directory": o.Directories, "L2Cache": max(o.Banks, 1)}
			o.Trace = func(s ruby.Step) {
				n := homes[s.Machine]
				if n == 0 {
					return
				}
				taken[s.Machine][s.Number] = true
				if want := int(s.Line/gen.LineBytes) % n; s.Number != want {
					t.Fatalf("line %#x is at %s %d, want %d", int64(s.Line), s.Machine, s.Number, want)
				}
			}
			r := newRunner(t, o)
			for seed := range uint64(5) {
				ends(t, r, sim.Job{Program: randomProgram(t, seed, 8), Rounds: 3, Seed: seed}, sim.Passed, "")
			}
			if n := len(taken["Directory"]); n != o.Directories {
				t.Errorf("%d directories took part, want %d", n, o.Directories)
			}
			if n := len(taken["L2Cache"]); o.Banks > 0 && n != o.Banks {
				t.Errorf("%d banks took part, want %d", n, o.Banks)
			}
		})
	}
}

// TestSpareCores runs two threads on machines of up to 64 cores.
func TestSpareCores(t *testing.T) {
	for _, protocol := range Protocols() {
		seen := map[uint64]int{}
		for _, cores := range []int{0, 3, 64} {
			r := newRunner(t, Options{Protocol: protocol, Core: core.TSO, Cores: cores})
			report := ends(t, r, sim.Job{Program: randomProgram(t, 1, 2), Rounds: 3}, sim.Passed, "")
			seen[report.Statistics.Hash] = cores
		}
		if len(seen) < 2 {
			t.Errorf("%s: the number of cores makes no difference", protocol)
		}
	}
	r := newRunner(t, Options{Core: core.TSO, Cores: 3})
	if _, err := r.Simulate(t.Context(), sim.Job{Program: randomProgram(t, 1, 4), Rounds: 1}); err == nil {
		t.Error("four threads run on three cores")
	}
}

// TestSizesMatter changes one size at a time.
func TestSizesMatter(t *testing.T) {
	p := randomProgram(t, 1, 4)
	seen := map[uint64]string{}
	for name, change := range map[string]func(*Options){
		"default":     func(*Options) {},
		"private":     func(o *Options) { o.Private = cache.Geometry{Sets: 1, Ways: 1} },
		"shared":      func(o *Options) { o.Shared = cache.Geometry{Sets: 1, Ways: 2} },
		"directories": func(o *Options) { o.Directories = 2 },
		"banks":       func(o *Options) { o.Banks = 2 },
		"tbes":        func(o *Options) { o.TBEs = 1 },
		"memory":      func(o *Options) { o.Memory = event.Latency{Base: 100} },
	} {
		o := Options{Protocol: "mesi-two-level", Core: core.OOO}
		change(&o)
		report := ends(t, newRunner(t, o), sim.Job{Program: p, Rounds: 3}, sim.Passed, "")
		if other, ok := seen[report.Statistics.Hash]; ok {
			t.Errorf("%s and %s run alike", name, other)
		}
		seen[report.Statistics.Hash] = name
	}
}

// stallingMI is MI with forwards that block those behind them while they wait,
// as they do in gem5.
func stallingMI(t *testing.T) *ruby.Protocol {
	t.Helper()
	tree, err := protocols.Load("mi")
	if err != nil {
		t.Fatal(err)
	}
	const waits = "zf_waitForData"
	found := false
	for _, d := range machineDecls(tree) {
		switch d := d.(type) {
		case *syntax.Action:
			if d.Name.Name == waits {
				d.Name.Name = types.StallAction
			}
		case *syntax.Transition:
			for i := range d.Actions {
				if d.Actions[i].Name == waits {
					d.Actions[i].Name, found = types.StallAction, true
				}
			}
		}
	}
	if !found {
		t.Fatalf("no transition has the action %s", waits)
	}
	p, err := ruby.Compile(tree)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// machineDecls lists what is in the machines of a protocol.
func machineDecls(f *syntax.File) []syntax.Decl {
	var list []syntax.Decl
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *syntax.Include:
			list = append(list, machineDecls(d.File)...)
		case *syntax.Machine:
			list = append(list, d.Body...)
		}
	}
	return list
}

func TestBadSizes(t *testing.T) {
	for _, c := range []struct {
		want    string
		options Options
	}{
		{"65 cores", Options{Cores: 65}},
		{"-1 cores", Options{Cores: -1}},
		{"65 directories", Options{Protocol: "moesi-hammer", Hardware: ruby.Hardware{Directories: 65}}},
		{"-1 directories", Options{Protocol: "moesi-hammer", Hardware: ruby.Hardware{Directories: -1}}},
		{"3 banks: want a power of two", Options{Protocol: "mesi-two-level", Hardware: ruby.Hardware{Banks: 3}}},
		{"MOESI_hammer with 2 banks: it has no", Options{Protocol: "moesi-hammer", Hardware: ruby.Hardware{Banks: 2}}},
		{"want a coherence protocol", Options{Protocol: Ideal, Hardware: ruby.Hardware{TBEs: 5}}},
		{"cache of 3 sets", Options{Protocol: "mi", Hardware: ruby.Hardware{Private: cache.Geometry{Sets: 3, Ways: 1}}}},
		{"room for -1", Options{Protocol: "mi", Hardware: ruby.Hardware{TBEs: -1}}},
	} {
		c.options.Core = core.TSO
		if _, err := New(c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestStockProtocols compiles every protocol of a gem5 tree: two are refused
// and all others run.
func TestStockProtocols(t *testing.T) {
	tree := os.Getenv("ORDEAL_GEM5_TREE")
	if tree == "" {
		t.Skip("ORDEAL_GEM5_TREE names no gem5 tree")
	}
	refused := map[string]string{
		"GPU_VIPER.slicc":         "3 machines with a Sequencer", // caches of a GPU
		"Garnet_standalone.slicc": "0 with a DirectoryMemory or memory",
	}
	paths := []string{filepath.Join(tree, "src/learning_gem5/part3/MSI.slicc")}
	for _, pattern := range []string{"*.slicc", "chi/*.slicc"} {
		list, err := filepath.Glob(filepath.Join(tree, "src/mem/ruby/protocol", pattern))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, list...)
	}
	runs := 0
	for _, path := range paths {
		name := filepath.Base(path)
		_, err := New(Options{SLICC: path, Core: core.OOO})
		switch why := refused[name]; {
		case name == "RubySlicc_interfaces.slicc":
		case why == "" && err == nil:
			runs++
		case why == "" || err == nil || !strings.Contains(err.Error(), why):
			t.Errorf("%s: error %v, want %q", name, err, why)
		}
	}
	if runs != 10 {
		t.Errorf("%d protocols run, want 10", runs)
	}
}

// TestStalledForwards has MI with forwards that block those of other directories
// behind them, as gem5's own: with two directories and jitter it deadlocks, and at
// constant latencies it does not.
func TestStalledForwards(t *testing.T) {
	o := Options{Protocol: "mi", Compiled: stallingMI(t), Hardware: ruby.Hardware{Directories: 2}, Core: core.InOrder, RMW: core.OneAccess}
	constant := o
	constant.Latency, constant.Memory, constant.Order = faithfulNetwork, faithfulMemory, event.LIFO
	deadlocks := 0
	for seed := range uint64(10) {
		job := sim.Job{Program: randomProgram(t, seed, 4), Rounds: 5, Seed: seed}
		report, err := newRunner(t, o).Simulate(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		if report.Outcome == sim.Deadlock {
			deadlocks++
		}
		ends(t, newRunner(t, constant), job, sim.Passed, "")
	}
	if deadlocks == 0 {
		t.Error("no run deadlocks")
	}
}
