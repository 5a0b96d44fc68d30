package closure

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// blocksByDefinition finds the largest sets of two nodes and more that are
// connected, and stay so without any one of their nodes.
func blocksByDefinition(n int, edge func(u, v int32) bool) [][]int32 {
	connected := func(set uint32) bool {
		reached := set & -set
		for grown := true; grown; {
			grown = false
			for u := range int32(n) {
				for v := range int32(n) {
					if u != v && reached>>u&1 == 1 && set>>v&1 == 1 && reached>>v&1 == 0 && edge(u, v) {
						reached |= 1 << v
						grown = true
					}
				}
			}
		}
		return reached == set
	}
	var found []uint32
	for set := range uint32(1) << n {
		whole := set&(set-1) != 0 && connected(set)
		for v := range n {
			whole = whole && connected(set&^(1<<v))
		}
		if whole {
			found = append(found, set)
		}
	}
	var out [][]int32
	for _, set := range found {
		if slices.ContainsFunc(found, func(o uint32) bool { return o != set && o&set == set }) {
			continue
		}
		var block []int32
		for v := range int32(n) {
			if set>>v&1 == 1 {
				block = append(block, v)
			}
		}
		out = append(out, block)
	}
	return out
}

// TestBlocks compares Blocks with the definition on all graphs of up to five
// nodes and on random ones of six.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	compare := func(n int, bits uint32) {
		edge := func(u, v int32) bool { return bits>>(max(u, v)*(max(u, v)-1)/2+min(u, v))&1 == 1 }
		got, want := Blocks(n, edge), blocksByDefinition(n, edge)
		for _, list := range [][][]int32{got, want} {
			slices.SortFunc(list, slices.Compare)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("graph %b of %d nodes (-want +got):\n%s", bits, n, d)
		}
	}
	for n := range 6 {
		for bits := range uint32(1) << (n * (n - 1) / 2) {
			compare(n, bits)
		}
	}
	for range 200 {
		compare(6, rng.Uint32N(1<<15))
	}
}
