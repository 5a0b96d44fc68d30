package suite_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

// meter measures what a benchmark's loop takes: user CPU time, which other
// processes on the machine disturb less than the clock, and peak memory.
type meter struct{ start syscall.Timeval }

func userTime() syscall.Timeval {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no other faults than wrong arguments
	}
	return u.Utime
}

func startMeter() meter {
	debug.FreeOSMemory()
	// Resets the peak on Linux; elsewhere none is reported.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	return meter{userTime()}
}

func (m meter) report(b *testing.B, ops int) {
	t := userTime()
	user := float64(t.Nano()-m.start.Nano()) / float64(b.N)
	b.ReportMetric(user/1e6, "user-ms/op")
	b.ReportMetric(user/float64(ops), "user-ns/operation")
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return
	}
	for _, line := range strings.Split(string(status), "\n") {
		var kib float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %g kB", &kib); n == 1 {
			b.ReportMetric(kib/1024, "peak-MiB")
		}
	}
}

// whole reads and checks one trace, evidence included.
func whole(b *testing.B, trace []byte, m model.Model, want check.Answer) {
	t, err := axe.NewReader(bytes.NewReader(trace), "bench").Next()
	if err != nil || t.Err != nil {
		b.Fatal(err, t.Err)
	}
	v, err := check.Check(context.Background(), t.History, m, check.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if v.Answer != want && want != check.Unknown {
		b.Fatalf("%v: %s, want %v", v.Answer, v.Reason, want)
	}
}

// traceOf writes h with numbers for names: families have names of their own.
func traceOf(b *testing.B, h *parse.History) []byte {
	plain := *h
	plain.ThreadNames, plain.Locations = nil, make([]string, len(h.Locations))
	for x := range plain.Locations {
		plain.Locations[x] = strconv.Itoa(x)
	}
	var out bytes.Buffer
	if err := axe.Write(&out, &plain); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

// BenchmarkWhole measures the way from text to a verdict with its evidence
// checked. Name the processors by -cpu=1 to keep the garbage collector on one.
func BenchmarkWhole(b *testing.B) {
	for _, size := range []struct {
		m                       model.Model
		ops, threads, locations int
	}{
		{model.TSO, 1000, 8, 16},
		{model.TSO, 32768, 16, 16},
		{model.TSO, 32768, 32, 16},
		{model.SC, 1 << 20, 4, 16},
		{model.TSO, 1 << 20, 8, 64},
		{model.TSO, 1 << 20, 64, 64},
	} {
		b.Run(fmt.Sprintf("%s/%d/%d/%d", size.m.Name, size.ops, size.threads, size.locations), func(b *testing.B) {
			p := histgen.Params{Threads: size.threads, Ops: size.ops, Locations: size.locations}
			trace := traceOf(b, histgen.Machine(rand.New(rand.NewPCG(1, 2)), size.m, p).History)
			m := startMeter()
			for b.Loop() {
				whole(b, trace, size.m, check.Allowed)
			}
			m.report(b, size.ops)
		})
	}
}

// BenchmarkViolation measures a million operations with one read changed:
// saturation alone is to be compared with the verdict, which also explains the
// violation, shrinks that and has it checked, and with the whole from the text.
func BenchmarkViolation(b *testing.B) {
	const ops = 1 << 20
	p := histgen.Params{Threads: 8, Ops: ops, Locations: 64}
	run := histgen.Machine(rand.New(rand.NewPCG(1, 2)), model.TSO, p)
	h := lateViolation(run)
	b.Run("saturation", func(b *testing.B) {
		m := startMeter()
		for b.Loop() {
			saturateAlone(b, h, model.TSO, false)
		}
		m.report(b, ops)
	})
	b.Run("verdict", func(b *testing.B) {
		m := startMeter()
		for b.Loop() {
			v, err := check.Check(context.Background(), h, model.TSO, check.Options{})
			if err != nil || v.Answer != check.Forbidden {
				b.Fatal(v.Answer, err)
			}
		}
		m.report(b, ops)
	})
	trace := traceOf(b, h)
	b.Run("whole", func(b *testing.B) {
		m := startMeter()
		for b.Loop() {
			whole(b, trace, model.TSO, check.Forbidden)
		}
		m.report(b, ops)
	})
}

// BenchmarkClosure measures saturation alone, of one history of the machine of TSO
// with 2 % full fences, under the models that allow it.
func BenchmarkClosure(b *testing.B) {
	const ops = 300000
	p := histgen.Params{Threads: 64, Ops: ops, Locations: 256, Writes: 0.3, Fences: 0.02}
	h := histgen.Machine(rand.New(rand.NewPCG(1, 2)), model.TSO, p).History
	for _, of := range []model.Model{model.TSO, model.PSO, model.RMO} {
		b.Run(of.Name, func(b *testing.B) {
			m := startMeter()
			for b.Loop() {
				saturateAlone(b, h, of, true)
			}
			m.report(b, ops)
		})
	}
}

// lateViolation makes the last read of the run return an older write to its
// location than the one its thread saw before it.
func lateViolation(run histgen.Run) *parse.History {
	h := histgen.Clone(run.History)
	for i := len(run.Order) - 1; i >= 0; i-- {
		r := run.Order[i]
		op := &h.Ops[r]
		if op.Kind != parse.Read || op.RF < 0 {
			continue
		}
		first := h.Start[h.Thread(r)]
		for before := first; before < r; before++ {
			if o := &h.Ops[before]; o.Kind == parse.Read && o.Loc == op.Loc && o.RF >= 0 && o.RF != op.RF {
				op.RF, op.Read = o.RF, o.Read
				return h
			}
		}
	}
	panic("suite: no read to change")
}

// saturateAlone builds and saturates the graph, no more.
func saturateAlone(b *testing.B, h *parse.History, m model.Model, want bool) {
	g, err := saturate.Build(h, m)
	if err != nil {
		b.Fatal(err)
	}
	if ok, err := g.Saturate(context.Background()); ok != want || err != nil {
		b.Fatal(ok, err)
	}
}
