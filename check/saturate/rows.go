package saturate

import (
	"math/bits"
	"slices"
)

// blockChains is the number of chains in a block: a cache line of a row.
const blockChains = 16

// wideRows is the number of clock entries from which on rows have summaries.
const wideRows = 128

// clockRows holds the clock rows. Wide rows are mostly zero, since a history
// of many threads has short ones: each has a summary with a bit for every
// block of clock entries that may be non-zero. Rows of one width are
// allocated in slabs when they are first asked for, so that a history that is
// refuted by its beginning takes no memory for the rest: the runtime would clear
// one array for all, if it begins in memory that was used before.
type clockRows struct {
	rows    []int32   // node × component, where rowStart says
	slabs   [][]int32 // of slabRows rows of one width each, nil as long as they are zero
	blocks  []uint64  // node × summary; nil for narrow rows
	summary int       // words of a summary
	latest  []Node    // slot → the latest write, by the sweep, that gave its write chains; or NoNode; nil without write chains
	joined  []int32   // scratch of knownWrites
}

func (g *Graph) initRows() {
	g.clockRows = clockRows{}
	if g.entries > wideRows {
		g.summary = summaryWords(g.entries)
		g.blocks = make([]uint64, g.n*g.summary)
	}
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

func summaryWords(entries int) int { return (entries + 64*blockChains - 1) / (64 * blockChains) }

func (g *Graph) nonZero(v Node, c int) {
	if g.blocks != nil && c < g.entries {
		g.blocks[int(v)*g.summary+c/(64*blockChains)] |= 1 << (c / blockChains % 64)
	}
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
	if g.blocks == nil {
		src, dst := g.row(u), g.row(v)
		if own := g.component(v, v); own >= 0 && dst[own] == 0 {
			copy(dst[:shared], src)
			dst[own] = g.pos(v)
		} else {
			raise(dst[:shared], src)
		}
		return
	}
	raise(g.row(v)[g.entries:shared], g.row(u)[g.entries:shared])
	for i := range g.summary {
		w := g.blocks[int(u)*g.summary+i]
		g.blocks[int(v)*g.summary+i] |= w
		for ; w != 0; w &= w - 1 {
			lo, hi := g.block(i, w)
			raise(g.row(v)[lo:hi], g.row(u)[lo:hi])
		}
	}
}

// block is the range of clock entries of the lowest bit of word i of a summary.
func (g *Graph) block(i int, w uint64) (lo, hi int) {
	lo = (i*64 + bits.TrailingZeros64(w)) * blockChains
	return lo, min(lo+blockChains, g.entries)
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
	if g.blocks == nil {
		g.joinRange(u, v, 0, g.shared(u, v), nil)
		return
	}
	m := g.joinRange(u, v, g.entries, g.shared(u, v), nil)
	for i := range g.summary {
		w := g.blocks[int(u)*g.summary+i]
		g.blocks[int(v)*g.summary+i] |= w
		for ; w != 0; w &= w - 1 {
			lo, hi := g.block(i, w)
			m = g.joinRange(u, v, lo, hi, m)
		}
	}
}

// joinRange does so for a range of components. m is v's mask, nil as long as
// nothing has changed.
func (g *Graph) joinRange(u, v Node, lo, hi int, m []uint64) []uint64 {
	src, dst := g.row(u)[lo:hi], g.row(v)[lo:hi]
	for i, p := range src {
		if p > dst[i] {
			if m == nil {
				m = g.dirty(v)
			}
			c := lo + i
			g.record(v, int32(c), dst[i])
			dst[i] = p
			m[c>>6] |= 1 << (c & 63)
		}
	}
	return m
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
			g.nonZero(v, c)
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
