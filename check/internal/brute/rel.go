package brute

import "math/bits"

// rel is a binary relation on at most 64 elements: bit b of rel[a] says that
// a is related to b.
type rel []uint64

func newRel(n int) rel {
	if n > 64 {
		panic("brute: more than 64 operations and locations")
	}
	return make(rel, n)
}

func (r rel) add(a, b int)      { r[a] |= 1 << b }
func (r rel) has(a, b int) bool { return r[a]>>b&1 != 0 }

func (r rel) union(others ...rel) rel {
	out := append(rel(nil), r...)
	for _, o := range others {
		for a := range out {
			out[a] |= o[a]
		}
	}
	return out
}

// compose returns r∘s read from left to right: a r b s c.
func (r rel) compose(s rel) rel {
	out := make(rel, len(r))
	for a, row := range r {
		for ; row != 0; row &= row - 1 {
			out[a] |= s[bits.TrailingZeros64(row)]
		}
	}
	return out
}

func (r rel) inverse() rel {
	out := make(rel, len(r))
	for a, row := range r {
		for ; row != 0; row &= row - 1 {
			out.add(bits.TrailingZeros64(row), a)
		}
	}
	return out
}

func (r rel) plus() rel {
	out := append(rel(nil), r...)
	for k := range out {
		for a := range out {
			if out.has(a, k) {
				out[a] |= out[k]
			}
		}
	}
	return out
}

func (r rel) filter(keep func(a, b int) bool) rel {
	out := make(rel, len(r))
	for a := range r {
		for b := range r {
			if r.has(a, b) && keep(a, b) {
				out.add(a, b)
			}
		}
	}
	return out
}

func (r rel) irreflexive() bool {
	for a := range r {
		if r.has(a, a) {
			return false
		}
	}
	return true
}

func (r rel) acyclic() bool { return r.plus().irreflexive() }

func (r rel) subset(s rel) bool {
	for a := range r {
		if r[a]&^s[a] != 0 {
			return false
		}
	}
	return true
}

// each calls f with each pair.
func (r rel) each(f func(a, b int)) {
	for a, row := range r {
		for ; row != 0; row &= row - 1 {
			f(a, bits.TrailingZeros64(row))
		}
	}
}
