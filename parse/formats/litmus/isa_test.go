package litmus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
)

const armTest = `AArch64 MP+dmb.st+addr-ctrlisb
"DMB.STdWW Rfe DpAddrdR DpCtrlIsbdR Fre"
{
0:X1=x; 0:X3=y; 1:X1=y; 1:X3=z; 1:X5=x; uint64_t 1:X6;
}
 P0          | P1                   ;
 MOV W0,#1   | LDR W0,[X1]          ;
 STR W0,[X1] | EOR W2,W0,W0         ;
 DMB ST      | LDAPR W4,[X3,W2,SXTW];
 MOV W2,#1   | CBNZ W4,LC00         ;
 STLR W2,[X3]| LC00:                ;
             | ISB                  ;
             | LDR W6,[X5]          ;
exists (1:X0=1 /\ 1:X6=0 /\ 1:X4=0)
`

const riscvTest = `RISCV LR-SC
{
0:x5=1; 0:x6=x; 0:x7=y; 1:x6=x; 1:x5=2; 1:x9=y;
}
 P0              | P1                    ;
 lw.aq x8,0(x6)  | lr.w.aq x7,0(x6)      ;
 xor a0,x8,x8    | fence.tso             ;
 ori x10,x10,3   | sc.w.rl x8,x5,0(x6)   ;
 sw.rl x10,0(x7) | amoswap.w x4,x5,(x9)  ;
 fence ir,iorw   | bne x4,x0,LC00        ;
                 | LC00:                 ;
                 | fence.i               ;
 fence i,o       | fence rw,ow           ;
exists (not (0:x8=1 \/ ~ 1:x8=0) /\ x=2)
`

// TestInstructionSets reads tests of the instruction sets, with dependencies by
// hand.
func TestInstructionSets(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{armTest, "isa aarch64\nlayout spread\nlocations x y z\nthread 0\nstore x 1\nfence w.w\nstore y 2 release\n" +
			"thread 1\nload y\nload z acquirepc addr 1\nfence isync ctrl 1\nload x\n"},
		{riscvTest, "isa riscv64-zalasr\nlayout spread\nlocations x y\nthread 0\nload x acquire\nstore y 2 release data 1\nfence r.rw\n" +
			"thread 1\nload-linked x acquire\nfence tso\nstore-conditional x 1 release\nexchange y 3\nfence rw.w ctrl 1\n"},
	} {
		parsed, err := Parse("t", []byte(test.text))
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff("ordeal-program 1\n"+test.want, parsed.Program.String()); diff != "" {
			t.Errorf("program (-want +got):\n%s", diff)
		}
	}
	parsed, err := Parse("t", []byte(riscvTest))
	if err != nil {
		t.Fatal(err)
	}
	for status, holds := range []bool{true, false} {
		s := parsed.State([][]gen.Value{{0}, {0, gen.Value(status), 0}}, []gen.Value{1, 3})
		if s.Holds() != holds {
			t.Errorf("%s: holds %v", s, s.Holds())
		}
	}
}

// TestInstructionSetHistory: the history that a test asks for.
func TestInstructionSetHistory(t *testing.T) {
	h, err := history(t, armTest)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Ops) != 7 || len(h.Deps) != 2 || h.Ops[3].RF != 2 || h.Ops[6].RF != -1 {
		t.Errorf("history %+v", h)
	}
	asks := strings.NewReplacer("exists (not (0:x8=1 \\/ ~ 1:x8=0) /\\ x=2)", "exists (0:x8=2 /\\ 1:x7=0 /\\ 1:x8=0 /\\ 1:x4=3 /\\ y=2)").Replace(riscvTest)
	h, err = history(t, asks)
	if err != nil {
		t.Fatal(err)
	}
	// Threads: load, store, fence; load-linked, fence, store, exchange, fence.
	if h.Ops[0].RF != 5 || h.Ops[6].RF != 1 || h.Final[1] != 6 || h.Final[0] != -2 {
		t.Errorf("history %+v", h)
	}
	if _, err := history(t, strings.Replace(asks, "1:x8=0", "1:x8=1", 1)); err == nil || !strings.Contains(err.Error(), "value 1 of x is never written") {
		t.Errorf("a read of the store of a store-conditional that failed: %v", err)
	}
}

// TestInstructionSetFaults: what cannot be read is refused with its line.
func TestInstructionSetFaults(t *testing.T) {
	for _, test := range []struct{ arch, code, want string }{
		{"AArch64", "LDR W0,[X1] ;\n STR W0,[X2]", "t:5: thread 0: instruction \"STR W0,[X2]\": what a load returned is stored: not supported"},
		{"AArch64", "LDR W0,[X1] ;\n LDR W3,[X2] ;\n EOR W4,W0,W0 ;\n EOR W5,W3,W3 ;\n ADD W4,W4,W5 ;\n STR W9,[X2,W4,SXTW]", "store depends on 2 reads: want one"},
		{"AArch64", "LDR W0,[X1] ;\n CBNZ W0,L ;\n STR W9,[X2] ;\n L:", "between a branch and its label L: not supported"},
		{"RISCV", "lw x3,0(x1) ;\n beq x3,x0,L ;\n ori x4,x0,1 ;\n L:", "instruction \"ori x4,x0,1\" between a branch and its label L: not supported"},
		{"AArch64", "LDR W0,[X1] ;\n CBNZ W0,L", "no label L behind the branch to it"},
		{"AArch64", "LDR W0,[X9]", "the address is none of a location"},
		{"AArch64", "LDADD W0,W1,[X1]", "t:4: thread 0: instruction \"LDADD W0,W1,[X1]\": LDADD is not supported"},
		{"AArch64", "MOV W0,#1 ;\n CAS W0,W2,[X1]", "t:5: thread 0: instruction \"CAS W0,W2,[X1]\": CAS is not supported"},
		{"AArch64", "CSEL W0,W2,W3,EQ", "t:4: thread 0: instruction \"CSEL W0,W2,W3,EQ\": CSEL is not supported"},
		{"AArch64", "MOV W0,#1,#2", "MOV with 3 operands is not supported"},
		{"AArch64", "SWPA W0,WZR,[X1]", "an atomic instruction to the zero register orders less: not supported"},
		{"AArch64", "STXR W0,W3,[X1]", "no load-linked of the location before it"},
		{"RISCV", "lw x3,4(x1)", "offset 4: want 0"},
		{"RISCV", "amoor.w x3,x0,(x1)", "t:4: thread 0: instruction \"amoor.w x3,x0,(x1)\": amoor.w of these operands is not supported"},
		{"RISCV", "fence w,q", "fence w,q is not supported"},
		{"RISCV", "fence w,", "fence w is not supported"},
		{"RISCV", "sw.aq x0,0(x1)", "riscv64-zalasr has no store with acquire"},
	} {
		text := test.arch + " t\n{ 0:x1=x; 0:x2=y; }\n P0 ;\n " + test.code + " ;\nexists (x=1)\n"
		if test.arch == "AArch64" {
			text = strings.ReplaceAll(text, "0:x", "0:X")
		}
		_, err := Parse("t", []byte(text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.code, err, test.want)
		}
	}
}
