package histgen

import (
	"fmt"
	"math/rand/v2"

	"ordeal/parse"
)

// CNF is a propositional formula: clauses of three literals, variable v being
// literal v and its negation -v, numbered from 1.
type CNF [][3]int

// Variables is the largest variable of the formula.
func (f CNF) Variables() int {
	n := 0
	for _, c := range f {
		for _, l := range c {
			n = max(n, l, -l)
		}
	}
	return n
}

// Satisfiable decides f by trying every assignment: for a dozen variables.
func (f CNF) Satisfiable() bool {
	n := f.Variables()
	for a := range 1 << n {
		ok := true
		for _, c := range f {
			sat := false
			for _, l := range c {
				sat = sat || l > 0 && a>>(l-1)&1 == 1 || l < 0 && a>>(-l-1)&1 == 0
			}
			ok = ok && sat
		}
		if ok {
			return true
		}
	}
	return false
}

// RandomCNF draws clauses of three different variables out of n, each negated
// or not by chance. Formulas with about 4.26 clauses to a variable are hardest.
func RandomCNF(rng *rand.Rand, n, clauses int) CNF {
	f := make(CNF, clauses)
	for i := range f {
		for j, v := range rng.Perm(n)[:3] {
			f[i][j] = v + 1
			if rng.IntN(2) == 0 {
				f[i][j] = -f[i][j]
			}
		}
	}
	return f
}

// FromCNF is the reduction of 3-SAT to consistency of Chini and Saivasan
// (FSTTCS 2020, Sect. 5 and App. C): the history is consistent with SC exactly
// when f is satisfiable. With relaxed it is the variant whose graphs are the
// same under SC, TSO and PSO: the second guard of a literal is a thread of its
// own. Every occurrence of a literal counts as a literal of its own.
func FromCNF(f CNF, relaxed bool) *parse.History {
	s := newSketch()
	var value [2][]ref // value[b][v] writes b to variable v
	for b := range value {
		value[b] = make([]ref, f.Variables()+1)
		for v := 1; v < len(value[b]); v++ {
			value[b][v] = s.write(s.thread(fmt.Sprintf("T%d(x%d)", b, v)), fmt.Sprintf("x%d", v))
		}
	}
	for i, c := range f {
		var literal [3][2]ref // literal[j][b] writes b to the j-th literal
		for j, l := range c {
			v, name := max(l, -l), fmt.Sprintf("l%d.%d", i+1, j+1)
			for b := range value {
				truth := b
				if l < 0 {
					truth = 1 - b
				}
				t := s.thread(fmt.Sprintf("T%d(%s)", b, name))
				s.read(t, value[b][v])
				w := s.write(t, name)
				literal[j][truth] = w
				if relaxed {
					t = s.thread(fmt.Sprintf("T'%d(%s)", b, name))
					s.read(t, w)
				}
				s.read(t, value[b][v])
			}
		}
		for j := range c {
			t := s.thread(fmt.Sprintf("T%d(C%d)", j+1, i+1))
			s.read(t, literal[(j+2)%3][0])
			s.read(t, literal[j][1])
		}
	}
	h, _ := s.history()
	return h
}
