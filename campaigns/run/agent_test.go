package run

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/parse"
	"ordeal/sim/gem5/agent"
)

// toyGem5 compiles the tester with a toy of gem5: the source that users compile with gem5.
func toyGem5(t *testing.T) string {
	t.Helper()
	compiler, err := exec.LookPath("c++")
	if err != nil {
		t.Skip("no C++ compiler (c++): the tester inside of gem5 is not tested")
	}
	dir := t.TempDir()
	for _, header := range []string{
		"mem/packet", "mem/port", "mem/request", "params/OrdealAgent", "params/OrdealRun", "sim/clocked_object", "sim/eventq",
		"sim/system", "sim/sim_exit", "sim/sim_object", "base/amo", "base/logging", "base/cprintf",
	} {
		file := filepath.Join(dir, header+".hh")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#include \"gem5.hh\"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const source = "../../sim/gem5/agent/testdata"
	binary := filepath.Join(dir, "ruby")
	out, err := exec.Command(compiler, "-std=c++17", "-O0", "-I", dir, "-I", source, "-I", "../../scripts/gem5/extras", source+"/ruby.cc", "-o", binary).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// toyRun is a batch of one program or more on the toy of gem5.
type toyRun struct {
	programs []*gen.Program
	rounds   int
	seed     uint64
	options  agent.Options

	image *agent.Image
	out   string
}

func (r *toyRun) run(t *testing.T, binary string, words ...string) (logs [][]byte) {
	t.Helper()
	m, err := agent.New(r.programs, r.rounds, r.seed, r.options, "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(path, m.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	cores, devices := m.Size()
	args := append([]string{path, fmt.Sprint(r.seed), fmt.Sprint(cores), fmt.Sprint(devices)}, words...)
	out, err := exec.Command(binary, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", r.seed, err, out)
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = m.Read(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	list, whole := m.Logs()
	for k := range list {
		if whole[k] {
			logs = append(logs, list[k])
		}
	}
	r.image, r.out = m, string(out)
	return logs
}

func randomAgents(t *testing.T, seed uint64, agents bool) *gen.Program {
	t.Helper()
	o := gen.Defaults()
	o.Threads, o.Ops, o.Locations, o.Mix.Exchange, o.Mix.Add = 3, 40, 4, 6, 6
	if agents {
		o.DMA, o.Fetch, o.Layout = 1, 4, gen.Pairs
	}
	p, err := gen.Random(rand.New(rand.NewPCG(seed, 1)), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAgents compiles the tester once.
func TestAgents(t *testing.T) {
	binary := toyGem5(t)
	t.Run("models", func(t *testing.T) { testAgentsKeepModels(t, binary) })
	t.Run("known answers", func(t *testing.T) { testAgentsKnownAnswers(t, binary) })
}

// testAgentsKeepModels runs the tester on the toy of gem5, and demands what each kind of core
// promises, with devices, fetches, flushes, prefetches and functional reads. Without the notices
// of lost lines ooo cores do not keep it, and others do.
func testAgentsKeepModels(t *testing.T, binary string) {
	squashed, broken := false, false
	for seed := range uint64(18) {
		r := toyRun{rounds: 4, seed: seed, programs: []*gen.Program{randomAgents(t, seed, seed%5 == 4), randomAgents(t, seed+100, seed%5 == 4)}}
		r.options = agent.Options{Model: agent.Models()[seed%3], RMW: []string{"access", "locked", "llsc"}[seed/3%3], Stagger: int(seed % 2 * 30)}
		if seed%4 > 1 {
			r.options.Flush, r.options.Prefetch, r.options.Functional = 50, 40, 30
		}
		m := model.SC
		if r.options.Model != "inorder" {
			m = model.TSO
		}
		for _, words := range [][]string{nil, {"never-lose"}} {
			logs := r.run(t, binary, words...)
			if len(logs) != len(r.programs) || !strings.HasPrefix(r.out, "ordeal: done\n") {
				t.Fatalf("seed %d, %+v: %d of %d logs: %s; %s", seed, r.options, len(logs), len(r.programs), r.out, r.image.Counts())
			}
			if r.options.Prefetch == 0 && !strings.Contains(r.out, " 0 packets") {
				t.Errorf("seed %d: packets are left: %s", seed, r.out)
			}
			squashed = squashed || r.image.Counts()[0] != '0'
			for k, log := range logs {
				h, err := parse.Native(r.programs[k], r.rounds, log)
				if err != nil {
					t.Fatal(err)
				}
				v, err := check.Check(context.Background(), h, m, check.Options{})
				if err != nil {
					t.Fatal(err)
				}
				switch lossless := words != nil; {
				case (!lossless || r.options.Model != "ooo") && v.Answer != check.Allowed:
					t.Errorf("seed %d, %+v, %v: %s is %v", seed, r.options, words, m.Name, v.Answer)
				case lossless && v.Answer == check.Forbidden:
					broken = true
				}
			}
		}
	}
	if !squashed || !broken {
		t.Errorf("loads were squashed: %v; without notices of lost lines a history was forbidden: %v", squashed, broken)
	}
}

// testAgentsKnownAnswers has the tester find what the toy of gem5 does wrong: a prefetch whose
// completion serves no retry hangs (PR 3081 of gem5), and functional reads find old values.
func testAgentsKnownAnswers(t *testing.T, binary string) {
	r := toyRun{rounds: 4, seed: 1, programs: []*gen.Program{randomAgents(t, 1, false)}, options: agent.Options{Model: "inorder", Prefetch: 2}}
	if logs := r.run(t, binary); len(logs) != 1 {
		t.Errorf("with retries: %s", r.out)
	}
	if logs := r.run(t, binary, "early-prefetches"); len(logs) != 0 || !strings.HasPrefix(r.out, "stuck\n") {
		t.Errorf("without retries: %s", r.out)
	}
	r.options = agent.Options{Model: "tso", Functional: 20}
	if r.run(t, binary, "old-values"); !strings.HasPrefix(r.out, "ordeal: functional read finds an old value: location") {
		t.Errorf("old values: %s", r.out)
	}
}
