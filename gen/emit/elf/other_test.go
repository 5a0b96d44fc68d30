package elf_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
)

func TestOtherRefused(t *testing.T) {
	for _, test := range []struct {
		text string
		opts elf.Options
		want string
	}{
		{"isa riscv64-zalasr\nlayout spread\nlocations x\nthread 0\nload x acquire\n", elf.Options{Rounds: 1}, "executables are of RV64GC: riscv64-zalasr is not supported"},
		{"isa aarch64\nlayout spread\nlocations x\nthread 0\nload x acquire\n", elf.Options{Rounds: 1, Log: elf.LogPseudo}, "gem5's pseudo-instructions are not supported for aarch64"},
		{"isa aarch64\nlayout spread\nlocations x\nthread 0\n" + strings.Repeat("load x\n", 10) + strings.Repeat("load x addr 10\n", 10), elf.Options{Rounds: 1}, "more than 9 reads at a time that later operations depend on"},
	} {
		p, err := gen.Parse("p", []byte("ordeal-program 1\n"+test.text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := elf.Emit(p, test.opts); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: want %s", err, test.want)
		}
		if _, err := elf.EmitBatch([]*gen.Program{p, p}, elf.Options{Rounds: 1}); err == nil {
			t.Error("a batch is accepted")
		}
	}
}

// TestOtherCode: a program of each operation has the instruction that it is meant
// to be, by a disassembler.
func TestOtherCode(t *testing.T) {
	for _, row := range []struct{ isa, tool, code, want string }{
		{"aarch64", "aarch64-linux-gnu-objdump", "load x acquire\nstore x 1 release addr 1\nfence w.w ctrl 2\n", "ldar dmb ishst stlr eor cbnz"},
		{"riscv64", "riscv64-linux-gnu-objdump", "load-linked x acquire\nstore-conditional x 1 release data 1\nfence rw.w ctrl 2\n", "lr.d.aq sc.d.rl xor fence rw,w bnez"},
	} {
		objdump, err := exec.LookPath(row.tool)
		if err != nil {
			t.Skipf("%s is not installed", row.tool)
		}
		p, err := gen.Parse("p", fmt.Appendf(nil, "ordeal-program 1\nisa %s\nlayout spread\nlocations x\nthread 0\n%s", row.isa, row.code))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "a.elf")
		if err := os.WriteFile(path, emit(t, p, elf.Options{Rounds: 1}), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(objdump, "-d", "--disassemble=thread0_round", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(string(out)), " ")
		for _, want := range strings.Fields(row.want) {
			if !strings.Contains(text, want) {
				t.Errorf("no %s in the code of %s:\n%s", want, row.isa, out)
			}
		}
	}
}
