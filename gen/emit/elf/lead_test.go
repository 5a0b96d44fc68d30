package elf_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
)

// TestLead has operations access other locations in the first rounds, in batches of
// programs of one thread, and compares with the interpreter, where they do so too.
func TestLead(t *testing.T) {
	needHost(t)
	rng := rand.New(rand.NewPCG(17, 17))
	for i := range 6 {
		batch := randomBatch(rng, 1+i%3, 1, 40)
		lead := i
		rounds := lead + 1 + rng.IntN(4)
		late := make([][][]int, len(batch))
		asides, bytes := make([]int, len(batch)), make([]int, len(batch))
		for k, p := range batch {
			late[k] = [][]int{nil}
			asides[k] = len(p.Locations) / 4 * 2 // whole groups of each layout
			bytes[k] = int(p.Offset(gen.LocID(asides[k])))
			for n, op := range p.Threads[0] {
				if rng.IntN(3) == 0 && int(op.Loc)+asides[k] < len(p.Locations) {
					late[k][0] = append(late[k][0], n)
				}
			}
		}
		frames := passed(t, emitBatch(t, batch, elf.Options{Rounds: rounds, Settle: 100, Lead: lead, Late: late, Aside: bytes}).File, i)
		for k, p := range batch {
			values, memory := interpretLate(p, rounds, lead, asides[k], late[k][0])
			if !slices.Equal(frames[2*k].words, values) || !slices.Equal(frames[2*k+1].words, memory) {
				t.Errorf("batch %d: program %d differs from the interpreter", i, k)
			}
		}
	}
}

func TestLeadTooLong(t *testing.T) {
	p := randomProgram(rand.New(rand.NewPCG(1, 1)), shape{threads: 1, ops: 2, locations: 1, layout: gen.Spread})
	_, err := elf.Emit(p, elf.Options{Rounds: 3, Lead: 3})
	if err == nil || !strings.Contains(err.Error(), "lead 3: want 0 to 2") {
		t.Errorf("error %v", err)
	}
	_, err = elf.Emit(p, elf.Options{Rounds: 3, Lead: 1, Late: [][][]int{{{0}}}})
	if err == nil || !strings.Contains(err.Error(), "late operations of 1 programs") {
		t.Errorf("without Aside: error %v", err)
	}
}
