package ruby

import "testing"

// TestAskedByTimer has a controller without a core, whose port of a timer table
// has no buffer, as the directory of gem5's MOESI_CMP_token.
func TestAskedByTimer(t *testing.T) {
	c := &controller{in: []*buffer{nil}}
	if c.asked(0x40) {
		t.Error("a timer is an access of a core")
	}
}
