// Package bytemask has masks of the bytes of a line: one bit for each.
package bytemask

// Range is the mask of n bytes from the first one.
func Range(first, n uint64) uint64 {
	if n >= 64 {
		return ^uint64(0) << min(first, 64)
	}
	return (1<<n - 1) << min(first, 64)
}

// Merge copies the bytes of a mask from one block to another of the same length.
func Merge(to, from []uint64, mask uint64) {
	for i := range to {
		var m uint64
		for b := range 8 {
			if mask>>(8*i+b)&1 != 0 {
				m |= 0xff << (8 * b)
			}
		}
		to[i] = to[i]&^m | from[i]&m
	}
}
