package ruby

import (
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
)

// Data says what an encoded state keeps of the data of lines.
type Data struct {
	// Words is the number of words of a line that are kept, the first ones.
	Words int
	// Ages is the number of values of a word that are distinguished by how many
	// stores to it came later: with 2, the value last stored, or memory's before any
	// store, and all others, besides the zeros of data never set. 1 keeps no data; 0
	// keeps the values as they are.
	Ages int
	// Depth is the number of messages that a controller may have under way to
	// itself in one buffer.
	Depth int
	// Unordered are the buffers, as MACHINE.buffer, whose messages from other
	// controllers arrive in any order.
	Unordered []string
	// Counters keeps all numbers as they are, also those that the protocol reads nowhere, and
	// those of which it does not tell great ones apart; see package counters.
	Counters bool
}

// lastWrite is what an encoded state with ages has of the value last stored to a
// word; older values are larger, and data never set are 0.
const lastWrite = 1

// firstToken is the first of the values that Stepper.Store gives.
const firstToken uint64 = 1 << 32

// fill makes the values in memory those last stored, where states keep ages.
func (s *Stepper) fill() {
	for _, c := range s.all {
		if c.memory == nil || s.data.Ages == 0 {
			continue
		}
		for _, line := range s.lines {
			block := new(memory.Block)
			for w := range s.words {
				block[w] = lastWrite
			}
			c.memory.lines[line] = block
		}
	}
}

// Tag is the tag of an access to a word of a line, where states keep ages of
// values: accesses have no other identity.
func (s *Stepper) Tag(line, word int, write bool) uint64 {
	return uint64(line*s.words+word)<<1 | truth(write)
}

// Access that a Tag stands for.
func (s *Stepper) Tagged(tag uint64) (line, word int, write bool) {
	at := int(tag >> 1)
	return at / s.words, at % s.words, tag&1 != 0
}

// Store is the value to store in a word of a line, in the place of a new one,
// where states keep ages of values.
func (s *Stepper) Store(line, word int) uint64 {
	n := &s.stores[line*code.BlockWords+word]
	*n++
	return firstToken + uint64(*n-1)
}

// age is what an encoded state has of a value. A line of -1 is that of no
// explored line, whose data have no age.
func (s *Stepper) age(v uint64, line, word int) uint64 {
	switch {
	case s.data.Ages == 0 || line < 0:
		return v
	case s.data.Ages == 1:
		return 0
	}
	n := uint64(s.stores[line*code.BlockWords+word])
	if v != 0 && n >= settleAlone {
		device := n % settleAlone
		switch {
		case v == uint64(s.data.Ages)+1+device:
			return lastWrite
		case v > uint64(s.data.Ages) || n >= settleRaced:
			return v
		}
		return min(v+1, uint64(s.data.Ages))
	}
	switch {
	case v == 0:
		return 0
	case v > uint64(s.data.Ages) && v < firstToken: // a device writes it
		return v
	case v >= firstToken:
		v = lastWrite + n - 1 - (v - firstToken)
	default:
		v += n
	}
	return min(v, uint64(s.data.Ages))
}

// Stored is the number of stores to a word of a line since Start.
func (s *Stepper) Stored(line, word int) int { return s.stores[line*code.BlockWords+word] }

// Age makes the values of a word of a line older by n stores in what is encoded
// from now on, until Start.
func (s *Stepper) Age(line, word, n int) { s.stores[line*code.BlockWords+word] += n }
