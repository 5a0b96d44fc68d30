package elf_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
)

// instructionsOf counts the instructions that a round of each thread executes,
// those of delays included, with the help of objdump.
func instructionsOf(t *testing.T, objdump string, executable []byte) (n int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.elf")
	// objdump knows a nop of four bytes, but not m5_sum.
	executable = bytes.ReplaceAll(executable, []byte{0x0f, 0x04, 0x23, 0x00}, []byte{0x0f, 0x1f, 0x40, 0x00})
	if err := os.WriteFile(path, executable, 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(objdump, "-d", "-M", "intel", "--no-show-raw-insn", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	round := regexp.MustCompile(`(?s)<thread\d+_round>:\n(.*?\n)[^\n]*cmp +r14,`)
	line := regexp.MustCompile(`^ +([0-9a-f]+):\t(\w+) *(.*)$`)
	for _, body := range round.FindAllStringSubmatch(string(out), -1) {
		n += 2 // the comparison and the jump back
		var addresses []string
		iterations := 0
		for text := range strings.Lines(body[1]) {
			m := line.FindStringSubmatch(strings.TrimRight(text, "\n"))
			if m == nil {
				t.Fatalf("objdump: %q", text)
			}
			n++
			addresses = append(addresses, m[1])
			switch m[2] {
			case "mov": // mov eax,ITERATIONS, before a delay's loop
				if value, ok := strings.CutPrefix(m[3], "eax,0x"); ok {
					v, err := strconv.ParseUint(value, 16, 32)
					if err != nil {
						t.Fatal(err)
					}
					iterations = int(v)
				}
			case "jne":
				for i, a := range addresses {
					if strings.HasPrefix(m[3], a+" ") {
						n += (iterations - 1) * (len(addresses) - i)
					}
				}
			}
		}
	}
	return n
}

// TestInstructions bounds what gem5 has to simulate: four instructions an
// operation in the default program whose values leave by m5_sum.
func TestInstructions(t *testing.T) {
	objdump, err := exec.LookPath("objdump")
	if err != nil {
		t.Skip("objdump is not installed")
	}
	wide := gen.Defaults()
	wide.Threads, wide.Ops, wide.Locations, wide.Layout = 8, 60, 16, gen.Spread
	wide.Mix, wide.Delays, wide.Locality, wide.ShapeShare = gen.Mix{Load: 75, Store: 25}, 0, 0, 0
	for _, test := range []struct {
		name    string
		options gen.Options
		most    float64
	}{{"default", gen.Defaults(), 4}, {"wide", wide, 2.5}} {
		instructions, operations := 0, 0
		for seed := range uint64(6) {
			p, err := gen.Random(rand.New(rand.NewPCG(seed, 1)), test.options)
			if err != nil {
				t.Fatal(err)
			}
			instructions += instructionsOf(t, objdump, emit(t, p, elf.Options{Rounds: 100, Log: elf.LogPseudo}))
			operations += p.Ops()
		}
		each := float64(instructions) / float64(operations)
		t.Logf("%s: %.2f instructions an operation", test.name, each)
		if each > test.most {
			t.Errorf("%s: %.2f instructions an operation, want at most %v", test.name, each, test.most)
		}
	}
}
