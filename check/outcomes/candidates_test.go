package outcomes

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/brute"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/parse"
)

// code is a program of the operations that the lines of a text name, with | between
// threads and ; between operations.
func code(t *testing.T, isa gen.ISA, text string) *gen.Program {
	t.Helper()
	head := fmt.Sprintf("ordeal-program 1\nisa %s\nlayout spread\nlocations x y z w\n", isa)
	if isa == gen.X86 {
		head = "ordeal-program 1\nlayout spread\nlocations x y z w\n"
	}
	for i, thread := range strings.Split(text, "|") {
		head += fmt.Sprintf("thread %d\n%s\n", i, strings.ReplaceAll(thread, ";", "\n"))
	}
	p, err := gen.Parse("code", []byte(head))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLiterature asks for outcomes whose answers are in the literature: Pulte et
// al., POPL 2018 (Armv8: Sect. 3 and Figs. 4 to 7), Maranget, Sarkar and Sewell, "A
// Tutorial Introduction to the ARM and POWER Relaxed Memory Models" (2012), and the
// RISC-V manual, Volume I, App. A.3. The search and brute force, which is written
// from the .cat files, agree on every execution, and the machines on all outcomes.
func TestLiterature(t *testing.T) {
	const arm, riscv, zalasr = gen.AArch64, gen.RISCV64, gen.RISCV64A
	for _, test := range []struct {
		name    string
		isas    []gen.ISA
		code    string
		want    string // reads of each thread, and then final x y z w, - where any
		allowed bool
	}{
		{"MP", []gen.ISA{arm, riscv}, "store x 1; store y 2 | load y; load x", " | 2 0", true},
		{"MP+dmb+po", []gen.ISA{arm, riscv}, "store x 1; fence; store y 2 | load y; load x", " | 2 0", true},
		{"MP+dmb+addr", []gen.ISA{arm, riscv}, "store x 1; fence; store y 2 | load y; load x addr 1", " | 2 0", false},
		{"MP+dmb.st+addr", []gen.ISA{arm, riscv}, "store x 1; fence w.w; store y 2 | load y; load x addr 1", " | 2 0", false},
		{"MP+dmb.ld+addr", []gen.ISA{arm, riscv}, "store x 1; fence r.rw; store y 2 | load y; load x addr 1", " | 2 0", true},
		{"MP+dmb+dmb.ld", []gen.ISA{arm, riscv}, "store x 1; fence; store y 2 | load y; fence r.rw; load x", " | 2 0", false},
		{"MP+dmb+ctrl", []gen.ISA{arm, riscv}, "store x 1; fence; store y 2 | load y; load x ctrl 1", " | 2 0", true},
		{"MP+dmb+ctrlisb", []gen.ISA{arm}, "store x 1; fence; store y 2 | load y; fence isync ctrl 1; load x", " | 2 0", false},
		{"MP+dmb+isb", []gen.ISA{arm}, "store x 1; fence; store y 2 | load y; fence isync; load x", " | 2 0", true},
		{"MP+popl+poap", []gen.ISA{arm, zalasr}, "store x 1; store y 2 release | load y acquire; load x", " | 2 0", false},
		{"MP+popl+poaq", []gen.ISA{arm}, "store x 1; store y 2 release | load y acquirepc; load x", " | 2 0", false},
		{"MP+popl+po", []gen.ISA{arm, zalasr}, "store x 1; store y 2 release | load y; load x", " | 2 0", true},
		{"SB", []gen.ISA{arm, riscv}, "store x 1; load y | store y 2; load x", "0 | 0", true},
		{"SB+dmbs", []gen.ISA{arm, riscv}, "store x 1; fence; load y | store y 2; fence; load x", "0 | 0", false},
		{"SB+tsos", []gen.ISA{riscv}, "store x 1; fence tso; load y | store y 2; fence tso; load x", "0 | 0", true},
		{"SB+popas", []gen.ISA{arm, zalasr}, "store x 1 release; load y acquire | store y 2 release; load x acquire", "0 | 0", false},
		{"SB+popaqs", []gen.ISA{arm}, "store x 1 release; load y acquirepc | store y 2 release; load x acquirepc", "0 | 0", true},
		{"LB", []gen.ISA{arm, riscv}, "load x; store y 1 | load y; store x 2", "2 | 1", true},
		{"LB+datas", []gen.ISA{arm, riscv}, "load x; store y 1 data 1 | load y; store x 2 data 1", "2 | 1", false},
		{"LB+ctrls", []gen.ISA{arm, riscv}, "load x; store y 1 ctrl 1 | load y; store x 2 ctrl 1", "2 | 1", false},
		{"LB+addrs", []gen.ISA{arm, riscv}, "load x; store y 1 addr 1 | load y; store x 2 addr 1", "2 | 1", false},
		{"S+dmb+data", []gen.ISA{arm, riscv}, "store x 1; fence; store y 2 | load y; store x 3 data 1", " | 2 / 1 - - -", false},
		{"2+2W", []gen.ISA{arm, riscv}, "store x 1; store y 2 | store y 3; store x 4", " | / 1 3 - -", true},
		{"2+2W+dmbs", []gen.ISA{arm, riscv}, "store x 1; fence w.w; store y 2 | store y 3; fence w.w; store x 4", " | / 1 3 - -", false},
		{"WRC+addrs", []gen.ISA{arm, riscv}, "store x 1 | load x; store y 2 addr 1 | load y; load x addr 1", " | 1 | 2 0", false},
		{"IRIW+addrs", []gen.ISA{arm, riscv}, "store x 1 | store y 2 | load x; load y addr 1 | load y; load x addr 1", " | | 1 0 | 2 0", false},
		{"IRIW", []gen.ISA{arm, riscv}, "store x 1 | store y 2 | load x; load y | load y; load x", " | | 1 0 | 2 0", true},
		{"PPOCA", []gen.ISA{arm, riscv}, "store x 1; fence; store y 2 | load y; store z 3 ctrl 1; load z; load x addr 1", " | 2 3 0", true},
		{"PPOAA", []gen.ISA{arm, riscv}, "store x 1; fence; store y 2 | load y; store z 3 data 1; load z; load x addr 1", " | 2 3 0", false},
		{"RSW", []gen.ISA{arm, riscv}, "store x 1; fence; store y 2 | load y; load z addr 1; load z; load x addr 1", " | 2 0 0 0", true},
		{"RDW", []gen.ISA{arm, riscv}, "store x 1; fence; store y 2 | load y; load z addr 1; load z; load x addr 1 | store z 3", " | 2 0 3 0 |", false},
		{"CoRR", []gen.ISA{arm, riscv}, "store x 1 | load x; load x", " | 1 0", false},
		{"CoWR", []gen.ISA{arm, riscv}, "store x 1; load x", "0", false},
		{"addr;po", []gen.ISA{arm, riscv}, "load x; load z addr 1; store y 1 | load y; store x 2 data 1", "2 0 | 1", false},
		{"atomicity", []gen.ISA{arm, riscv}, "load-linked x; store-conditional x 1 | store x 2", "0 0 | / 1 0 0 0", false},
		{"atomicity, after", []gen.ISA{arm, riscv}, "load-linked x; store-conditional x 1 | store x 2", "0 0 | / 2 0 0 0", true},
		{"failure", []gen.ISA{arm, riscv}, "load-linked x; store-conditional x 1", "0 1 / 0 0 0 0", true},
		{"SB+swps", []gen.ISA{riscv}, "exchange x 1 acquire release; load y | exchange y 2 acquire release; load x", "0 0 | 0 0", false},
		{"SB+swpals", []gen.ISA{arm}, "exchange x 1 acquire release; load y | exchange y 2 acquire release; load x", "0 0 | 0 0", false},
		{"MP+dmb+swp-rfi-a", []gen.ISA{arm}, "store x 1; fence; store z 2 | exchange z 3; load z acquire; load x", " | 2 3 0", false},
		{"MP+dmb+fence.r.r-amo", []gen.ISA{riscv}, "store x 1; fence; store y 2 | load y; fence r.r; exchange x 3", " | 2 0", false},
		{"MP+dmb+amo", []gen.ISA{riscv}, "store x 1; fence; store y 2 | load y; exchange x 3", " | 2 0", true},
		{"SB+amo-rfi-addr+dmb", []gen.ISA{riscv}, "exchange x 1; load x; load y addr 1 | store y 2; fence; load x", "0 1 0 | 0", false},
		{"SB+swp-rfi-addr+dmb", []gen.ISA{arm}, "exchange x 1; load x; load y addr 1 | store y 2; fence; load x", "0 1 0 | 0", true},
		{"SB+swpas", []gen.ISA{arm}, "exchange x 1 acquire; load y | exchange y 2 acquire; load x", "0 0 | 0 0", true},
	} {
		for _, isa := range test.isas {
			m := map[gen.ISA]model.Model{arm: model.Armv8, riscv: model.RVWMO, zalasr: model.RVWMO}[isa]
			list, err := Candidates(code(t, isa, test.code), 1<<16, func(h *parse.History) (bool, error) {
				v, err := check.Check(t.Context(), h, m, check.Options{})
				if want := brute.Allowed(h, m); err == nil && (v.Answer == check.Allowed) != want {
					err = fmt.Errorf("%s, brute force says %v of %+v", v.Answer, want, h)
				}
				return v.Answer == check.Allowed, err
			})
			if err != nil {
				t.Errorf("%s of %s: %v", test.name, isa, err)
				continue
			}
			reads, final, _ := strings.Cut(test.want, "/")
			found := slices.ContainsFunc(list, func(o Outcome) bool {
				if len(o.Reads) != strings.Count(reads, "|")+1 {
					t.Fatalf("%s: want reads of %d threads", test.name, len(o.Reads))
				}
				for i, thread := range strings.Split(reads, "|") {
					if strings.TrimSpace(thread) != strings.Trim(fmt.Sprint(o.Reads[i]), "[]") {
						return false
					}
				}
				for x, value := range strings.Fields(final) {
					if value != "-" && value != fmt.Sprint(o.Final[x]) {
						return false
					}
				}
				return true
			})
			if found != test.allowed {
				t.Errorf("%s of %s: %v, want %v", test.name, isa, found, test.allowed)
			}
			machine, _ := machineOf(isa)
			if reached := enumerate(t, code(t, isa, test.code), machine); keys(reached) != keys(list) {
				t.Errorf("%s of %s: the machine reaches %v too, and not %v", test.name, isa, without(reached, list), without(list, reached))
			}
		}
	}
}

// TestCandidatesAgainstMachines: with the models of x86 the outcomes are those of
// the operational machines.
func TestCandidatesAgainstMachines(t *testing.T) {
	for _, text := range []string{
		"store x 1; load y | store y 2; load x",
		"store x 1; exchange y 2 | load y; load x",
		"store x 1; load x; load y | store y 2; fence; store x 3",
	} {
		p := code(t, gen.X86, text)
		for machine, m := range map[Machine]model.Model{SC: model.SC, TSO: model.TSO, PSO: model.PSO} {
			list, err := Candidates(p, 1000, func(h *parse.History) (bool, error) { return brute.Allowed(h, m), nil })
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for i := range list {
				got = append(got, list[i].Key())
			}
			for _, o := range enumerate(t, p, machine) {
				want = append(want, o.Key())
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s of %q: %d outcomes, the machine has %d", m.Name, text, len(got), len(want))
			}
		}
	}
}

func TestCandidatesRefuses(t *testing.T) {
	never := func(*parse.History) (bool, error) { return false, nil }
	if _, err := Candidates(code(t, gen.X86, "add x 1"), 10, never); err == nil || !strings.Contains(err.Error(), "additions") {
		t.Error(err)
	}
	if _, err := Candidates(code(t, gen.X86, "store x 1; load x; load x; load x; load x"), 10, never); !errors.Is(err, ErrLimit) {
		t.Error(err)
	}
	stop := errors.New("stop")
	if _, err := Candidates(code(t, gen.X86, "load x"), 10, func(*parse.History) (bool, error) { return false, stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
}
