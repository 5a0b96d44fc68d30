package search

import (
	"math/rand/v2"
	"testing"
)

// choose compares with a look at all clauses: a violated one comes before a unit,
// and that before any other literal. The stack of short clauses, which spares the
// look, does not grow with the number of assignments.
func TestChoose(t *testing.T) {
	const pairs = 6
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 17))
		clauses := make([]clause, 20)
		for i := range clauses {
			for _, p := range rng.Perm(pairs)[:1+rng.IntN(3)] {
				clauses[i].lits = append(clauses[i].lits, literal(2*p+rng.IntN(2)))
			}
		}
		b := newTreeBuilder(&pairSolver{pairs: make([]writePair, pairs)}, clauses)
		var assigned []literal
		for range 200 {
			if n := len(assigned); n == pairs || n > 0 && rng.IntN(2) == 0 {
				b.assign(assigned[n-1], -1)
				assigned = assigned[:n-1]
			} else if l := literal(rng.IntN(2 * pairs)); b.value[l/2] == 0 {
				b.assign(l, 1)
				assigned = append(assigned, l)
			}
			violated, units, open := plainly(b)
			if !open && len(violated) == 0 {
				continue // satisfied: not a state of a tree
			}
			best, got := b.choose()
			switch {
			case len(violated) > 0:
				if !violated[got] {
					t.Fatalf("seed %d: clause %d, want one of %v", seed, got, violated)
				}
			case got >= 0 || len(units) > 0 && !units[best] || b.value[best/2] != 0:
				t.Fatalf("seed %d: literal %d of clause %d, want one of %v", seed, best, got, units)
			}
			if len(b.short) > len(clauses) {
				t.Fatalf("seed %d: a stack of %d for %d clauses", seed, len(b.short), len(clauses))
			}
		}
	}
}

// plainly finds the violated clauses, the last open literals of clauses, and
// whether any clause is neither satisfied nor violated.
func plainly(b *treeBuilder) (violated map[int]bool, units map[literal]bool, open bool) {
	violated, units = map[int]bool{}, map[literal]bool{}
	for i, c := range b.clauses {
		var left []literal
		satisfied := false
		for _, l := range c.lits {
			holds := int8(1)
			if l&1 == 1 {
				holds = -1
			}
			switch b.value[l/2] {
			case 0:
				left = append(left, l)
			case -holds:
				satisfied = true
			}
		}
		switch {
		case satisfied:
			continue
		case len(left) == 0:
			violated[i] = true
			continue
		case len(left) == 1:
			units[left[0]] = true
		}
		open = true
	}
	return violated, units, open
}
