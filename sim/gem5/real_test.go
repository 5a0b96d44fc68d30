package gem5

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
	"ordeal/sim"
)

// realRunner is a runner on the gem5 that ORDEAL_GEM5 and ORDEAL_GEM5_TREE
// name.
func realRunner(t testing.TB, cpu, log string) *Runner {
	t.Helper()
	o := Options{Binary: os.Getenv("ORDEAL_GEM5"), Tree: os.Getenv("ORDEAL_GEM5_TREE"), CPU: cpu, Log: log}
	if o.Binary == "" || o.Tree == "" {
		t.Skip("ORDEAL_GEM5 and ORDEAL_GEM5_TREE name no gem5 with its tree")
	}
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRealChannels is TestChannels on a real gem5, with every instruction that
// only one of the channels uses.
func TestRealChannels(t *testing.T) {
	o := gen.Defaults()
	o.Threads, o.Ops, o.Locations, o.ShapeShare = 1, 150, 7, 0
	o.Mix = gen.Mix{Load: 3, Store: 2, Exchange: 1, Add: 1, Fence: 1}
	for i, cpu := range CPUs() {
		p, err := gen.Random(rand.New(rand.NewPCG(8, uint64(i))), o)
		if err != nil {
			t.Fatal(err)
		}
		var logs [][][]gen.Value
		for _, channel := range []string{LogMemory, LogPseudo} {
			job := sim.Job{Program: p, Rounds: 5, Dir: t.TempDir()}
			result, err := realRunner(t, cpu, channel).Run(t.Context(), job)
			if err != nil || result.Outcome != sim.Passed {
				t.Fatalf("%s, %s: %+v, %v", cpu, channel, result, err)
			}
			whole(t, &job, &result)
			logs = append(logs, wordsOf(t, result.Log))
		}
		if diff := cmp.Diff(logs[0], logs[1]); diff != "" {
			t.Errorf("%s: (-memory +pseudo)\n%s\n%s", cpu, diff, p)
		}
	}
}

// TestRealSharedLines runs programs of four threads that never access the words of
// one another, but words of the same lines: whatever the order of accesses is, all
// channels leave the same log.
func TestRealSharedLines(t *testing.T) {
	const threads = 4
	o := gen.Defaults()
	o.Threads, o.Ops, o.Locations, o.Layout, o.ShapeShare = threads, 60, 4*threads, gen.Packed, 0
	o.Mix = gen.Mix{Load: 4, Store: 3, Exchange: 1, Add: 1, Fence: 1}
	for i, cpu := range CPUs() {
		p, err := gen.Random(rand.New(rand.NewPCG(9, uint64(i))), o)
		if err != nil {
			t.Fatal(err)
		}
		ownWords(p)
		var logs [][][]gen.Value
		for _, channel := range []string{LogMemory, LogPseudo} {
			job := sim.Job{Program: p, Rounds: 20, Dir: t.TempDir()}
			result, err := realRunner(t, cpu, channel).Run(t.Context(), job)
			if err != nil || result.Outcome != sim.Passed {
				t.Fatalf("%s, %s: %+v, %v", cpu, channel, result, err)
			}
			whole(t, &job, &result)
			logs = append(logs, wordsOf(t, result.Log))
		}
		if diff := cmp.Diff(logs[0], logs[1]); diff != "" {
			t.Errorf("%s: (-memory +pseudo)\n%s\n%s", cpu, diff, p)
		}
	}
}

// ownWords gives each thread of a program locations of its own, every
// len(p.Threads)-th.
func ownWords(p *gen.Program) {
	n := gen.LocID(len(p.Threads))
	for t, ops := range p.Threads {
		for i := range ops {
			if op := &ops[i]; op.Kind != gen.Delay && op.Kind != gen.FullFence {
				op.Loc = op.Loc/n*n + gen.LocID(t)
			}
		}
	}
}

// BenchmarkReal compares the channels on a real gem5: tested operations a second
// of CPU time, without what starting takes, and simulated instructions an
// operation, on the default program and on what found that MESI_Two_Level
// breaks TSO (campaigns/gem5.yaml).
func BenchmarkReal(b *testing.B) {
	wide := gen.Defaults()
	wide.Threads, wide.Ops, wide.Locations, wide.Layout = 8, 60, 16, gen.Spread
	wide.Mix, wide.Delays, wide.Locality, wide.ShapeShare = gen.Mix{Load: 75, Store: 25}, 0, 0, 0
	for _, program := range []struct {
		name    string
		options gen.Options
		rounds  int
	}{{"default", gen.Defaults(), 100}, {"wide", wide, 60}} {
		p, err := gen.Random(rand.New(rand.NewPCG(1, 1)), program.options)
		if err != nil {
			b.Fatal(err)
		}
		for _, cpu := range []string{"timing", "o3"} {
			for _, channel := range []string{LogMemory, LogPseudo} {
				b.Run(program.name+"/"+cpu+"/"+channel, func(b *testing.B) {
					r := realRunner(b, cpu, channel)
					idle := measure(b, r, sim.Job{Program: p, Rounds: 1, Dir: b.TempDir()})
					var sum cost
					for b.Loop() {
						c := measure(b, r, sim.Job{Program: p, Rounds: program.rounds, Dir: b.TempDir()})
						sum.cpu += c.cpu - idle.cpu
						sum.instructions += c.instructions - idle.instructions
					}
					operations := float64(p.Ops() * (program.rounds - 1) * b.N)
					b.ReportMetric(operations/sum.cpu.Seconds(), "operations/CPU-s")
					b.ReportMetric(float64(sum.instructions)/operations, "instructions/operation")
				})
			}
		}
	}
}

type cost struct {
	cpu          time.Duration
	instructions int64
}

// measure is what a launch costs.
func measure(b *testing.B, r *Runner, job sim.Job) (c cost) {
	b.Helper()
	before := childrenTime(b)
	result, err := r.Run(b.Context(), job)
	if err != nil || result.Outcome != sim.Passed {
		b.Fatalf("%+v, %v", result, err)
	}
	c.cpu = childrenTime(b) - before
	text, err := readOutput(job.Dir)
	if err != nil {
		b.Fatal(err)
	}
	s := parseStatus(text)
	c.instructions = s.instructions
	return c
}

func childrenTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
