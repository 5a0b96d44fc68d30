package bytemask

import (
	"math/rand/v2"
	"testing"
)

// TestMerge compares the copying of bytes by mask with a loop over bytes.
func TestMerge(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	at := func(words []uint64, i int) uint64 { return words[i/8] >> (i % 8 * 8) & 0xff }
	for range 200 {
		var to, from [8]uint64
		for i := range to {
			to[i], from[i] = random.Uint64(), random.Uint64()
		}
		old, first, n := to, random.IntN(64), random.IntN(65)
		bytes := Range(uint64(first), uint64(n))
		Merge(to[:], from[:], bytes)
		for i := range 64 {
			want := at(old[:], i)
			if i >= first && i < first+n {
				want = at(from[:], i)
			}
			if got := at(to[:], i); got != want {
				t.Fatalf("bytes %d to %d: byte %d is %#x, want %#x", first, first+n-1, i, got, want)
			}
		}
	}
}
