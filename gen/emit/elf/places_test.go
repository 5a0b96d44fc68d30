package elf_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
)

// Fences and ends of rounds have one encoding each: at their places, and
// nowhere else at the place of an operation, the code begins with it.
func TestPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	batch := randomBatch(rng, 3, 3, 60)
	image := emitBatch(t, batch, elf.Options{Rounds: 2})
	const imageBase = 0x40_0000
	mfence, incR14 := []byte{0x0f, 0xae, 0xf0}, []byte{0x49, 0xff, 0xc6}
	type key struct{ program, thread, op int }
	seen := make(map[key]bool)
	for _, p := range image.Places {
		if p.Op == elf.Outside {
			continue
		}
		seen[key{p.Program, p.Thread, p.Op}] = true
		code := image.File[p.Address-imageBase:]
		fence := p.Op >= 0 && batch[p.Program].Threads[p.Thread][p.Op].Kind == gen.FullFence
		if got := bytes.HasPrefix(code, mfence); got != fence {
			t.Errorf("%+v: a fence is %v, want %v", p, got, fence)
		}
		if got := bytes.HasPrefix(code, incR14); got != (p.Op == elf.EndOfRound) {
			t.Errorf("%+v: the count of rounds is incremented: %v", p, got)
		}
		if got, ok := image.PlaceOf(p.Address + 1); !ok || got != p {
			t.Errorf("place of the second byte of %+v: %+v, %v", p, got, ok)
		}
	}
	for k, program := range batch {
		for thread, ops := range program.Threads {
			for op := range ops {
				if !seen[key{k, thread, op}] {
					t.Errorf("program %d, thread %d: operation %d has no place", k, thread, op)
				}
			}
			if !seen[key{k, thread, elf.EndOfRound}] {
				t.Errorf("program %d, thread %d: the end of a round has no place", k, thread)
			}
		}
	}
	if p, ok := image.PlaceOf(imageBase + 0x100); !ok || p.Symbol != "start" || p.Op != elf.Outside {
		t.Errorf("place of the first instruction: %+v, %v", p, ok)
	}
	if _, ok := image.PlaceOf(0); ok {
		t.Error("address 0 has a place")
	}
}
