package risc

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
	"ordeal/gen/emit/elf/x86"
)

// tools are those of binutils for an instruction set.
var tools = map[gen.ISA]string{gen.AArch64: "aarch64-linux-gnu-", gen.RISCV64: "riscv64-linux-gnu-"}

// assembled is the code of a text by the assembler of binutils.
func assembled(t *testing.T, isa gen.ISA, text string, flags ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	source, object, code := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o"), filepath.Join(dir, "a.bin")
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		append(append([]string{tools[isa] + "as"}, flags...), "-o", object, source),
		{tools[isa] + "objcopy", "-O", "binary", "-j", ".text", object, code},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s\n%s", args, err, out, text)
		}
	}
	data, err := os.ReadFile(code)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// compare assembles a text and compares it, word by word, with our code.
func compare(t *testing.T, isa gen.ISA, lines []string, code []byte, flags ...string) {
	t.Helper()
	want := assembled(t, isa, strings.Join(lines, "\n")+"\n", flags...)
	if bytes.Equal(want, code) {
		return
	}
	list := func(b []byte) (words []string) {
		for i := 0; i+4 <= len(b); i += 4 {
			words = append(words, fmt.Sprintf("%d: %02x%02x%02x%02x", i/4, b[i+3], b[i+2], b[i+1], b[i]))
		}
		return words
	}
	t.Errorf("code (-assembler +got):\n%s", cmp.Diff(list(want), list(code)))
}

func needTools(t *testing.T, isa gen.ISA) {
	t.Helper()
	if _, err := exec.LookPath(tools[isa] + "as"); err != nil {
		t.Skipf("%sas is not installed: the tests that run code cover the encodings used", tools[isa])
	}
}

// samples are a constant of every length and sign.
var samples = []uint64{0, 1, 2047, 0x800, 0xfff, 0x1234_5000, 0x7fff_f800, 0x7fff_ffff, 0xffff_ffff, 1 << 32, 1 << 36, 0x1234_5678_9abc_def0, 1<<63 | 1, 1<<64 - 1, 1<<64 - 2049, 1<<64 - 4, 0xffff_ffff_8000_0000, 0xffff_0000_ffff_0000}

func TestAArch64(t *testing.T) {
	needTools(t, gen.AArch64)
	a := New(gen.AArch64)
	var want []string
	say := func(format string, args ...any) { want = append(want, fmt.Sprintf(format, args...)) }
	e := arm{}
	for _, r := range []reg{0, 7, 30} {
		for i, name := range []string{"add", "sub", "and", "orr", "eor", "mul"} {
			e.three(a, operation(i), r, 9, 28)
			say("%s x%d, x9, x28", name, r)
		}
		for _, v := range []int32{0, 1, 2047, -2047} {
			e.addImm(a, r, 5, v)
			say("%s x%d, x5, #%d", map[bool]string{true: "sub", false: "add"}[v < 0], r, max(v, -v))
		}
		for _, by := range []byte{1, 12, 63} {
			e.shift(a, true, r, 4, by)
			say("lsl x%d, x4, #%d", r, by)
			e.shift(a, false, r, 4, by)
			say("lsr x%d, x4, #%d", r, by)
		}
		for _, d := range []int32{0, 8, 32760, -256, -8, 3, 255} {
			if !e.fits(d) {
				t.Errorf("displacement %d does not fit", d)
			}
			op := map[bool]string{true: "r", false: "ur"}[d >= 0 && d%8 == 0]
			e.access(a, false, r, 11, d)
			say("ld%s x%d, [x11, #%d]", op, r, d)
			e.access(a, true, r, 11, d)
			say("st%s x%d, [x11, #%d]", op, r, d)
		}
		e.jumpTo(a, r)
		say("br x%d", r)
		e.branchToNext(a, r)
		say("cbnz x%d, .+4", r)
	}
	for c, name := range map[x86.Cond]string{x86.Below: "hs", x86.Equal: "ne", x86.NotEqual: "eq", x86.Sign: "pl", x86.AboveEqual: "lo", x86.BelowEqual: "hi", x86.LessEqual: "gt"} {
		e.skipUnless(a, c, 3, 31, 1)
		say("cmp x3, xzr\nb.%s .+8", name)
	}
	for _, m := range []struct {
		kind gen.OpKind
		attr gen.Attr
		text string
	}{
		{gen.Load, 0, "ldr x1, [x3]"}, {gen.Load, gen.Acquire, "ldar x1, [x3]"}, {gen.Load, gen.AcquirePC, "ldapr x1, [x3]"},
		{gen.Store, 0, "str x2, [x3]"}, {gen.Store, gen.Release, "stlr x2, [x3]"},
		{gen.LoadLinked, 0, "ldxr x1, [x3]"}, {gen.LoadLinked, gen.Acquire, "ldaxr x1, [x3]"},
		{gen.StoreConditional, 0, "stxr w1, x2, [x3]"}, {gen.StoreConditional, gen.Release, "stlxr w1, x2, [x3]"},
		{gen.Exchange, 0, "swp x2, x1, [x3]"}, {gen.Exchange, gen.Acquire, "swpa x2, x1, [x3]"},
		{gen.Exchange, gen.Release, "swpl x2, x1, [x3]"}, {gen.FetchAdd, gen.Acquire | gen.Release, "ldaddal x2, x1, [x3]"},
		{gen.FetchAdd, 0, "ldadd x2, x1, [x3]"},
	} {
		e.memory(a, m.kind, m.attr, 1, 2, 3)
		say("%s", m.text)
	}
	for _, f := range []struct {
		kind gen.Value
		text string
	}{{15, "dmb ish"}, {3, "dmb ishld"}, {8, "dmb ishst"}, {gen.InstructionBarrier, "isb"}} {
		e.fence(a, f.kind)
		say("%s", f.text)
	}
	e.instruction(a, pause)
	e.instruction(a, syscall)
	say("yield\nsvc #0")
	compare(t, gen.AArch64, want, a.Bytes(), "-march=armv8.3-a")
}

func TestRISCV(t *testing.T) {
	needTools(t, gen.RISCV64)
	a := New(gen.RISCV64)
	var want []string
	say := func(format string, args ...any) { want = append(want, fmt.Sprintf(format, args...)) }
	e := rv64{}
	for _, r := range []reg{1, 7, 31} {
		for i, name := range []string{"add", "sub", "and", "or", "xor", "mul"} {
			e.three(a, operation(i), r, 9, 28)
			say("%s x%d, x9, x28", name, r)
		}
		for _, v := range []int32{0, 1, 2047, -2048} {
			e.addImm(a, r, 5, v)
			say("addi x%d, x5, %d", r, v)
			e.access(a, false, r, 11, v)
			say("ld x%d, %d(x11)", r, v)
			e.access(a, true, r, 11, v)
			say("sd x%d, %d(x11)", r, v)
		}
		for _, by := range []byte{1, 12, 63} {
			e.shift(a, true, r, 4, by)
			say("slli x%d, x4, %d", r, by)
			e.shift(a, false, r, 4, by)
			say("srli x%d, x4, %d", r, by)
		}
		e.jumpTo(a, r)
		say("jalr x0, 0(x%d)", r)
		e.branchToNext(a, r)
		say("bne x%d, x0, .+4", r)
	}
	for c, text := range map[x86.Cond]string{
		x86.Below: "bgeu x3, x4", x86.AboveEqual: "bltu x3, x4", x86.Equal: "bne x3, x4", x86.NotEqual: "beq x3, x4",
		x86.BelowEqual: "bltu x4, x3", x86.Sign: "bge x3, x0", x86.LessEqual: "blt x0, x3",
	} {
		e.skipUnless(a, c, 3, 4, 2)
		say("%s, .+12", text)
	}
	for _, m := range []struct {
		kind gen.OpKind
		attr gen.Attr
		text string
	}{
		{gen.Load, 0, "ld x1, 0(x3)"}, {gen.Store, 0, "sd x2, 0(x3)"},
		{gen.LoadLinked, 0, "lr.d x1, (x3)"}, {gen.LoadLinked, gen.Acquire, "lr.d.aq x1, (x3)"},
		{gen.StoreConditional, 0, "sc.d x1, x2, (x3)"}, {gen.StoreConditional, gen.Release, "sc.d.rl x1, x2, (x3)"},
		{gen.Exchange, gen.Acquire, "amoswap.d.aq x1, x2, (x3)"}, {gen.FetchAdd, gen.Acquire | gen.Release, "amoadd.d.aqrl x1, x2, (x3)"},
		{gen.FetchAdd, 0, "amoadd.d x1, x2, (x3)"},
	} {
		e.memory(a, m.kind, m.attr, 1, 2, 3)
		say("%s", m.text)
	}
	for _, f := range []struct {
		kind gen.Value
		text string
	}{{15, "fence rw, rw"}, {1, "fence r, r"}, {2, "fence r, w"}, {4, "fence w, r"}, {8, "fence w, w"}, {3, "fence r, rw"}, {12, "fence w, rw"}, {5, "fence rw, r"}, {10, "fence rw, w"}, {11, "fence.tso"}} {
		e.fence(a, f.kind)
		say("%s", f.text)
	}
	e.instruction(a, syscall)
	say("ecall")
	compare(t, gen.RISCV64, append([]string{".option norvc"}, want...), a.Bytes(), "-march=rv64g")
}

// TestConstants has constants disassembled, and computes them from that.
func TestConstants(t *testing.T) {
	for isa, machine := range map[gen.ISA]string{gen.AArch64: "aarch64", gen.RISCV64: "riscv:rv64"} {
		if _, err := exec.LookPath(tools[isa] + "objdump"); err != nil {
			t.Skipf("%sobjdump is not installed", tools[isa])
		}
		for _, v := range samples {
			a := New(isa)
			a.MovImm(x86.RCX, v)
			path := filepath.Join(t.TempDir(), "code")
			if err := os.WriteFile(path, a.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(tools[isa]+"objdump", "-D", "-b", "binary", "-m", machine, "-M", "no-aliases", "--no-show-raw-insn", path).Output()
			if err != nil {
				t.Fatal(err)
			}
			var got uint64
			for _, line := range regexp.MustCompile(`(?m)^ +[0-9a-f]+:\t(.*)$`).FindAllStringSubmatch(string(out), -1) {
				got = step(t, got, line[1])
			}
			if got != v {
				t.Errorf("%s: constant %#x becomes %#x:\n%s", isa, v, got, out)
			}
		}
	}
}

// step executes an instruction that loads a part of a constant.
func step(t *testing.T, v uint64, line string) uint64 {
	t.Helper()
	line = strings.ReplaceAll(strings.ReplaceAll(line, ",", " "), "#", " ")
	line, _, _ = strings.Cut(line, "//")
	words := strings.Fields(line)
	number := func(i int) uint64 {
		var n int64
		if _, err := fmt.Sscan(words[i], &n); err != nil {
			var u uint64
			if _, err := fmt.Sscan(words[i], &u); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			return u
		}
		return uint64(n)
	}
	by := uint64(0)
	if len(words) == 5 && words[3] == "lsl" {
		by = number(4)
	}
	switch words[0] {
	case "movz":
		return number(2) << by
	case "movn":
		return ^(number(2) << by)
	case "movk":
		return v&^(0xffff<<by) | number(2)<<by
	case "mov": // the only alias that stays
		return number(2)
	case "lui":
		return uint64(int64(int32(number(2) << 12)))
	case "addiw":
		return uint64(int64(int32(v + number(3))))
	case "addi":
		if words[2] == "zero" {
			v = 0
		}
		return v + number(3)
	case "slli":
		return v << number(3)
	}
	t.Fatalf("unexpected instruction %q", line)
	return 0
}
