package saturate

import "errors"

// pagedRows is the number of columns from which on rows are paged. Tests lower
// it. Narrower rows are copied by Hold, and a block of them is a large part.
var pagedRows = 1024

// pages hold the columns of very wide rows, which are almost all zero: of the
// rows of a 3-SAT reduction with thousands of threads one block in a hundred is
// not. Each row has an index of its blocks. A block is stored when it is first
// written to, and stays.
type pages struct {
	index   []int32   // node × block → number of the block's page; 0 is the zero page
	perRow  int       // blocks of a row
	chunks  [][]int32 // of chunkPages pages each
	stored  int       // pages, the zero page included
	scratch [2]copiedRow
}

// chunkPages is the number of pages that are allocated at once.
const chunkPages = 1 << 10

const pageBytes = 4 * blockChains

// copiedRow is a copy of a row, of which the blocks in the list are not zero.
type copiedRow struct {
	row    []int32
	blocks []int
}

// ErrPages is the error of Saturate when the rows have more pages than
// SetPageMemory allows.
var ErrPages = errors.New("clock rows have filled")

// SetPageMemory bounds the bytes of the pages of very wide rows, which
// EstimateBytes calls sparse; 0 means no bound.
func (g *Graph) SetPageMemory(most int64) { g.pageMemory = most }

// PageBytes is what the pages of very wide rows take now.
func (g *Graph) PageBytes() int64 { return int64(g.stored) * pageBytes }

func (g *Graph) paged() bool { return g.index != nil }

func (g *Graph) tooManyPages() bool { return g.pageMemory > 0 && g.PageBytes() > g.pageMemory }

func blocksOf(columns int) int { return (columns + blockChains - 1) / blockChains }

func (g *Graph) initPages() {
	g.perRow = blocksOf(g.columns.columns)
	g.index = make([]int32, g.n*g.perRow)
	g.chunks = [][]int32{make([]int32, chunkPages*blockChains)}
	g.stored = 1
}

func (p *pages) page(number int32) []int32 {
	lo := int(number) % chunkPages * blockChains
	return p.chunks[int(number)/chunkPages][lo : lo+blockChains : lo+blockChains]
}

// store gives the block of a column a page of its own.
func (g *Graph) store(v Node, column int) {
	b := column / blockChains
	number := &g.index[int(v)*g.perRow+b]
	if *number != 0 {
		return
	}
	if g.stored == len(g.chunks)*chunkPages {
		g.chunks = append(g.chunks, make([]int32, chunkPages*blockChains))
	}
	*number = int32(g.stored)
	g.stored++
	g.blocks[int(v)*g.summary+b/64] |= 1 << (b % 64)
}

// pagedAt is the place of a component of a paged row: that of the zero page
// where the block is not stored.
func (g *Graph) pagedAt(v Node, c int32) *int32 {
	if n := int32(g.columns.columns); c >= n {
		return &g.lanesOf(v)[c-n]
	}
	return &g.page(g.index[int(v)*g.perRow+int(c)/blockChains])[c%blockChains]
}

func (g *Graph) pagedCell(v Node, c int32) int32 { return *g.pagedAt(v, c) }

// lanesOf is the part of a paged row behind the columns.
func (g *Graph) lanesOf(v Node) []int32 {
	if g.rowStart == nil {
		return nil
	}
	n := int64(g.columns.columns)
	lo, hi := g.rowStart[v]-int64(v)*n, g.rowStart[v+1]-int64(v+1)*n
	return g.rows[lo:hi:hi]
}

// part is a range of components of the row of v: of a paged row within one block,
// to be changed only if that is stored, or behind the columns.
func (g *Graph) part(v Node, lo, hi int) []int32 {
	switch n := g.columns.columns; {
	case !g.paged():
		return g.row(v)[lo:hi]
	case lo >= n:
		return g.lanesOf(v)[lo-n : hi-n]
	}
	first := lo % blockChains
	return g.page(g.index[int(v)*g.perRow+lo/blockChains])[first : first+hi-lo]
}

// copied makes a copy of a paged row in the place of another one.
func (g *Graph) copied(v Node, to *copiedRow) []int32 {
	n := g.columns.columns
	if to.row == nil {
		to.row = make([]int32, g.width)
	}
	for _, lo := range to.blocks {
		clear(to.row[lo:min(lo+blockChains, n)])
	}
	to.blocks = to.blocks[:0]
	for i := range g.summary {
		for w := g.blocks[int(v)*g.summary+i]; w != 0; w &= w - 1 {
			lo, hi := g.block(i, w)
			copy(to.row[lo:hi], g.part(v, lo, hi))
			to.blocks = append(to.blocks, lo)
		}
	}
	return to.row[:n+copy(to.row[n:], g.lanesOf(v))]
}
