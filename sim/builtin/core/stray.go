package core

import (
	"math/bits"

	"ordeal/sim/builtin/memory"
)

// strayTag is the tag of all loads of wrong paths.
const strayTag = 1 << 62

// strays are the loads that a core issues on wrong paths, as gem5's O3 does past a
// branch that it mispredicts: what they read is dropped, but they take lines and
// places in caches, and one may still be under way when a read-modify-write holds
// a lock.
type strays struct {
	every    int // one load for so many operations on average; 0: none
	underWay int
}

// stray issues a load of any line of the thread, one time in many. One that the
// port refuses is not issued.
func (c *windowed) stray() {
	n := c.strays.every
	if n == 0 || c.random.Uint64()%uint64(n) != 0 {
		return
	}
	at, _ := bits.Mul64(c.random.Uint64(), uint64(len(c.thread.code)))
	line := c.thread.code[at].line
	if line != 0 && c.port.Access(memory.Request{Line: line, Tag: strayTag}) {
		c.strays.underWay++
	}
}
