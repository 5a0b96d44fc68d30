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
				for _, op := range []struct {
					emit func()
					want string
				}{
					{func() { a.Load(r, m) }, "mov " + name(r) + "," + operand},
					{func() { a.Store(m, r) }, "mov " + operand + "," + name(r)},
					{func() { a.Lea(r, m) }, "lea " + name(r) + "," + strings.TrimPrefix(operand, "QWORD PTR ")},
					{func() { a.Xchg(m, r) }, "xchg " + operand + "," + name(r)},
					{func() { a.LockXadd(m, r) }, "lock xadd " + operand + "," + name(r)},
					{func() { a.CmpMem(m, r) }, "cmp " + operand + "," + name(r)},
					{func() { a.XorMem(r, m) }, "xor " + name(r) + "," + operand},
				} {
					op.emit()
					want = append(want, op.want)
				}
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
		low := name(r) + "d"
		if r < x86.R8 {
			low = "e" + name(r)[1:]
		}
		for _, op := range []struct {
			emit func()
			want string
		}{
			{func() { a.MovImm(r, 0xffff_ffff) }, "mov " + low + ",0xffffffff"},
			{func() { a.MovImm(r, 0) }, "xor " + low + "," + low},
			{func() { a.MovImm(r, 1<<36) }, "movabs " + name(r) + ",0x1000000000"},
			{func() { a.AddImm(r, 127) }, "add " + name(r) + ",0x7f"},
			{func() { a.AddImm(r, 128) }, "sub " + name(r) + ",0xffffffffffffff80"},
			{func() { a.AddImm(r, 4096) }, "add " + name(r) + ",0x1000"},
			{func() { a.CmpImm(r, 0x7fffffff) }, "cmp " + name(r) + ",0x7fffffff"},
			{func() { a.Rol(r, 5) }, "rol " + name(r) + ",0x5"},
			{func() { a.Shl(r, 3) }, "shl " + name(r) + ",0x3"},
			{func() { a.Shr(r, 12) }, "shr " + name(r) + ",0xc"},
			{func() { a.Inc(r) }, "inc " + name(r)},
			{func() { a.Dec(r) }, "dec " + name(r)},
			{func() { a.JmpReg(r) }, "jmp " + name(r)},
		} {
			op.emit()
			want = append(want, op.want)
		}
		next := a.NewLabel()
		a.LeaLabel(r, next)
		a.Place(next)
		expect("lea %s,[rip+0x0] # 0x%x", name(r), len(a.Code))
	}
	for x := x86.XMM(0); x < 16; x++ {
		for _, r := range []x86.Reg{x86.RAX, x86.RSP, x86.RBP, x86.R9, x86.R12} {
			a.Movlps(x, x86.At(r, 0x40))
			expect("movlps xmm%d,QWORD PTR [%s+0x40]", x, name(r))
			a.Movhps(x, x86.At(r, 0x400))
			expect("movhps xmm%d,QWORD PTR [%s+0x400]", x, name(r))
			a.MovqFromXMM(r, x)
			expect("movq %s,xmm%d", name(r), x)
			a.MovqToXMM(x, r)
			expect("movq xmm%d,%s", x, name(r))
		}
		for _, y := range []x86.XMM{0, 7, 8, 15} {
			a.Movhlps(x, y)
			expect("movhlps xmm%d,xmm%d", x, y)
			a.Movlhps(x, y)
			expect("movlhps xmm%d,xmm%d", x, y)
			a.Mulsd(x, y)
			expect("mulsd xmm%d,xmm%d", x, y)
		}
	}
	a.Resolve()
	a.Mfence()
	a.Lfence()
	a.Pause()
	a.Fsqrt()
	a.Syscall()
	a.Ret()
	want = append(want, "mfence", "lfence", "pause", "fsqrt", "syscall", "ret")

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
