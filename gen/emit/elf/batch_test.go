package elf_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/gen/wire"
)

func emitBatch(t testing.TB, programs []*gen.Program, opts elf.Options) *elf.Image {
	t.Helper()
	image, err := elf.EmitBatch(programs, opts)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func randomBatch(rng *rand.Rand, programs, threads, ops int) []*gen.Program {
	var batch []*gen.Program
	for i := range programs {
		batch = append(batch, randomProgram(rng, shape{
			threads: threads, ops: ops, locations: 1 + rng.IntN(20), layout: gen.Layouts()[i%4],
		}))
	}
	return batch
}

// TestBatchOfOneThread compares each program of a batch with the interpreter,
// which starts each from zeroes.
func TestBatchOfOneThread(t *testing.T) {
	needHost(t)
	rng := rand.New(rand.NewPCG(11, 11))
	for i := range 8 {
		batch, rounds := randomBatch(rng, 1+i, 1, 80), 1+rng.IntN(5)
		frames := passed(t, emitBatch(t, batch, elf.Options{Rounds: rounds, Settle: 100, Sync: elf.Sync(1 + i%2), Every: 4}).File, i)
		if len(frames) != 2*len(batch) {
			t.Fatalf("batch %d: %d frames, want %d", i, len(frames), 2*len(batch))
		}
		for k, p := range batch {
			values, memory := interpret(p, rounds)
			if !slices.Equal(frames[2*k].words, values) || !slices.Equal(frames[2*k+1].words, memory) {
				t.Errorf("batch %d: program %d differs from the interpreter", i, k)
			}
			checkFrames(t, p, rounds, frames[2*k:2*k+2])
		}
	}
}

func TestBatchOfManyThreads(t *testing.T) {
	needHost(t)
	rng := rand.New(rand.NewPCG(12, 12))
	for _, threads := range []int{2, 3, 8} {
		batch := randomBatch(rng, 5, threads, 60)
		const rounds = 20
		for _, opts := range []elf.Options{
			{Rounds: rounds, Settle: 100, Yield: true, Spin: 1 << 26},
			{Rounds: rounds, Sync: elf.SyncRound, Every: 8, Yield: true, Jitter: 10, Settle: -1, Spin: 1 << 26},
		} {
			frames := passed(t, emitBatch(t, batch, opts).File, threads, opts)
			if len(frames) != len(batch)*(threads+1) {
				t.Fatalf("%d frames", len(frames))
			}
			for k, p := range batch {
				checkFrames(t, p, rounds, frames[k*(threads+1):(k+1)*(threads+1)])
			}
		}
	}
}

// TestBatchGivesUp hangs thread 1 in the second of three
// programs: the first has its whole log, the second what it got, the third
// none.
func TestBatchGivesUp(t *testing.T) {
	needHost(t)
	const mark, rounds, first = 0x4321, 7, 4 // frames of the first program
	// As in TestBarriersGiveUp, but in the third round of the second program.
	delay := []byte{0xb8, 0x21, 0x43, 0x00, 0x00, 0x48, 0xff, 0xc8, 0x75, 0xfb}
	hang := []byte{0x49, 0x83, 0xfe, rounds + 2, 0x74, 0xfe, 0x90, 0x90, 0x90, 0x90}
	for _, test := range []struct {
		name  string
		start bool
		sync  elf.Sync
		code  int
		done  []int // rounds of the second program; nil: none of it is written
	}{
		{"start", true, elf.SyncRound, wire.ExitStartBarrier, []int{0, 0, 0}},
		{"round", false, elf.SyncRound, wire.ExitRoundBarrier, []int{3, 2, 3}},
		{"end", false, elf.SyncFree, wire.ExitEndBarrier, []int{rounds, 2, rounds}},
	} {
		t.Run(test.name, func(t *testing.T) {
			batch := randomBatch(rand.New(rand.NewPCG(13, 13)), 3, 3, 30)
			batch[1].Threads[1] = append([]gen.Op{{Kind: gen.Delay, Value: mark}}, batch[1].Threads[1]...)
			executable := emitBatch(t, batch, elf.Options{
				Rounds: rounds, Sync: test.sync, Spin: hungSpin, Yield: true, Settle: -1,
			}).File
			if test.start {
				patchSymbol(t, executable, "program1_thread1", 0xeb, 0xfe)
			} else {
				replaceOnce(t, executable, delay, hang)
			}
			var words []int
			for i, done := range test.done {
				words = append(words, done*batch[1].Reads(gen.ThreadID(i)))
			}
			frames, code := executeFor(t, executable, test.code, first, words...)
			if code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if len(frames) != first+len(test.done) {
				t.Fatalf("%d frames, want %d", len(frames), first+len(test.done))
			}
			checkFrames(t, batch[0], rounds, frames[:first])
			for i, want := range words {
				f := frames[first+i]
				if got := len(f.words); got != want || f.hash != batch[1].Hash64() {
					t.Errorf("thread %d: %d words, want %d", i, got, want)
				}
			}
		})
	}
}

// TestImage finds the locations where the image says they are: at the
// alignment that the layouts count on, apart from each other and in bounds.
func TestImage(t *testing.T) {
	batch := randomBatch(rand.New(rand.NewPCG(14, 14)), 4, 2, 10)
	image := emitBatch(t, batch, elf.Options{Rounds: 3})
	last := image.Start
	for k, base := range image.Bases {
		end := base + batch[k].Offset(gen.LocID(len(batch[k].Locations)))
		if base < last || end > image.End {
			t.Errorf("program %d lies at %#x to %#x, want it in %#x to %#x", k, base, end, last, image.End)
		}
		if base%gen.ConflictStride != 0 {
			t.Errorf("program %d lies at %#x, not a multiple of %#x", k, base, gen.ConflictStride)
		}
		last = end
	}
}

func TestBatchFaults(t *testing.T) {
	two := randomBatch(rand.New(rand.NewPCG(15, 15)), 1, 2, 3)[0]
	three := randomBatch(rand.New(rand.NewPCG(15, 15)), 1, 3, 3)[0]
	for _, test := range []struct {
		batch  []*gen.Program
		rounds int
		want   string
	}{
		{nil, 1, "no program"},
		{[]*gen.Program{two, three}, 1, "program 2 of 2: 3 threads, the first program has 2"},
		{[]*gen.Program{two, two}, math.MaxInt32/2 + 1, "rounds together"},
	} {
		_, err := elf.EmitBatch(test.batch, elf.Options{Rounds: test.rounds})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}
