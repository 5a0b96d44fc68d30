package gem5

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/sim"
)

// pseudoRunner is a runner on a stand-in that prints debug lines.
func pseudoRunner(t testing.TB, settings, log string) *Runner {
	return newRunner(t, "tracing=on,"+settings, func(o *Options) { o.Log = log })
}

// TestChannels runs programs of one thread, which leave one log only, with all
// channels: rounds of no reads up to such that do not fit into all registers,
// with every kind of operation at every place.
func TestChannels(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for i, ops := range []int{1, 8, 12, 40, 75, 130, 300} {
		o := gen.Defaults()
		o.Threads, o.Ops, o.Locations, o.Layout, o.ShapeShare = 1, ops, 1+rng.IntN(9), gen.Layouts()[i%4], 0
		o.Mix = gen.Mix{Load: 3, Store: 2, Exchange: 1, Add: 1, Fence: 1}
		if i == 1 {
			o.Mix = gen.Mix{Store: 1} // nothing to report
		}
		p, err := gen.Random(rng, o)
		if err != nil {
			t.Fatal(err)
		}
		var logs []sim.Log
		for _, test := range []struct{ tracing, log, detail string }{
			{"on", LogMemory, ""}, {"on", LogPseudo, "; values by m5_sum"}, {"on", LogAuto, "; values by m5_sum"},
			{"off", LogPseudo, "; values by work_begin"}, {"off", LogAuto, ""},
		} {
			job := sim.Job{Program: p, Rounds: 7, Dir: t.TempDir()}
			r := newRunner(t, "tracing="+test.tracing, func(o *Options) { o.Log = test.log })
			result, err := r.Run(t.Context(), job)
			if err != nil || result.Outcome != sim.Passed {
				t.Fatalf("%+v: %+v, %v", test, result, err)
			}
			if want := "239030000 ticks, 54321 instructions" + test.detail; result.Detail != want {
				t.Errorf("%+v: detail %q, want %q", test, result.Detail, want)
			}
			whole(t, &job, &result)
			logs = append(logs, result.Log)
		}
		for _, log := range logs[1:] {
			if diff := cmp.Diff(wordsOf(t, logs[0]), wordsOf(t, log)); diff != "" {
				t.Errorf("%d operations, %d reads: (-memory +pseudo)\n%s\n%s", ops, p.Reads(0), diff, p)
			}
		}
	}
}

// wordsOf are the words of each frame of a log.
func wordsOf(t testing.TB, log sim.Log) (frames [][]gen.Value) {
	t.Helper()
	for len(log) > 0 {
		f, err := wire.Next(log)
		if err != nil {
			t.Fatal(err)
		}
		words := []gen.Value{gen.Value(f.Kind), gen.Value(f.Index), gen.Value(f.Hash), gen.Value(f.Rounds)}
		for i := range f.Payload.Len() {
			words = append(words, f.Payload.At(i))
		}
		frames, log = append(frames, words), log[f.Size():]
	}
	return frames
}

func TestPseudoBatch(t *testing.T) {
	for _, tracing := range []string{"on", "off"} {
		r := newRunner(t, "tracing="+tracing, func(o *Options) { o.Log = LogPseudo })
		jobs := newJobs(t, 4, 4)
		results, err := r.RunBatch(t.Context(), jobs)
		if err != nil {
			t.Fatal(err)
		}
		for i := range results {
			if results[i].Outcome != sim.Passed {
				t.Errorf("job %d: %+v", i, results[i])
			}
			whole(t, &jobs[i], &results[i])
		}
	}
}

// TestPseudoFailure ends a launch after every number of reports: what was
// reported until then is in the log, and belongs to the right program.
func TestPseudoFailure(t *testing.T) {
	programs := []*gen.Program{
		{Layout: gen.Pairs, Locations: []string{"x"}, Threads: [][]gen.Op{{{Kind: gen.Store, Value: 1}, {Kind: gen.Load}}}},
		{Layout: gen.Spread, Locations: []string{"x"}, Threads: [][]gen.Op{{{Kind: gen.Load}, {Kind: gen.Store, Value: 1}}}},
	}
	const rounds = 2 // each program: two sums of one value, and the final values by two sums or one
	for at, want := range [][]int{{0}, {1}, {2}, {-1, 0}, {-1, 0}, {-1, 1}, {-1, 2}} {
		r := pseudoRunner(t, fmt.Sprintf("fault=transition,at=%d,times=1,state=%s", at, filepath.Join(t.TempDir(), "state")), LogPseudo)
		var jobs []sim.Job
		for _, p := range programs {
			jobs = append(jobs, sim.Job{Program: p, Rounds: rounds, Dir: t.TempDir()})
		}
		results, err := r.RunBatch(t.Context(), jobs)
		if err != nil {
			t.Fatal(err)
		}
		for k, values := range want {
			result := &results[k]
			if values < 0 {
				if result.Outcome != sim.Passed {
					t.Errorf("after %d sums: %+v", at, result)
				}
				whole(t, &jobs[k], result)
				continue
			}
			if result.Outcome != sim.Crash || result.Title != "invalid transition (IS_I, Inv) of L1Cache" {
				t.Errorf("after %d sums: %+v", at, result)
			}
			frames := wordsOf(t, result.Log)
			if len(frames) != 1 || len(frames[0]) != 4+values {
				t.Errorf("after %d sums: %v, want a thread with %d values", at, frames, values)
			}
		}
	}
}

// TestSums reads lines as gem5 prints them, in whatever order threads execute
// them.
func TestSums(t *testing.T) {
	ops := []gen.Op{{Kind: gen.Load}, {Kind: gen.Load}, {Kind: gen.Load}, {Kind: gen.Load}, {Kind: gen.Load}, {Kind: gen.Load}}
	p := &gen.Program{Layout: gen.Packed, Locations: []string{"x"}, Threads: [][]gen.Op{ops, ops[:1]}}
	lines := []string{
		"  1000: global: pseudo_inst::pseudoInst(35)",
		"  1000: global: pseudo_inst::m5sum(0, 0x1, 0x2, 0x3, 0x4, 0xfffffffffffffff5)",
		"  1500: global: pseudo_inst::m5sum(0x100000000000000, 0x7, 0xbad, 0xbad, 0xbad, 0xbad)",
		"  1600: global: pseudo_inst::m5sum(0x1, 0x6, 0xbad, 0, 0, 0)",
		"  1700: global: pseudo_inst::m5sum(0xff00000000000000, 0x9, 0, 0, 0, 0)",
	}
	read := func(lines ...string) (*sums, error) {
		r := &debugReader{sums: newSums([]*gen.Program{p}, 1)}
		return r.sums, r.read(strings.NewReader(strings.Join(lines, "\n") + "\n" + endOfTrace))
	}
	want := [][]uint64{{1, 2, 3, 4, 0xffff_ffff_ffff_fff5, 6}, {7}, {9}}
	s, err := read(lines...)
	if err != nil || s.fault() != nil {
		t.Fatal(err, s.fault())
	}
	logs, wholes := s.logs()
	if !wholes[0] {
		t.Error("the log is not whole")
	}
	for i, words := range wordsOf(t, logs[0]) {
		if diff := cmp.Diff(want[i], uint64s(words[4:])); diff != "" {
			t.Errorf("frame %d: %s", i, diff)
		}
	}
	for name, test := range map[string]struct {
		lines       []string
		err, faults string
		values      []int
	}{
		"a sum is missing": {append([]string{lines[3]}, lines[1:3]...), "", "thread 0: sum 1 follows sum -1", []int{0, 8}},
		"too many":         {[]string{lines[2], strings.Replace(lines[2], "0x100000000000000,", "0x100000000000001,", 1)}, "", "thread 1: sum 1 is one too many", []int{0, 8}},
		"of no thread":     {[]string{strings.Replace(lines[2], "0x100000000000000,", "0x200000000000000,", 1)}, "", "", []int{0, 0}},
		"cut off":          {[]string{lines[1][:60], lines[2]}, "argument", "", []int{0, 8}},
		"no number":        {[]string{strings.Replace(lines[1], "0x3", "x3", 1), lines[2]}, "argument 3", "", []int{0, 8}},
		"the last cut off": {[]string{lines[2], lines[1][:60]}, "", "", []int{0, 8}},
	} {
		s, err := read(test.lines...)
		if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %v, want %q", name, err, test.err)
		}
		if got := fmt.Sprint(s.fault()); got != test.faults && test.faults != "" || s.fault() != nil && test.faults == "" {
			t.Errorf("%s: fault %q, want %q", name, got, test.faults)
		}
		for i, n := range test.values {
			if got := len(s.threads[i].values[0]); got != n {
				t.Errorf("%s: thread %d: %d bytes, want %d", name, i, got, n)
			}
		}
	}
}

func uint64s(values []gen.Value) (out []uint64) {
	for _, v := range values {
		out = append(out, uint64(v))
	}
	return out
}

// TestItems reads values in parts of 25 bits, in whatever order threads report
// them.
func TestItems(t *testing.T) {
	p := &gen.Program{Layout: gen.Packed, Locations: []string{"x"}, Threads: [][]gen.Op{
		{{Kind: gen.Load}, {Kind: gen.FetchAdd, Value: 1}}, {{Kind: gen.Load}},
	}}
	s := newSums([]*gen.Program{p}, 1)
	s.items = wire.ItemsOf(s.programs)
	r := &debugReader{sums: s}
	lines := []string{
		"item 5", "item 33554433", "item 0", "item 33554434", "item 0", "item 33554435", // thread 1: 1 + 2·2^25 + 3·2^50
		"item 0", "item 4", "item 9999999999", "item 134217728", // the beginning of a value, no item, no thread
		"item 2147483655", "item 2147483648", "item 2147483648", // final
	}
	err := r.read(strings.NewReader(strings.Join(lines, "\n") + "\n" + endOfTrace))
	if err == nil || !strings.Contains(err.Error(), "9999999999") {
		t.Errorf("%v, want the number that is no item", err)
	}
	logs, wholes := s.logs()
	if wholes[0] {
		t.Error("the log is whole")
	}
	want := [][]uint64{{5}, {1 + 2<<25 + 3<<50}}
	for i, words := range wordsOf(t, logs[0]) {
		if diff := cmp.Diff(want[i], uint64s(words[4:])); diff != "" {
			t.Errorf("thread %d: %s", i, diff)
		}
	}
	if got := binary.LittleEndian.Uint64(s.final.values[0]); got != 7 {
		t.Errorf("final value %d, want 7", got)
	}
}

func FuzzSums(f *testing.F) {
	f.Add("  1000: global: pseudo_inst::m5sum(0, 0x1, 0, 0, 0, 0)\n 1: global: pseudo_inst::m5sum(0xff00000000000000, 0x9, 0, 0, 0, 0)\n")
	p := &gen.Program{Layout: gen.Packed, Locations: []string{"x"}, Threads: [][]gen.Op{{{Kind: gen.Load}}}}
	f.Fuzz(func(t *testing.T, text string) {
		s := newSums([]*gen.Program{p, p}, 3)
		_ = (&debugReader{sums: s}).read(strings.NewReader(text))
		logs, wholes := s.logs()
		for k, log := range logs {
			for _, words := range wordsOf(t, log) {
				if len(words) > 4+3 {
					t.Errorf("program %d: %d values", k, len(words)-4)
				}
			}
			if got := binary.Size([]byte(log)); wholes[k] && got != 2*wire.HeaderBytes+4*gen.WordBytes {
				t.Errorf("program %d: a whole log of %d bytes", k, got)
			}
		}
	})
}
