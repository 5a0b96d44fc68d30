package explore

import (
	"encoding/binary"
	"math/bits"

	"ordeal/sim/explore/machine"
)

// Odd numbers whose bits look random, for the two halves of a hash.
const (
	mixA = 0x9e3779b97f4a7c15
	mixB = 0xbf58476d1ce4e5b9
	mixC = 0x94d049bb133111eb
	mixD = 0xd6e8feb86659fd93
)

// fold multiplies and folds the product, so that every bit of the result
// depends on all bits of both.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// hash is a hash of 128 bits of bytes. It is the same on every machine.
func hash(text []byte) machine.Fingerprint {
	a, b := uint64(len(text))*mixA+mixC, uint64(len(text))*mixB+mixD
	for len(text) >= 8 {
		w := binary.LittleEndian.Uint64(text)
		a, b = fold(a^w, mixA)+w, fold(b^w, mixB)^bits.RotateLeft64(a, 31)
		text = text[8:]
	}
	var w uint64
	for i, c := range text {
		w |= uint64(c) << (8 * i)
	}
	a, b = fold(a^w, mixC), fold(b^w^a, mixD)
	return machine.Fingerprint{Hi: fold(a^b>>32, mixB) + b, Lo: fold(b^a>>29, mixA) ^ a}
}

// ranked is the hash of something at a place in a list.
func ranked(f machine.Fingerprint, rank int) machine.Fingerprint {
	r := uint64(rank)*mixC + mixA
	return machine.Fingerprint{Hi: fold(f.Hi^r, mixB) + f.Lo, Lo: fold(f.Lo^r, mixD) ^ f.Hi}
}

// plus adds fingerprints as numbers of 128 bits: the fingerprint of a state is
// the sum of those of its parts, which a step changes a few of.
func plus(f, g machine.Fingerprint) machine.Fingerprint {
	lo, carry := bits.Add64(f.Lo, g.Lo, 0)
	hi, _ := bits.Add64(f.Hi, g.Hi, carry)
	return machine.Fingerprint{Hi: hi, Lo: lo}
}

func minus(f, g machine.Fingerprint) machine.Fingerprint {
	lo, borrow := bits.Sub64(f.Lo, g.Lo, 0)
	hi, _ := bits.Sub64(f.Hi, g.Hi, borrow)
	return machine.Fingerprint{Hi: hi, Lo: lo}
}
