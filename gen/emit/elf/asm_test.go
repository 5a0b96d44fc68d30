package elf

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var registerNames = strings.Fields("rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15")

// TestEncodings has every instruction with every register disassembled by
// objdump and compares with what was meant.
func TestEncodings(t *testing.T) {
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("objdump is not installed; the tests that execute code cover the encodings used")
	}
	var a asm
	var want []string
	expect := func(format string, args ...any) { want = append(want, fmt.Sprintf(format, args...)) }
	name := func(r reg) string { return registerNames[r] }
	for r := rax; r <= r15; r++ {
		for _, b := range []reg{rax, rbx, rsp, rbp, rdi, r8, r12, r13, r15} {
			for _, d := range []int32{0, 127, -128, 128, -0x12345} {
				sign, abs := "+", d
				if d < 0 {
					sign, abs = "-", -d
				}
				operand := fmt.Sprintf("QWORD PTR [%s%s0x%x]", name(b), sign, abs)
				if d == 0 && b != rbp && b != r13 {
					operand = fmt.Sprintf("QWORD PTR [%s]", name(b))
				}
				m := at(b, d)
				a.load(r, m)
				expect("mov %s,%s", name(r), operand)
				a.store(m, r)
				expect("mov %s,%s", operand, name(r))
				a.lea(r, m)
				expect("lea %s,%s", name(r), strings.TrimPrefix(operand, "QWORD PTR "))
				a.xchg(m, r)
				expect("xchg %s,%s", operand, name(r))
				a.lockXadd(m, r)
				expect("lock xadd %s,%s", operand, name(r))
				a.cmpMem(m, r)
				expect("cmp %s,%s", operand, name(r))
				a.xorMem(r, m)
				expect("xor %s,%s", name(r), operand)
			}
			for _, op := range []struct {
				name string
				emit func(dst, src reg)
			}{{"mov", a.mov}, {"add", a.add}, {"sub", a.sub}, {"and", a.and}, {"xor", a.xor}, {"test", a.test}} {
				op.emit(r, b)
				expect("%s %s,%s", op.name, name(r), name(b))
			}
			a.mulImm(r, b, 0x12345)
			expect("imul %s,%s,0x12345", name(r), name(b))
		}
		a.movImm(r, 0xffff_ffff)
		low := name(r) + "d"
		if r < r8 {
			low = "e" + name(r)[1:]
		}
		expect("mov %s,0xffffffff", low)
		a.movImm(r, 0)
		expect("xor %s,%s", low, low)
		a.movImm(r, 1<<36)
		expect("movabs %s,0x1000000000", name(r))
		a.addImm(r, 127)
		expect("add %s,0x7f", name(r))
		a.addImm(r, 128)
		expect("sub %s,0xffffffffffffff80", name(r))
		a.addImm(r, 4096)
		expect("add %s,0x1000", name(r))
		a.cmpImm(r, 0x7fffffff)
		expect("cmp %s,0x7fffffff", name(r))
		a.rol(r, 5)
		expect("rol %s,0x5", name(r))
		a.shl(r, 3)
		expect("shl %s,0x3", name(r))
		a.shr(r, 12)
		expect("shr %s,0xc", name(r))
		a.inc(r)
		expect("inc %s", name(r))
		a.dec(r)
		expect("dec %s", name(r))
	}
	a.mfence()
	a.pause()
	a.syscall()
	a.ret()
	want = append(want, "mfence", "pause", "syscall", "ret")

	path := filepath.Join(t.TempDir(), "a.elf")
	if err := os.WriteFile(path, file(&a, &memory{end: dataBase + pageBytes}), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(objdump, "-d", "-M", "intel", "--no-show-raw-insn", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^ +[0-9a-f]+:\t(.*)$`).FindAllStringSubmatch(string(out), -1) {
		got = append(got, strings.Join(strings.Fields(m[1]), " "))
	}
	if len(got) != len(want) {
		t.Errorf("%d instructions disassembled, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("instruction %d is %q, want %q", i, got[i], want[i])
		}
	}
}

// TestJumps executes nothing: it checks distances at the edges of rel8.
func TestJumps(t *testing.T) {
	for _, test := range []struct{ filler, size int }{{126, 2}, {127, 6}} {
		var a asm
		top := a.here()
		a.emit(make([]byte, test.filler)...)
		a.jcc(equal, top)
		a.resolve()
		if got := len(a.code) - test.filler; got != test.size {
			t.Errorf("a jump back over %d bytes has %d bytes, want %d", test.filler, got, test.size)
		}
		last := int8(a.code[len(a.code)-1])
		if test.size == 2 && int(last) != -128 {
			t.Errorf("rel8 is %d, want -128", last)
		}
		if test.size == 6 {
			if rel := int32(a.code[len(a.code)-4]) - 256; rel != -133 {
				t.Errorf("rel32 is %d, want -133", rel)
			}
		}
	}
}
