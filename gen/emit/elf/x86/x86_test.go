package x86_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen/emit/elf/x86"
)

var registerNames = strings.Fields("rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15")

// TestEncodings has every instruction with every register disassembled by
// objdump and compares with what was meant.
func TestEncodings(t *testing.T) {
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("objdump is not installed; the tests that execute code cover the encodings used")
	}
	var a x86.Assembler
	var want []string
	expect := func(format string, args ...any) { want = append(want, fmt.Sprintf(format, args...)) }
	name := func(r x86.Reg) string { return registerNames[r] }
	for r := x86.RAX; r <= x86.R15; r++ {
		for _, b := range []x86.Reg{x86.RAX, x86.RBX, x86.RSP, x86.RBP, x86.RDI, x86.R8, x86.R12, x86.R13, x86.R15} {
			for _, d := range []int32{0, 127, -128, 128, -0x12345} {
				sign, abs := "+", d
				if d < 0 {
					sign, abs = "-", -d
				}
				operand := fmt.Sprintf("QWORD PTR [%s%s0x%x]", name(b), sign, abs)
				if d == 0 && b != x86.RBP && b != x86.R13 {
					operand = fmt.Sprintf("QWORD PTR [%s]", name(b))
				}
				m := x86.At(b, d)
				a.Load(r, m)
				expect("mov %s,%s", name(r), operand)
				a.Store(m, r)
				expect("mov %s,%s", operand, name(r))
				a.Lea(r, m)
				expect("lea %s,%s", name(r), strings.TrimPrefix(operand, "QWORD PTR "))
				a.Xchg(m, r)
				expect("xchg %s,%s", operand, name(r))
				a.LockXadd(m, r)
				expect("lock xadd %s,%s", operand, name(r))
				a.CmpMem(m, r)
				expect("cmp %s,%s", operand, name(r))
				a.XorMem(r, m)
				expect("xor %s,%s", name(r), operand)
			}
			for _, op := range []struct {
				name string
				emit func(dst, src x86.Reg)
			}{{"mov", a.Mov}, {"add", a.Add}, {"sub", a.Sub}, {"and", a.And}, {"or", a.Or}, {"xor", a.Xor}, {"test", a.Test}} {
				op.emit(r, b)
				expect("%s %s,%s", op.name, name(r), name(b))
			}
			a.MulImm(r, b, 0x12345)
			expect("imul %s,%s,0x12345", name(r), name(b))
		}
		a.MovImm(r, 0xffff_ffff)
		low := name(r) + "d"
		if r < x86.R8 {
			low = "e" + name(r)[1:]
		}
		expect("mov %s,0xffffffff", low)
		a.MovImm(r, 0)
		expect("xor %s,%s", low, low)
		a.MovImm(r, 1<<36)
		expect("movabs %s,0x1000000000", name(r))
		a.AddImm(r, 127)
		expect("add %s,0x7f", name(r))
		a.AddImm(r, 128)
		expect("sub %s,0xffffffffffffff80", name(r))
		a.AddImm(r, 4096)
		expect("add %s,0x1000", name(r))
		a.CmpImm(r, 0x7fffffff)
		expect("cmp %s,0x7fffffff", name(r))
		a.Rol(r, 5)
		expect("rol %s,0x5", name(r))
		a.Shl(r, 3)
		expect("shl %s,0x3", name(r))
		a.Shr(r, 12)
		expect("shr %s,0xc", name(r))
		a.Inc(r)
		expect("inc %s", name(r))
		a.Dec(r)
		expect("dec %s", name(r))
		a.JmpReg(r)
		expect("jmp %s", name(r))
		next := a.NewLabel()
		a.LeaLabel(r, next)
		a.Place(next)
		expect("lea %s,[rip+0x0] # 0x%x", name(r), len(a.Code))
	}
	a.Resolve()
	a.Mfence()
	a.Pause()
	a.Syscall()
	a.Ret()
	want = append(want, "mfence", "pause", "syscall", "ret")

	path := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(path, a.Code, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(objdump, "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--no-show-raw-insn", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^ +[0-9a-f]+:\t(.*)$`).FindAllStringSubmatch(string(out), -1) {
		got = append(got, strings.Join(strings.Fields(m[1]), " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestJumps executes nothing: it checks distances at the edges of rel8.
func TestJumps(t *testing.T) {
	for _, test := range []struct{ filler, size int }{{126, 2}, {127, 6}} {
		var a x86.Assembler
		top := a.Here()
		a.Emit(make([]byte, test.filler)...)
		a.Jcc(x86.Equal, top)
		a.Resolve()
		if got := len(a.Code) - test.filler; got != test.size {
			t.Errorf("a jump back over %d bytes has %d bytes, want %d", test.filler, got, test.size)
		}
		last := int8(a.Code[len(a.Code)-1])
		if test.size == 2 && int(last) != -128 {
			t.Errorf("rel8 is %d, want -128", last)
		}
		if test.size == 6 {
			if rel := int32(a.Code[len(a.Code)-4]) - 256; rel != -133 {
				t.Errorf("rel32 is %d, want -133", rel)
			}
		}
	}
}
