package cache

import "math/bits"

// tree holds the replacement state of one set: gem5's TreePLRU. It is a
// complete binary tree over the ways, its root bit 1, the children of bit n
// bits 2n and 2n+1. A clear bit points left.
type tree uint64

// point sets the bits on the path to a way: away from it when it has been
// used, towards it when it is to be replaced next.
func (t *tree) point(way, ways int, towards bool) {
	node := 1
	for level := bits.Len(uint(ways)) - 2; level >= 0; level-- {
		right := way>>level&1 == 1
		if right == towards {
			*t |= 1 << node
		} else {
			*t &^= 1 << node
		}
		node *= 2
		if right {
			node++
		}
	}
}

// victim follows the bits to a way.
func (t tree) victim(ways int) int {
	node := 1
	for node < ways {
		node = 2*node + int(t>>node&1)
	}
	return node - ways
}
