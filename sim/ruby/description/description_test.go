package description

import (
	"strings"
	"testing"
)

// TestRange reads ranges as gem5 writes them (AddrRange.__str__), and asks what is in them: bit i of
// the match is the parity of the address under mask i.
func TestRange(t *testing.T) {
	for _, text := range []string{"", "1", "1:", "5:5", "9:3", "0:8:1", "0:8:2:64", "x:8", "0:8:0:1:1:1:1:1:1:1:1:1:1:1", "-1:8", "0:18446744073709551616"} {
		if r, err := ParseRange(text); err == nil {
			t.Errorf("%q is read as %v", text, r)
		}
	}
	r, err := ParseRange("0x1000:8192:2:64:384")
	if err != nil || r.String() != "4096:8192:2:64:384" {
		t.Fatalf("%v, %v", r, err)
	}
	for addr, in := range map[uint64]bool{4096: false, 4096 + 128: true, 4096 + 256: true, 4096 + 384: false, 4096 + 128 + 64: false, 8192 + 128: false, 128: false, 8191 &^ 64 &^ 128: true} {
		if r.Contains(addr) != in {
			t.Errorf("%#x is in the range: %v, want %v", addr, !in, in)
		}
	}
}

// TestOwned finds addresses with no owner or two: at the ends of ranges, and between those that
// interleave.
func TestOwned(t *testing.T) {
	for _, c := range []struct{ owners, fault string }{
		{"0:4096", ""},
		{"0:2048 2048:4096", ""},
		{"0:4096:0:64 0:4096:1:64", ""},
		{"0:4096:0:64:128 0:4096:1:64:128 0:4096:2:64:128 0:4096:3:64:128", ""},
		{"1024:4096", "no range"},
		{"0:1024 2048:4096", "no range"},
		{"0:4096:0:64", "no range"},
		{"0:4096:0:64:128 0:4096:1:64:128 0:4096:2:64:128", "no range"},
		{"0:4096 4095:8192", "2 owners"},
		{"0:4096 0:4096:1:64", "2 owners"},
		{"0:4096:0:64 0:4096:1:64 8192:9000 8999:9001", "2 owners"},
		{"0:4096 8192:9000", ""}, // a hole that programs do not reach
	} {
		var owners [][]Range
		for text := range strings.FieldsSeq(c.owners) {
			r, err := ParseRange(text)
			if err != nil {
				t.Fatal(err)
			}
			owners = append(owners, []Range{r})
		}
		err := Owned(owners, 0, 4096)
		if (err != nil) != (c.fault != "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %v, want %q", c.owners, err, c.fault)
		}
	}
}
