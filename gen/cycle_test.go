package gen_test

import (
	"testing"

	"ordeal/gen"
)

// TestCycleName has programs that are shapes, with other names of locations and in another order
// of threads, and some that are nearly.
func TestCycleName(t *testing.T) {
	for _, test := range []struct{ isa, threads, want string }{
		{"", "thread 0\nload b\nload a\nthread 1\nstore a 7\nstore b 3\n", "MP"},
		{"", "thread 0\nload b\nfence\nload a\nthread 1\nstore a 7\nfence\nstore b 3\n", "MP+fences"},
		{"", "thread 0\nload a\nload b\nthread 1\nstore a 7\nstore b 3\n", ""}, // in the order of the writes
		{"", "thread 0\nload a\nload a\nthread 1\nstore a 7\nstore b 3\n", ""},
		{"", "thread 0\nload b\nload a\nthread 1\nstore a 7\nadd b 3\n", ""},
		{"isa aarch64\n", "thread 0\nload b acquire\nload a\nthread 1\nstore a 1\nstore b 2\n", ""},
		{"isa aarch64\n", "thread 0\nstore b 1\nload a\nthread 1\nstore a 2\nload b\n", "SB"},
		{"", "thread 0 dma\nload b\nload a\nthread 1\nstore a 7\nstore b 3\n", ""},
	} {
		p, err := gen.Parse("test", []byte("ordeal-program 1\n"+test.isa+"layout packed\nlocations c a b\n"+test.threads))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.CycleName(); got != test.want {
			t.Errorf("%q, want %q\n%s", got, test.want, p)
		}
	}
}
