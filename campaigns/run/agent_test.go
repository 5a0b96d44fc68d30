package run

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/parse"
	"ordeal/sim/gem5/agent"
)

// TestAgentModels runs the cores, devices and fetches of the tester inside of gem5 on a toy
// memory that takes lines from them, and demands what each kind of core promises. Without the
// squashes of loads that lost their lines it is not kept.
func TestAgentModels(t *testing.T) {
	compiler, err := exec.LookPath("c++")
	if err != nil {
		t.Skip("no C++ compiler (c++): the tester's models are not tested")
	}
	build := func(defines string) string {
		binary := filepath.Join(t.TempDir(), "toy")
		out, err := exec.Command(compiler, "-std=c++17", "-O1", defines, "-I", "../../scripts/gem5/extras", "../../sim/gem5/agent/testdata/toy.cc", "-o", binary).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return binary
	}
	good, bad := build("-DNONE"), build("-DNEVER_LOSE")
	squashed, broken := false, false
	for seed := range uint64(45) {
		o := gen.Defaults()
		o.Threads, o.Ops, o.Locations, o.Mix.Exchange, o.Mix.Add = 3, 60, 4, 6, 6
		if seed%5 == 4 {
			o.DMA, o.Fetch, o.Layout = 1, 2, gen.Pairs
		}
		p, err := gen.Random(rand.New(rand.NewPCG(seed, 1)), o)
		if err != nil {
			t.Fatal(err)
		}
		options := agent.Options{Model: agent.Models()[seed%3], RMW: []string{"access", "locked", "llsc"}[seed/3%3], Stagger: int(seed % 2 * 30)}
		m := model.SC
		if options.Model != "inorder" {
			m = model.TSO
		}
		for _, binary := range []string{good, bad} {
			image, log := onToy(t, binary, p, 4, seed, options)
			h, err := parse.Native(p, 4, log)
			if err != nil {
				t.Fatal(err)
			}
			v, err := check.Check(context.Background(), h, m, check.Options{})
			if err != nil {
				t.Fatal(err)
			}
			squashed = squashed || image.Counts()[0] != '0'
			switch {
			case binary == good && v.Answer != check.Allowed:
				t.Errorf("seed %d, %s, %s: %s is %v", seed, options.Model, options.RMW, m.Name, v.Answer)
			case binary == bad && options.Model == "ooo" && v.Answer == check.Forbidden:
				broken = true
			case binary == bad && options.Model != "ooo" && v.Answer != check.Allowed:
				t.Errorf("seed %d, %s: needs notices of lost lines", seed, options.Model)
			}
		}
	}
	if !squashed || !broken {
		t.Errorf("loads were squashed: %v; without notices of lost lines a history was forbidden: %v", squashed, broken)
	}
}

// onToy runs a program on the toy memory.
func onToy(t *testing.T, binary string, p *gen.Program, rounds int, seed uint64, o agent.Options) (*agent.Image, []byte) {
	t.Helper()
	m, err := agent.New([]*gen.Program{p}, rounds, seed, o, "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(path, m.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(binary, "run", path, strconv.FormatUint(seed, 10)).CombinedOutput(); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, out)
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = m.Read(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	logs, whole := m.Logs()
	if !whole[0] {
		t.Fatalf("seed %d: the log is not whole", seed)
	}
	return m, logs[0]
}
