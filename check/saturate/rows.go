package saturate

import (
	"math/bits"
	"slices"
)

// clockRows holds the clock rows. Rows of one width are allocated in slabs when they
// are first asked for, so that a history that is refuted by its beginning takes no
// memory for the rest: the runtime would clear one array for all, if it begins in
// memory that was used before.
type clockRows struct {
	rows   []int32   // node × component, where rowStart says
	slabs  [][]int32 // of slabRows rows of one width each, nil as long as they are zero
	latest []Node    // slot → the latest write, by the sweep, that gave its write chains; or NoNode; nil without write chains
	joined []int32   // scratch of knownWrites
}

func (g *Graph) initRows() {
	g.clockRows = clockRows{}
	if g.rowStart == nil {
		g.slabs = make([][]int32, (g.n+slabRows-1)/slabRows)
	} else {
		g.rows = make([]int32, g.rowStart[g.n])
	}
	if g.byLocation() {
		g.latest = slices.Repeat([]Node{NoNode}, len(g.writePos))
	}
}

// slabRows is the number of rows that are allocated at once: 128 KiB with 64 threads
// under TSO.
const slabRows = 256

// slab is the slab with the row of v.
func (g *Graph) slab(v Node) []int32 {
	s := &g.slabs[v/slabRows]
	if *s == nil {
		*s = make([]int32, min(slabRows, g.n-int(v)/slabRows*slabRows)*g.width)
	}
	return *s
}

// joinRow raises the row of v, which the sweep has not come to, to the
// maximum of it and u's. A row without its own component is still zero.
func (g *Graph) joinRow(u, v Node) {
	shared := g.shared(u, v)
	if g.latest != nil && shared > g.entries && g.chain[u] != g.chain[v] {
		if l := &g.latest[g.slot[v]]; *l == NoNode || g.order[u] > g.order[*l] {
			*l = u
		}
	}
	src, dst := g.row(u), g.row(v)
	if own := g.component(v, v); own >= 0 && dst[own] == 0 {
		copy(dst[:shared], src)
		dst[own] = g.pos(v)
	} else {
		raise(dst[:shared], src)
	}
}

func raise(dst, src []int32) {
	src = src[:len(dst)]
	c := 0
	for ; c+8 <= len(dst); c += 8 { // the compiler does not unroll loops
		d, s := (*[8]int32)(dst[c:]), (*[8]int32)(src[c:])
		d[0], d[1], d[2], d[3] = max(d[0], s[0]), max(d[1], s[1]), max(d[2], s[2]), max(d[3], s[3])
		d[4], d[5], d[6], d[7] = max(d[4], s[4]), max(d[5], s[5]), max(d[6], s[6]), max(d[7], s[7])
	}
	for ; c < len(dst); c++ {
		dst[c] = max(dst[c], src[c])
	}
}

// joinAll raises the row of v, a processed node, by the row of u and queues v
// if that changed it.
func (g *Graph) joinAll(u, v Node) {
	shared := g.shared(u, v)
	src, dst := g.row(u)[:shared], g.row(v)[:shared]
	var m []uint64 // v's mask, nil as long as nothing has changed
	for c, p := range src {
		if p > dst[c] {
			if m == nil {
				m = g.dirty(v)
			}
			g.record(v, int32(c), dst[c])
			dst[c] = p
			m[c>>6] |= 1 << (c & 63)
		}
	}
}

// joinMasked raises the row of v by the components of u's row in a mask.
func (g *Graph) joinMasked(u, v Node, mask []uint64) {
	src, dst := g.row(u), g.row(v)
	shared := g.shared(u, v)
	var m []uint64
	for i, w := range mask {
		for ; w != 0; w &= w - 1 {
			c := i<<6 + bits.TrailingZeros64(w)
			if c >= shared {
				return
			}
			p, old := src[c], dst[c]
			if p <= old {
				continue
			}
			g.record(v, int32(c), old)
			dst[c] = p
			if g.order[v] == 0 {
				continue // the sweep has not come to it
			}
			if m == nil {
				m = g.dirty(v)
			}
			m[c>>6] |= 1 << (c & 63)
		}
	}
}

// record saves a component that is about to change for Undo.
func (g *Graph) record(v Node, c, old int32) {
	if t := g.trail; t != nil {
		t.rows = append(t.rows, savedComponent{v, c, old})
	}
}
