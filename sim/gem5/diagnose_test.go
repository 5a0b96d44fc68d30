package gem5

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/gen/emit/elf"
	"ordeal/sim"
)

// counter is where the code of an operation of a thread begins.
func counter(t *testing.T, image *elf.Image, thread, op int) int64 {
	t.Helper()
	i := slices.IndexFunc(image.Places, func(p elf.Place) bool { return p.Thread == thread && p.Op == op })
	if i < 0 {
		t.Fatalf("thread %d has no operation %d", thread, op)
	}
	return image.Places[i].Address
}

// TestDiagnosis repeats a launch that ended in a deadlock, and says where the cores
// are and what they wait for.
func TestDiagnosis(t *testing.T) {
	job := newJobs(t, 1, 2)[0]
	image, err := elf.EmitBatch(programsOf([]sim.Job{job}), newRunner(t, "", nil).emitOptions(work{jobs: []sim.Job{job}}))
	if err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "trace")
	text := strings.Join([]string{
		fmt.Sprintf("  80100: system.cpu0: %#x @t.0 : inc   r14 : IntAlu :  D=0x0000000000000007", counter(t, image, 0, elf.EndOfRound)),
		fmt.Sprintf("  80200: system.cpu0: %#x @t.0 : mov   rax, DS:[rbx] : MemRead :", counter(t, image, 0, 0)),
		"          80300   0        Seq               Begin       >       [0x2048, line 0x2040] LD",
		"          80310   0    L1Cache                Load      I>IS     [0x2040, line 0x2040] ",
		"          80320   1    L1Cache                Load      I>IS     [0x2080, line 0x2080] ",
		"          80330   0    L2Cache             L1_GETS     SS>SS_MB  [0x2040, line 0x2040] ",
		"          80340   0    L2Cache             L1_GETS  SS_MB>I      [0x2040, line 0x2040] Protocol Stall",
		"          80350   1        Seq               Begin       >       [0x2080, line 0x2080] LD",
		"          80360   1        Seq                Done       >       [0x2080, line 0x2080] 20 cycles",
		"  80400: system.cpu1: 0x400100 @start : mov rdi, 0",
	}, "\n") + "\n"
	if err := os.WriteFile(trace, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, "tracing=on,fault=deadlock,trace="+trace, func(o *Options) { o.Log = LogMemory })
	result, err := r.Run(t.Context(), job)
	if err != nil || result.Outcome != sim.Deadlock {
		t.Fatalf("%v, %+v", err, result)
	}
	for _, want := range []string{
		fmt.Sprintf("core 0: at %#x, thread 0, operation 0, round 7, commits instructions\n", counter(t, image, 0, 0)),
		"        waits since tick 80300 for line 0x2040, L1Cache 0 in IS, L2Cache 0 in SS_MB\n",
		"core 1: at 0x400100, in start, commits instructions\n",
	} {
		if !strings.Contains(result.Detail, want) {
			t.Errorf("no %q in\n%s", want, result.Detail)
		}
	}
	if strings.Contains(result.Detail, "0x2080") {
		t.Errorf("a request that is done is waited for:\n%s", result.Detail)
	}
	if left, _ := filepath.Glob(filepath.Join(job.Dir, diagnosisDir)); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

func TestLastProgress(t *testing.T) {
	at := func(tick int64, instructions ...int64) slice {
		s := slice{tick: tick}
		for _, n := range instructions {
			s.cores = append(s.cores, counts{instructions: n})
		}
		return s
	}
	list := []slice{at(10, 5, 5, 5), at(20, 9, 5, 6), at(30, 9, 5, 7), at(40, 9, 5, 8)}
	if got := fmt.Sprint(lastProgress(list)); got != "[{0 10} {10 20} {30 40}]" {
		t.Errorf("windows %s", got)
	}
}
