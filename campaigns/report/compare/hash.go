package compare

import (
	"crypto/sha256"
	"encoding/hex"
)

// hash is a SHA-256 sum; zero is that of what a run does not have.
type hash [sha256.Size]byte

// hashes converts the sums of a journal. It keeps what is no sum in lower-case
// hexadecimal, by its own sum.
type hashes struct{ others map[hash]string }

func (s *hashes) of(text string) hash {
	var h hash
	if text == "" {
		return h
	}
	if len(text) == hex.EncodedLen(len(h)) {
		if _, err := hex.Decode(h[:], []byte(text)); err == nil && h != (hash{}) && hex.EncodeToString(h[:]) == text {
			return h
		}
	}
	h = sha256.Sum256([]byte(text))
	if s.others == nil {
		s.others = make(map[hash]string)
	}
	s.others[h] = text
	return h
}

// text is what of has converted.
func (s *hashes) text(h hash) string {
	if h == (hash{}) {
		return ""
	}
	if text, ok := s.others[h]; ok {
		return text
	}
	return hex.EncodeToString(h[:])
}
