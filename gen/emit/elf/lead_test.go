package elf_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
)

// TestLead leaves operations out of the first rounds, in batches of programs of one
// thread, and compares with the interpreter, which leaves them out too.
func TestLead(t *testing.T) {
	needHost(t)
	rng := rand.New(rand.NewPCG(17, 17))
	for i := range 6 {
		batch := randomBatch(rng, 1+i%3, 1, 40)
		lead := i
		rounds := lead + 1 + rng.IntN(4)
		late := make([][][]int, len(batch))
		for k, p := range batch {
			late[k] = [][]int{nil}
			for n := range p.Threads[0] {
				if rng.IntN(3) == 0 {
					late[k][0] = append(late[k][0], n)
				}
			}
		}
		frames := passed(t, emitBatch(t, batch, elf.Options{Rounds: rounds, Settle: 100, Lead: lead, Late: late}).File, i)
		for k, p := range batch {
			values, memory := interpretLate(p, rounds, lead, late[k][0])
			got := slices.Clone(frames[2*k].words)
			for n, v := range values {
				if v == notPerformed && n < len(got) {
					got[n] = notPerformed
				}
			}
			if !slices.Equal(got, values) || !slices.Equal(frames[2*k+1].words, memory) {
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
}
