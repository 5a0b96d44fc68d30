package compare

import (
	"strings"
	"testing"
)

// TestHashes requires that each text comes back as it was, and that texts that
// differ have hashes that differ.
func TestHashes(t *testing.T) {
	var s hashes
	seen := make(map[hash]string)
	plain := sum("plain")
	for _, text := range []string{"", plain, strings.ToUpper(plain), plain[:62], plain[:63] + "x", plain + "00", strings.Repeat("0", 64), "log"} {
		h := s.of(text)
		if got := s.text(h); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
		if other, ok := seen[h]; ok {
			t.Errorf("%q and %q have one hash", text, other)
		}
		seen[h] = text
	}
}
