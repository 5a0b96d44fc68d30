package shapes_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ordeal/gen/shapes"
)

// TestNameOf has names that norm7 of herdtools7 gives to the cycle, and the name of the
// literature where there are no edges to name. Threads and locations come in any order.
func TestNameOf(t *testing.T) {
	names := map[shapes.Arch]string{
		shapes.Arm: `MP MP+po+rmw-po MP+po+amo.swp-po MP+po+rmwal-polp MP+popx+po MP+popxl+po MP+dmb.sy+addr-amo.ldadd-rfi-pos
			MP+po-amo.swp+addr MP+popa-amo.swpal+addr MP+poxlp+po MP+po+amo.swp-rfi-addr MP+po+posR-po MP+po+fri-po
			SB SB+polas CoRR CoRR+dmb.lds CoRR+posap MP+dmb.sy+addrR-po MP+dmb.sy+addrW-po MP+dmb.sy+addr-rfi-addr
			MP+dmb.sy+po-rfi-addr MP+dmb.sy+poRpa-poap MP+dmb.sy+dmb.ldW-po MP+dmb.sy+dmb.ldR-po MP+poW-po+dmb.ldR-po
			MP+po-addr+dmb.ld MP+po-fri+dmb.ld MP+poR-po+dmb.ld MP+po-amo.swp-po+dmb.ld MP+po-coi+dmb.ld LB+po+po-datas
			S+po+ctrlisb-fri S+po+ctrlisb-rmw-po S+po+ctrlW-po S+po+ctrlisbR-po IRIW+addrs CoRW2 Z6.2+po+po+addr 3.LB+datas`,
		shapes.RISCV: "MP+po+rmw-po MP+popx+po 2+2W+fence.rw.rws LB+fence.r.rw+ctrl LB+data+ctrl IRIW+fence.r.rw+addr 2+2W+popxs WRC+po+fence.tso SB+rfi-addrs MP+poprl+poaqp",
		shapes.X86:   "SB SB+mfences MP R+po+mfence SB+rmw-po+po",
	}
	for arch, list := range names {
		for _, name := range strings.Fields(list) {
			s, ok := shapes.ByName(name)
			var err error
			if !ok {
				s, err = shapes.Named(name, arch)
			}
			if name == "SB+rmw-po+po" { // it begins at a store
				if err == nil {
					t.Error(name)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			slices.Reverse(s.Threads)
			for _, ops := range s.Threads {
				for i := range ops {
					ops[i].Loc = s.Locations + 2 - ops[i].Loc
				}
			}
			if got := shapes.NameOf(s.Threads, arch); got != name {
				t.Errorf("%s is called %q", name, got)
			}
		}
	}
	for name, want := range map[string]string{"SB+xchgs": "", "MP+rmws": "MP+po-rmw-pos", "SB+rfis": "SB+rfi-pos", "CoRW": "CoRW2", "MP+fences": "MP+mfences"} {
		s, _ := shapes.ByName(name)
		if got := shapes.NameOf(s.Threads, shapes.X86); got != want {
			t.Errorf("%s is called %q, want %q", name, got, want)
		}
	}
	w, r, f := shapes.Op{Kind: shapes.Store}, shapes.Op{Kind: shapes.Load, Loc: 1}, shapes.Op{Kind: shapes.Fence}
	for _, threads := range [][][]shapes.Op{
		nil, {{}}, {nil}, {{f}}, {{w, f, f, r}, {w, r}}, {{w, f}, {r}}, {{{Kind: shapes.StoreConditional}}},
		{{w, {Kind: shapes.Store, Loc: 1}}, {r, {Kind: shapes.Load, Loc: 2}, {Kind: shapes.Load, Words: "addr 2"}}}, // of a read further back
		{{w, {Kind: shapes.Load, Loc: 1, Words: "addr 2"}}, {{Kind: shapes.Store, Loc: 1}, {Kind: shapes.Load}}},
		{{w, {Kind: shapes.Fence, Words: "isync ctrl 1"}, r}, {{Kind: shapes.Store, Loc: 1}, {Kind: shapes.Load}}},
	} {
		if got := shapes.NameOf(threads, shapes.Arm); got != "" {
			t.Errorf("%v is called %q", threads, got)
		}
	}
}

// TestNamesReturn makes cycles of random names and asks for a name of each: it makes the
// same cycle.
func TestNamesReturn(t *testing.T) {
	letters := map[shapes.Arch][]string{shapes.X86: {""}, shapes.Arm: strings.Fields("p a q l x xa xl xal"), shapes.RISCV: strings.Fields("p aq rl aqrl x xaqp xprl xaqrl")}
	edges := map[shapes.Arch][]string{
		shapes.X86:   strings.Fields("po pos mfence mfences rfi fri coi rmw"),
		shapes.Arm:   strings.Fields("po poR poW pos addr addrR data ctrl ctrls ctrlisb isb dmb.sy dmb.ld dmb.lds dmb.st rfi fri wsi rmw amo.swp amo.ldadd"),
		shapes.RISCV: strings.Fields("po pos addr data ctrl fence.rw.rw fence.r.rw fence.tso fence.w.rs rfi fri wsi rmw"),
	}
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	bases, made := strings.Fields("SB MP LB S R 2+2W WRC ISA2 IRIW CoRR CoWW CoRW1 Z6.3 3.2W"), 0
	for range 3000 {
		arch := shapes.Arch(rng.IntN(3))
		base := pick(bases)
		plain, ok := shapes.ByName(base)
		if !ok {
			plain, _ = shapes.Named(base, arch)
		}
		name := base
		for _, ops := range plain.Threads {
			if len(ops) == 1 {
				continue
			}
			var way []string
			end := pick(letters[arch])
			for range 1 + rng.IntN(3) {
				begin := end
				end = pick(letters[arch])
				way = append(way, pick(edges[arch])+[]string{"", begin + end}[min(1, rng.IntN(4))])
			}
			name += "+" + strings.Join(way, "-")
		}
		s, err := shapes.Named(name, arch)
		if err != nil || arch == shapes.Arm && impossible.MatchString(text(s)) {
			continue
		}
		made++
		got := shapes.NameOf(s.Threads, arch)
		again, ok := shapes.ByName(got)
		if !ok {
			if again, err = shapes.Named(got, arch); err != nil {
				t.Fatalf("%s (%s) is called %q: %v", name, text(s), got, err)
			}
		}
		if canonical(again) != canonical(s) {
			t.Fatalf("%s (%s) is called %q (%s)", name, text(s), got, text(again))
		}
	}
	if made < 200 {
		t.Errorf("%d names make cycles", made)
	}
}

// impossible finds annotations that no pair of Arm has.
var impossible = regexp.MustCompile("LL[a-z] (acquire )?release|SC[a-z] acquire|[XA][a-z] [a-z ]*acquirepc")

// canonical is the least text of a shape over all orders of its threads, with locations
// numbered as they come.
func canonical(s shapes.Shape) string {
	least := ""
	for _, order := range permutations(indices(len(s.Threads))) {
		var b strings.Builder
		number := map[int]int{}
		for _, t := range order {
			for _, op := range s.Threads[t] {
				if _, ok := number[op.Loc]; !ok && op.Kind != shapes.Fence {
					number[op.Loc] = len(number)
				}
				fmt.Fprint(&b, op.Kind, number[op.Loc]*min(1, int(op.Kind-shapes.Fence)*int(op.Kind-shapes.Fence)), op.Words, ";")
			}
			b.WriteString("|")
		}
		if least == "" || b.String() < least {
			least = b.String()
		}
	}
	return least
}

func indices(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}
