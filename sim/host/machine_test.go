package host

import (
	"strings"
	"testing"

	"ordeal/gen"
)

// TestRuns has machines with what their processors may lack.
func TestRuns(t *testing.T) {
	full := machine{"linux", "arm64", true, true}
	for _, test := range []struct {
		isa  string
		op   string
		at   machine
		want string // "" if it runs
	}{
		{"x86-64", "load x", machine{os: "linux", arch: "amd64"}, ""},
		{"x86-64", "load x", machine{os: "darwin", arch: "amd64"}, "this machine is darwin/amd64"},
		{"x86-64", "load x", machine{os: "linux", arch: "s390x"}, "this machine is linux/s390x"},
		{"x86-64", "load x", full, "the program is of instruction set x86-64, and this machine is of aarch64"},
		{"aarch64", "load x", machine{os: "linux", arch: "amd64"}, "the program is of instruction set aarch64, and this machine is of x86-64"},
		{"aarch64", "load x acquirepc", full, ""},
		{"aarch64", "load x acquirepc", machine{"linux", "arm64", true, false}, "load x acquirepc: this processor has no ldapr"},
		{"aarch64", "add x 1", full, ""},
		{"aarch64", "add x 1", machine{"linux", "arm64", false, true}, "this processor has no atomic instructions"},
		{"aarch64", "exchange x 1", machine{"linux", "arm64", false, true}, "this processor has no atomic instructions"},
		{"riscv64", "add x 1", machine{os: "linux", arch: "riscv64"}, ""},
		{"riscv64", "load x", full, "the program is of instruction set riscv64, and this machine is of aarch64"},
	} {
		p, err := gen.Parse("test", []byte("ordeal-program 1\nisa "+test.isa+"\nlayout spread\nlocations x\nthread 0\n"+test.op+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		switch err := runs(p, test.at); {
		case test.want == "" && err != nil:
			t.Errorf("%s of %s: %v", test.op, test.isa, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s of %s: %v, want %s", test.op, test.isa, err, test.want)
		}
	}
}
