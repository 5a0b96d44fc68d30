package elf_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/gen/wire"
)

// interpret is the reference implementation of the generated code for one thread: it
// returns what the thread logs and the final memory.
func interpret(p *gen.Program, rounds int) (log, memory []uint64) {
	return interpretLate(p, rounds, 0, nil)
}

// notPerformed stands in a log for what a read returned that was left out.
const notPerformed = math.MaxUint64

// interpretLate is interpret with operations that the first rounds are without.
func interpretLate(p *gen.Program, rounds, lead int, late []int) (log, memory []uint64) {
	memory = make([]uint64, len(p.Locations))
	for r := range rounds {
		for i, op := range p.Threads[0] {
			if r < lead && slices.Contains(late, i) {
				if op.Kind.Reads() {
					log = append(log, notPerformed)
				}
				continue
			}
			word := &memory[op.Loc]
			old, stored := *word, uint64(r)*uint64(p.Stride())+uint64(op.Value)
			switch op.Kind {
			case gen.Load:
				log = append(log, old)
			case gen.Store:
				*word = stored
			case gen.Exchange:
				log, *word = append(log, old), stored
			case gen.FetchAdd:
				log, *word = append(log, old), old+uint64(op.Value)<<36
			}
		}
	}
	return log, memory
}

func TestOneThreadAgainstInterpreter(t *testing.T) {
	needHost(t)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 48 {
		s := shape{
			threads: 1, ops: 1 + rng.IntN(300), locations: 1 + rng.IntN(80),
			layout: gen.Layouts()[i%len(gen.Layouts())], big: i%3 == 0,
		}
		p, rounds := randomProgram(rng, s), 1+rng.IntN(4)
		opts := elf.Options{Rounds: rounds, Settle: -1, Sync: elf.Sync(1 + i%2), Yield: i%5 == 0, Jitter: i % 7 * 10}
		log, code := execute(t, emit(t, p, opts))
		if code != wire.ExitPassed {
			t.Fatalf("program %d %+v: exit code %d", i, s, code)
		}
		frames := readFrames(t, log)
		values, memory := interpret(p, rounds)
		want := []frame{
			{kind: 1, hash: p.Hash64(), rounds: uint64(rounds), words: values},
			{kind: 2, hash: p.Hash64(), rounds: uint64(rounds), words: memory},
		}
		if diff := cmp.Diff(want, frames, cmp.AllowUnexported(frame{})); diff != "" {
			t.Fatalf("program %d %+v: (-interpreter +machine)\n%s\n%s", i, s, diff, p)
		}
		if got := elf.LogBytes(p, rounds); got != int64(len(log)) {
			t.Errorf("program %d: LogBytes is %d, the log has %d", i, got, len(log))
		}
	}
}

// checkFrames checks a whole log of a run that passed: the frames that must
// be there, and every value one that some operation may have written there.
func checkFrames(t *testing.T, p *gen.Program, rounds int, frames []frame) {
	t.Helper()
	type write struct {
		loc   gen.LocID
		value uint64
	}
	writes, sums := map[write]bool{}, make([]uint64, len(p.Locations))
	for l := range p.Locations {
		writes[write{gen.LocID(l), 0}] = true
	}
	for _, ops := range p.Threads {
		for _, op := range ops {
			switch op.Kind {
			case gen.Store, gen.Exchange:
				for r := range rounds {
					writes[write{op.Loc, uint64(r)*uint64(p.Stride()) + uint64(op.Value)}] = true
				}
			case gen.FetchAdd:
				sums[op.Loc] += uint64(rounds) * uint64(op.Value)
			}
		}
	}
	check := func(where string, l gen.LocID, v uint64) {
		if low := v % uint64(gen.AddUnit); !writes[write{l, low}] || v/uint64(gen.AddUnit) > sums[l] {
			t.Errorf("%s: %#x was never written to location %d", where, v, l)
		}
	}
	if len(frames) != len(p.Threads)+1 {
		t.Fatalf("%d frames, want %d", len(frames), len(p.Threads)+1)
	}
	for i, f := range frames {
		if f.hash != p.Hash64() || f.rounds != uint64(rounds) {
			t.Errorf("frame %d: hash %#x rounds %d", i, f.hash, f.rounds)
		}
		if i == len(p.Threads) {
			if f.kind != 2 || len(f.words) != len(p.Locations) {
				t.Fatalf("frame %d: kind %d with %d words, want the final memory", i, f.kind, len(f.words))
			}
			for l, v := range f.words {
				check("final memory", gen.LocID(l), v)
			}
			break
		}
		if f.kind != 1 || f.index != uint32(i) {
			t.Fatalf("frame %d: kind %d thread %d, want kind 1 thread %d", i, f.kind, f.index, i)
		}
		if want := rounds * p.Reads(gen.ThreadID(i)); len(f.words) != want {
			t.Fatalf("frame %d: %d words, want %d", i, len(f.words), want)
		}
		next := 0
		for r := range rounds {
			for k, op := range p.Threads[i] {
				if op.Kind.Reads() {
					check(fmt.Sprintf("thread %d round %d operation %d", i, r, k), op.Loc, f.words[next])
					next++
				}
			}
		}
	}
}

func TestManyThreads(t *testing.T) {
	needHost(t)
	rng := rand.New(rand.NewPCG(2, 2))
	for i, threads := range []int{2, 2, 3, 4, 4, 5, 8, 13, 32} {
		s := shape{threads: threads, ops: 60, locations: 1 + rng.IntN(20), layout: gen.Layouts()[i%4]}
		p := randomProgram(rng, s)
		const rounds = 20
		for _, opts := range []elf.Options{
			{Rounds: rounds},
			{Rounds: rounds, Sync: elf.SyncRound, Yield: true, Settle: -1, Spin: 1 << 26},
			{Rounds: rounds, Sync: elf.SyncRound, Every: 4, Yield: true, Jitter: 100, Settle: -1, Spin: 1 << 26},
		} {
			checkFrames(t, p, rounds, passed(t, emit(t, p, opts), s, opts))
		}
	}
}

// TestMostThreads runs the largest number of threads with the options that
// serve every machine, on however few cores there are.
func TestMostThreads(t *testing.T) {
	needHost(t)
	p := randomProgram(rand.New(rand.NewPCG(3, 3)), shape{threads: gen.MaxThreads, ops: 50, locations: 30, layout: gen.Spread})
	checkFrames(t, p, 10, passed(t, emit(t, p, elf.Options{Rounds: 10})))
}

// TestAdditionsAreAtomic counts with all threads at one location: no two see
// the same value, and none is lost.
func TestAdditionsAreAtomic(t *testing.T) {
	needHost(t)
	const threads, rounds = 4, 500
	p := &gen.Program{Layout: gen.Packed, Locations: []string{"x"}}
	sum := uint64(0)
	for i := range threads {
		p.Threads = append(p.Threads, []gen.Op{{Kind: gen.FetchAdd, Value: gen.Value(i + 1)}})
		sum += uint64(i+1) * rounds
	}
	frames := passed(t, emit(t, p, elf.Options{Rounds: rounds}))
	seen := map[uint64]bool{}
	for _, f := range frames[:threads] {
		for _, v := range f.words {
			if seen[v] {
				t.Fatalf("two additions returned %#x", v)
			}
			seen[v] = true
		}
	}
	if got := frames[threads].words[0]; got != sum<<36 {
		t.Errorf("final value %#x, want %#x", got, sum<<36)
	}
}

// hungSpin is how many polls a barrier waits for a thread that hangs. Each yields its
// processor, often to that thread, which uses it for milliseconds: a quarter of a million
// took ten seconds of CPU time. Fewer than this would be over before a thread begins.
const hungSpin = 1 << 15

// TestBarriersGiveUp hangs a thread at the start or in its third round: the
// exit code names the barrier where it was missed, and the log holds what
// each thread had got from its complete rounds.
func TestBarriersGiveUp(t *testing.T) {
	needHost(t)
	p := randomProgram(rand.New(rand.NewPCG(4, 4)), shape{threads: 3, ops: 30, locations: 4, layout: gen.Spread})
	const mark = 0x4321
	p.Threads[1] = append([]gen.Op{{Kind: gen.Delay, Value: mark}}, p.Threads[1]...)
	// The code of the marked delay, mov eax, mark; dec rax; jne, becomes
	// cmp r14, 2; je to itself; nops.
	delay := []byte{0xb8, 0x21, 0x43, 0x00, 0x00, 0x48, 0xff, 0xc8, 0x75, 0xfb}
	hang := []byte{0x49, 0x83, 0xfe, 0x02, 0x74, 0xfe, 0x90, 0x90, 0x90, 0x90}
	const rounds = 7
	for _, test := range []struct {
		name    string
		atStart bool
		sync    elf.Sync
		every   int
		code    int
		done    []int // rounds completed
	}{
		{"start", true, elf.SyncRound, 1, wire.ExitStartBarrier, []int{0, 0, 0}},
		{"round", false, elf.SyncRound, 1, wire.ExitRoundBarrier, []int{3, 2, 3}},
		{"fourth round", false, elf.SyncRound, 4, wire.ExitRoundBarrier, []int{4, 2, 4}},
		{"end", false, elf.SyncFree, 1, wire.ExitEndBarrier, []int{rounds, 2, rounds}},
	} {
		t.Run(test.name, func(t *testing.T) {
			executable := emit(t, p, elf.Options{
				Rounds: rounds, Sync: test.sync, Every: test.every, Spin: hungSpin, Yield: true, Settle: -1,
			})
			if test.atStart {
				patchSymbol(t, executable, "thread1", 0xeb, 0xfe) // a jump to itself
			} else {
				replaceOnce(t, executable, delay, hang)
			}
			var words []int
			for i, done := range test.done {
				words = append(words, done*p.Reads(gen.ThreadID(i)))
			}
			frames, code := executeFor(t, executable, test.code, 0, words...)
			if code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if len(frames) != len(test.done) { // no FrameFinal either
				t.Fatalf("%d frames, want %d", len(frames), len(test.done))
			}
			for i, want := range words {
				if got := len(frames[i].words); got != want {
					t.Errorf("thread %d: %d words, want %d", i, got, want)
				}
			}
		})
	}
}

// TestSlowThreadIsWaitedFor has thread 0 wait much longer than its patience
// for a thread that makes progress.
func TestSlowThreadIsWaitedFor(t *testing.T) {
	needHost(t)
	p := &gen.Program{Layout: gen.Packed, Locations: []string{"x"}, Threads: make([][]gen.Op, 2)}
	for range 1000 {
		p.Threads[1] = append(p.Threads[1], gen.Op{Kind: gen.FullFence})
	}
	_, code := executeFor(t, emit(t, p, elf.Options{Rounds: 20_000, Spin: 1 << 22, Yield: true, Settle: -1}), wire.ExitPassed, 0)
	if code != wire.ExitPassed {
		t.Errorf("exit code %d", code)
	}
}

// TestWildCount has a thread claim more rounds than there are, as it could
// seem to do on a broken memory: its frame has as many words as fit.
func TestWildCount(t *testing.T) {
	needHost(t)
	const mark = 0x54321
	p := &gen.Program{
		Layout: gen.Packed, Locations: []string{"x"},
		Threads: [][]gen.Op{{{Kind: gen.Load}}, {{Kind: gen.Delay, Value: mark}, {Kind: gen.Load}}},
	}
	executable := emit(t, p, elf.Options{Rounds: 5, Spin: 1 << 26, Yield: true})
	// mov r14d, 0x7fffffff; nops.
	replaceOnce(t, executable, []byte{0xb8, 0x21, 0x43, 0x05, 0x00, 0x48, 0xff, 0xc8, 0x75, 0xfb},
		[]byte{0x41, 0xbe, 0xff, 0xff, 0xff, 0x7f, 0x90, 0x90, 0x90, 0x90})
	if frames := passed(t, executable); len(frames) != 3 || len(frames[1].words) != 5 {
		t.Errorf("frames %+v: want 3, 5 words of thread 1", frames)
	}
}

// TestEmptyThreads has threads that do and read nothing.
func TestEmptyThreads(t *testing.T) {
	needHost(t)
	p := &gen.Program{
		Layout: gen.Pairs, Locations: []string{"x", "y", "z"},
		Threads: [][]gen.Op{{}, {{Kind: gen.Store, Loc: 2, Value: 1}}, {}},
	}
	for _, sync := range []elf.Sync{elf.SyncFree, elf.SyncRound} {
		frames := passed(t, emit(t, p, elf.Options{Rounds: 3, Sync: sync, Spin: 1 << 26, Yield: true}))
		checkFrames(t, p, 3, frames)
		if got := frames[3].words[2]; got != 2*2+1 {
			t.Errorf("final value %d, want that of the third round, 5", got)
		}
	}
}

func TestCloneFailure(t *testing.T) {
	needHost(t)
	p := randomProgram(rand.New(rand.NewPCG(6, 6)), shape{threads: 2, ops: 3, locations: 2, layout: gen.Packed})
	executable := emit(t, p, elf.Options{Rounds: 1})
	replaceOnce(t, executable, []byte{0xb8, 56, 0, 0, 0, 0x0f, 0x05}, []byte{0xb8, 0, 0xf0, 0, 0}) // no such system call
	log, code := execute(t, executable)
	if code != wire.ExitCloneFailed || len(log) != 0 {
		t.Errorf("exit code %d with %d bytes of log, want %d without", code, len(log), wire.ExitCloneFailed)
	}
}

func TestWriteFailure(t *testing.T) {
	needHost(t)
	p := randomProgram(rand.New(rand.NewPCG(7, 7)), shape{threads: 2, ops: 3, locations: 2, layout: gen.Packed})
	executable := emit(t, p, elf.Options{Rounds: 1, Spin: 1 << 26, Yield: true})
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close() // nothing can be written to it
	if code := executeTo(t, executable, full); code != wire.ExitWriteFailed {
		t.Errorf("exit code %d on a full disk, want %d", code, wire.ExitWriteFailed)
	}
}

// BenchmarkEmit is the cost of generating, for 4 threads × 1,000 operations.
func BenchmarkEmit(b *testing.B) {
	const threads, ops = 4, 1000
	p := randomProgram(rand.New(rand.NewPCG(10, 10)), shape{threads: threads, ops: ops, locations: 16, layout: gen.Spread})
	for b.Loop() {
		emit(b, p, elf.Options{Rounds: 1})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(threads*ops), "ns/operation")
}
