package litmus

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/internal/must"
	"ordeal/gen"
	"ordeal/gen/wire"
	format "ordeal/parse/formats/litmus"
	"ordeal/sim"
)

// instructionSets are tests of the literature with what the models of their instruction
// sets say of the condition: Pulte et al., "Simplifying ARM concurrency", POPL 2018, for
// AArch64; "The RISC-V Instruction Set Manual, Volume I", chapter RVWMO and its
// explanatory material, for RISCV. The broken core shows a condition that is forbidden.
var instructionSets = []struct {
	text   string
	allows bool
	bug    string // of a core that shows the condition
}{
	{"AArch64 MP+dmb.sy+po\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }\n" +
		" P0 | P1 ;\n MOV W0,#1 | LDR W0,[X1] ;\n STR W0,[X1] | LDR W2,[X3] ;\n DMB SY | ;\n MOV W2,#1 | ;\n STR W2,[X3] | ;\n" +
		"exists (1:X0=1 /\\ 1:X2=0)\n", true, ""},
	{"AArch64 MP+dmb.sy+addr\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X4=x; }\n" +
		" P0 | P1 ;\n MOV W0,#1 | LDR W0,[X1] ;\n STR W0,[X1] | EOR W2,W0,W0 ;\n DMB SY | LDR W3,[X4,W2,SXTW] ;\n MOV W2,#1 | ;\n STR W2,[X3] | ;\n" +
		"exists (1:X0=1 /\\ 1:X3=0)\n", false, "dependency-ignored"},
	{"AArch64 MP+popl+poap\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }\n" +
		" P0 | P1 ;\n MOV W0,#1 | LDAR W0,[X1] ;\n STR W0,[X1] | LDR W2,[X3] ;\n STLR W0,[X3] | ;\n" +
		"exists (1:X0=1 /\\ 1:X2=0)\n", false, "acquire-ignored"},
	{"RISCV LB\n{ 0:x6=x; 0:x8=y; 1:x6=y; 1:x8=x; }\n" +
		" P0 | P1 ;\n lw x5,0(x6) | lw x5,0(x6) ;\n ori x7,x0,1 | ori x7,x0,1 ;\n sw x7,0(x8) | sw x7,0(x8) ;\n" +
		"exists (0:x5=1 /\\ 1:x5=1)\n", true, ""},
	{"RISCV SB+fence.rw.rws\n{ 0:x6=x; 0:x8=y; 1:x6=y; 1:x8=x; }\n" +
		" P0 | P1 ;\n ori x5,x0,1 | ori x5,x0,1 ;\n sw x5,0(x6) | sw x5,0(x6) ;\n fence rw,rw | fence rw,rw ;\n lw x7,0(x8) | lw x7,0(x8) ;\n" +
		"exists (0:x7=0 /\\ 1:x7=0)\n", false, "fence-too-weak"},
	// Two pairs that both write have read one another's.
	{"RISCV LRSC\n{ 0:x6=x; 1:x6=x; }\n" +
		" P0 | P1 ;\n ori x7,x0,1 | ori x7,x0,2 ;\n lr.w x5,0(x6) | lr.w x5,0(x6) ;\n sc.w x8,x7,0(x6) | sc.w x8,x7,0(x6) ;\n" +
		"exists (0:x8=0 /\\ 1:x8=0 /\\ 0:x5=0 /\\ 1:x5=0)\n", false, "reservation-ignored"},
}

// TestOtherInstructionSets runs tests of AArch64 and RISCV on cores of theirs that no
// option names: the condition is seen where the model allows it, and else only on a
// broken core, which is flagged.
func TestOtherInstructionSets(t *testing.T) {
	for _, row := range instructionSets {
		parsed, err := format.Parse("t", []byte(row.text))
		must.Succeed(t, err)
		test, o := &Test{Test: parsed, File: "t"}, options(t, "")
		o.Model, o.Rounds = "", 512
		r, err := Run(t.Context(), test, o)
		must.Succeed(t, err)
		if r.Finding() || r.Failure != nil || r.Result.Positive > 0 != row.allows {
			t.Errorf("%s: condition held %d times, findings %+v, %+v", test.Name, r.Result.Positive, r.Forbidden, r.Failure)
		}
		if want := map[gen.ISA]string{gen.AArch64: "armv8", gen.RISCV64: "rvwmo"}[parsed.Program.ISA]; r.Model != want {
			t.Errorf("%s: model %s, want %s", test.Name, r.Model, want)
		}
		if row.bug == "" {
			continue
		}
		o.Config.CoreBugs, o.Rounds = []string{row.bug}, 8192
		r, err = Run(t.Context(), test, o)
		must.Succeed(t, err)
		if !r.Finding() || len(r.Forbidden) == 0 && r.Failure.Outcome != sim.Corrupt || len(r.Forbidden) > 0 && !strings.Contains(r.Forbidden[0].Witness, "M[x_") {
			t.Errorf("%s with %s: not flagged: %+v", test.Name, row.bug, r)
		}
	}
}

// TestWrongModel refuses models of other instruction sets, and cores.
func TestWrongModel(t *testing.T) {
	parsed, err := format.Parse("t", []byte(instructionSets[5].text))
	must.Succeed(t, err)
	for _, row := range []struct {
		test        *Test
		model, core string
		want        string
	}{
		{&Test{Test: parsed, File: "t"}, "tso", "", "tso: thread 0: load-linked x is not of the machine's instruction set"},
		{&Test{Test: parsed, File: "t"}, "armv8", "", "armv8: a program of riscv64 is not of the machine's instruction set"},
		{&Test{Test: parsed, File: "t"}, "", "tso", "core tso runs no programs of instruction set riscv64: want core riscv"},
		{sbTest(t), "rvwmo", "tso", "rvwmo: a program of x86-64 is not of the machine's instruction set"},
	} {
		o := options(t, row.core)
		o.Model = row.model
		r, err := Run(t.Context(), row.test, o)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("model %q, core %q: %+v, %v, want %s", row.model, row.core, r, err, row.want)
		}
	}
}

// TestObserveConditionals evaluates a written log of two copies of a test with pairs,
// whose results are no values of memory, in two repetitions.
func TestObserveConditionals(t *testing.T) {
	parsed, err := format.Parse("t", []byte(instructionSets[5].text))
	must.Succeed(t, err)
	o := options(t, "")
	o.Model, o.MaxDelay = "", 0
	x, err := newExperiment(&Test{Test: parsed, File: "t"}, o)
	must.Succeed(t, err)
	x.size = size{copies: 2, repetitions: 2}
	p, err := x.program(0)
	must.Succeed(t, err)
	stride, second := p.Stride(), p.Threads[0][3].Value // of repetition 1; of copy 1
	w := wire.NewWriter(p, 2)
	// Copy 0 of repetition 0: thread 0 writes, thread 1 fails; copy 1 the other way round.
	// In repetition 1 thread 1 of copy 0 reads what thread 0 wrote, and both write.
	log := w.AppendThread(nil, 0, []gen.Value{0, 0, 0, 1, 1, 0, second + 1, 1})
	log = w.AppendThread(log, 1, []gen.Value{0, 1, 0, 0, 1 + stride, 0, second + 1, 1})
	log = w.AppendFinal(log, []gen.Value{2 + stride, second + 1})
	fresh, failure := x.observe(p, &sim.Result{Outcome: sim.Passed, Log: log})
	if failure != nil || len(fresh) > 0 {
		t.Fatalf("forbidden %+v, failure %v", fresh, failure)
	}
	x.finish()
	var got []string
	for i := range x.report.Result.States {
		got = append(got, x.report.Result.States[i].String())
	}
	want := []string{
		"0:x5=0; 0:x8=0; 1:x5=0; 1:x8=1;", "0:x5=0; 0:x8=0; 1:x5=1; 1:x8=0;",
		"0:x5=0; 0:x8=1; 1:x5=0; 1:x8=0;", "0:x5=0; 0:x8=1; 1:x5=0; 1:x8=1;",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
}

// TestCopiedDependencies holds the dependencies of all copies to those of the test,
// however many delays stand between.
func TestCopiedDependencies(t *testing.T) {
	parsed, err := format.Parse("t", []byte(instructionSets[1].text))
	must.Succeed(t, err)
	o := options(t, "")
	o.Model = ""
	x, err := newExperiment(&Test{Test: parsed, File: "t"}, o)
	must.Succeed(t, err)
	moved := false
	for n := range 8 {
		p, err := x.program(n)
		must.Succeed(t, err)
		var number []int // of operations that are no delays, by place
		var plain []gen.Op
		for i, op := range p.Threads[1] {
			number = append(number, len(plain))
			if op.Kind == gen.Delay {
				continue
			}
			if op.Back > 0 {
				moved = moved || op.Back > 1
				op.Back = uint8(len(plain) - number[i-int(op.Back)])
			}
			plain = append(plain, op)
		}
		for i, op := range plain {
			want := parsed.Program.Threads[1][i%2]
			if op.Kind != want.Kind || op.Dep != want.Dep || op.Back != want.Back {
				t.Fatalf("run %d operation %d: %s, want %s", n, i, p.OpText(op), parsed.Program.OpText(want))
			}
		}
	}
	if !moved || !slices.ContainsFunc(parsed.Program.Threads[1], func(op gen.Op) bool { return op.Back > 0 }) {
		t.Error("no delay stands between")
	}
}
