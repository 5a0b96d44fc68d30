package gen_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
)

const isaHead = "ordeal-program 1\nisa aarch64\nlayout spread\nlocations x y\n"

const isaText = isaHead + `thread 0
load x acquire
store y 1 release addr ctrl 1
load y acquirepc addr 2
fence r.rw
fence w.w
fence isync ctrl 3
fence
thread 1
load-linked y acquire
fence
store-conditional y 2 release data 2
load-linked y acquire retry
store-conditional y 2 retry
exchange x 3 acquire release
add x 1 release data 1
`

func TestInstructionSetText(t *testing.T) {
	p, err := gen.Parse("p", []byte(isaText))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(isaText, p.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if want := (gen.Op{Kind: gen.Store, Loc: 1, Value: 1, Attr: gen.Release, Dep: gen.DepAddress | gen.DepControl, Back: 1}); p.Threads[0][1] != want {
		t.Errorf("store is %+v, want %+v", p.Threads[0][1], want)
	}
	if err := p.X86Only(); err == nil {
		t.Error("a program of aarch64 passes as one of x86-64")
	}
}

// TestInstructionSetFaults: what an instruction set lacks is refused with its
// name and line.
func TestInstructionSetFaults(t *testing.T) {
	riscv := strings.Replace(isaHead, "aarch64", "riscv64", 1)
	x86 := strings.Replace(isaHead, "isa aarch64\n", "", 1)
	for _, test := range []struct{ text, want string }{
		{x86 + "thread 0\nload x acquire\n", "parse p:5: load x acquire: x86-64 has no load with acquire"},
		{x86 + "thread 0\nstore x 1 release\n", "parse p:5: store x 1 release: x86-64 has no store with release"},
		{x86 + "thread 0\nload x\nload y addr 1\n", "parse p:6: load y addr 1: programs of x86-64 have no dependencies"},
		{x86 + "thread 0\nload x 1\n", "parse p:5: load takes 1 words after it, not 2"},
		{x86 + "thread 0\nfence w.w\n", "parse p:5: fence w.w: x86-64 has no fence w.w"},
		{x86 + "thread 0\nload-linked x\n", "parse p:5: load-linked x: x86-64 has no load-linked"},
		{riscv + "thread 0\nload x acquire\n", "parse p:6: load x acquire: riscv64 has no load with acquire"},
		{riscv + "thread 0\nstore x 1 release\n", "parse p:6: store x 1 release: riscv64 has no store with release"},
		{riscv + "thread 0\nfence isync\n", "parse p:6: fence isync: riscv64 has no fence isync"},
		{isaHead + "thread 0\nfence tso\n", "parse p:6: fence tso: aarch64 has no fence tso"},
		{isaHead + "thread 0\nstore x 1 acquire\n", "parse p:6: store x 1 acquire: aarch64 has no store with acquire"},
		{isaHead + "thread 0\nload x acquire acquirepc\n", "parse p:6: load x acquire acquirepc: acquire and acquirepc exclude each other"},
		{isaHead + "thread 0\nload x\nload y data 1\n", "parse p:7: load y data 1: a load has no such dependency"},
		{isaHead + "thread 0\nload x addr 1\n", "parse p:6: load x addr 1: dependency on 1 operations before: want kinds, and 1 to 0"},
		{isaHead + "thread 0\nload x\nload y 1\n", "parse p:7: unknown word \"1\" behind load"},
		{isaHead + "thread 0\nload x\nload y addr\n", "parse p:7: load y addr: dependency on 0 operations before: want kinds, and 1 to 1"},
		{isaHead + "thread 0\nstore x 1\nload y ctrl 1\n", "parse p:7: load y ctrl 1: dependency on store x 1, which returns no value of memory"},
		{isaHead + "thread 0\nload x\nload y addr 256\n", "parse p:7: dependency \"256\": want the number of operations back, 1 to 255"},
		{isaHead + "thread 0\nstore-conditional x 1\n", "parse p:6: store-conditional x 1: no load-linked of the location before it"},
		{isaHead + "thread 0\nload-linked x\nload y\nstore-conditional x 1\n", "parse p:8: store-conditional x 1: load y between it and its load-linked"},
		{isaHead + "thread 0\nload-linked x\nstore-conditional x 1\nload-linked x retry\n", "parse p:8: load-linked x retry: a further attempt is a load-linked and a store-conditional directly behind another pair"},
		{isaHead + "thread 0\nload-linked x\nstore-conditional x 1\nload-linked x retry\nstore-conditional x 2 retry\n", "parse p:8: load-linked x retry: a further attempt has the location and the value of the one before it\nparse p:9: store-conditional x 2 retry: a further attempt has the location and the value of the one before it"},
		{isaHead + "thread 0\nload-linked x\nstore-conditional x 1\nload-linked x retry\nstore-conditional x 1 retry\nload y addr 2\n", "parse p:10: load y addr 2: dependency on load-linked x retry, which need not happen"},
		{isaHead + "thread 0\nload x retry\n", "parse p:6: load x retry: aarch64 has no load with retry"},
		{strings.Replace(isaHead, "aarch64", "arm", 1) + "thread 0\n", "parse p:2: unknown instruction set \"arm\": want x86-64, aarch64, riscv64 or riscv64-zalasr"},
	} {
		_, err := gen.Parse("p", []byte(test.text))
		if err == nil || err.Error() != test.want {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

// TestRandomOfInstructionSets: random programs use all that the instruction set
// has, are their own text, and stay valid when operations are left out.
func TestRandomOfInstructionSets(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(60) {
		o := gen.Defaults()
		o.ISA = gen.ISAs()[1+seed%2]
		o.Ops, o.Annotations, o.PartialFences, o.Dependencies = 60, 0.5, 0.8, 0.5
		o.Mix.Pair, o.Mix.Fence, o.Retries = 10, 20, int(seed%4)
		rng := rand.New(rand.NewPCG(seed, 0))
		p, err := gen.Random(rng, o)
		if err != nil {
			t.Fatal(err)
		}
		again, err := gen.Parse("p", p.Text())
		if err != nil {
			t.Fatalf("own text: %v\n%s", err, p)
		}
		if diff := cmp.Diff(p, again, programEqual); diff != "" {
			t.Fatal(diff)
		}
		for _, ops := range p.Threads {
			for _, op := range ops {
				op.Loc, op.Value = 0, min(op.Value, 1)
				for _, word := range strings.Fields(p.OpText(op)) {
					seen[o.ISA.String()+" "+word] = true
				}
			}
		}
		for th, ops := range p.Threads {
			var keep []int
			for i := range 2 * len(ops) {
				if rng.IntN(3) > 0 {
					keep = append(keep, i)
				}
			}
			p.Threads[th] = gen.Pick(ops, keep)
		}
		p.Repair()
		p.NumberValues()
		if err := p.Validate(); err != nil {
			t.Fatalf("after Pick and Repair: %v", err)
		}
	}
	for _, isa := range []string{"aarch64", "riscv64"} {
		for _, word := range []string{"acquire", "release", "addr", "data", "ctrl", "load-linked", "store-conditional", "exchange", "retry"} {
			if !seen[isa+" "+word] {
				t.Errorf("no %s in random programs of %s", word, isa)
			}
		}
	}
}

// TestPick keeps a dependency on an operation that is kept, at its new distance,
// and drops the others.
func TestPick(t *testing.T) {
	ops := []gen.Op{{Kind: gen.Load}, {Kind: gen.FullFence}, {Kind: gen.Load, Dep: gen.DepAddress, Back: 2}}
	got := gen.Pick(ops, []int{0, 2, 3, 4, 5, 8})
	want := []gen.Op{
		ops[0], {Kind: gen.Load, Dep: gen.DepAddress, Back: 1},
		ops[0], ops[1], ops[2], {Kind: gen.Load},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
}

// Shapes with edges are planted where the instruction set has them, and refused
// by name where it has not.
func TestNamedShapes(t *testing.T) {
	o := gen.Defaults()
	o.ISA, o.Threads, o.Locations, o.Ops, o.Delays, o.ShapeShare, o.Shapes = gen.AArch64, 2, 2, 3, 0, 1, []string{"MP+dmb.st+ctrlisb"}
	p, err := gen.Random(rand.New(rand.NewPCG(1, 0)), o)
	if err != nil {
		t.Fatal(err)
	}
	planted := false
	for i, ops := range p.Threads {
		other := p.Threads[1-i]
		planted = planted || ops[0].Kind == gen.Store && ops[1].Kind == gen.PartialFence && gen.FenceName(ops[1].Value) == "w.w" && ops[2].Kind == gen.Store &&
			other[0].Kind == gen.Load && other[1].Value == gen.InstructionBarrier && other[1].Dep == gen.DepControl && other[1].Back == 1 &&
			other[2].Kind == gen.Load && other[2].Loc == ops[0].Loc && other[0].Loc == ops[2].Loc
	}
	if !planted {
		t.Errorf("no MP+dmb.st+ctrlisb in\n%s", p)
	}
	for isa, want := range map[gen.ISA]string{gen.X86: "--shapes MP+dmb.st+ctrlisb: x86-64 has no fence w.w", gen.RISCV64: "riscv64 has no fence isync"} {
		o.ISA = isa
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", isa, err, want)
		}
	}
}
