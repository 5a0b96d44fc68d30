package compare

import (
	"crypto/sha256"
	"encoding/hex"
)

// hash is a SHA-256 sum; zero is that of what a run does not have.
type hash [sha256.Size]byte

// hashOf is a sum of a journal. What is no sum, as of a journal that was edited, has its own.
func hashOf(text string) (h hash) {
	if text == "" {
		return h
	}
	if len(text) == hex.EncodedLen(len(h)) {
		if _, err := hex.Decode(h[:], []byte(text)); err == nil {
			return h
		}
	}
	return sha256.Sum256([]byte(text))
}

// String is the sum in hexadecimal; empty for zero.
func (h hash) String() string {
	if h == (hash{}) {
		return ""
	}
	return hex.EncodeToString(h[:])
}
