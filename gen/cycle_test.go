package gen_test

import (
	"testing"

	"ordeal/gen"
)

// TestCycleName has programs of each instruction set: their names do not depend on
// delays, and the names of shapes give them again.
func TestCycleName(t *testing.T) {
	for _, test := range []struct{ isa, threads, want string }{
		{"", "thread 0\nload b\nload a\nthread 1\nstore a 7\nfence\nstore b 3\n", "MP+mfence+po"},
		{"", "thread 0\nload b\ndelay 3\nload a\nthread 1\nstore a 7\nstore b 3\n", "MP"},
		{"", "thread 0\nload b\nload a\nthread 1\nstore a 7\nadd b 3\n", ""},
		{"isa aarch64\n", "thread 0\nload b acquire\ndelay 4\nload a addr 2\nthread 1\nstore a 1\nfence w.w\nstore b 2 release\n", "MP+dmb.stpl+addrap"},
		{"isa aarch64\n", "thread 0\nload b\ndelay 4\nload a addr 2\nthread 1\nstore a 1\nfence w.w\nstore b 2 release\n", "MP+dmb.stpl+addr"},
		{"isa aarch64\n", "thread 0\nload b\nfence isync ctrl 1\nload a\nthread 1\nstore a 1\nload-linked b\nstore-conditional b 2 release\n", "MP+popxl+ctrlisb"},
		{"isa riscv64\n", "thread 0\nexchange b 4 acquire\nload a\nthread 1\nstore a 1\nfence rw.w\nstore b 2\n", "MP+fence.rw.w+rmwaqaq-poaqp"},
		{"isa riscv64\n", "thread 0\nload-linked b\nstore-conditional b 2\nload-linked b retry\nstore-conditional b 2 retry\nload a\nthread 1\nstore a 1\nload b\n", ""},
		{"", "thread 0 dma\nload b\nload a\nthread 1\nstore a 7\nstore b 3\n", ""},
		{"", "thread 0\ndelay 3\nthread 1\nstore a 7\nstore b 3\n", ""},
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
