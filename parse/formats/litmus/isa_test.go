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
		{"AArch64", "LDR W0,[X1] ;\n CBNZ W0,L", "t:5: thread 0: instruction \"CBNZ W0,L\": no label L"},
		{"AArch64", "L: LDR W0,[X1] ;\n CBZ W0,L", "t:5: thread 0: instruction \"CBZ W0,L\": label L stands before it: loops are not supported"},
		{"AArch64", "L: LDR W0,[X1] ;\n L: NOP", "t:5: label L stands there twice"},
		{"AArch64", "LDR W0,[X9]", "the address is none of a location"},
		{"AArch64", "LDR W0,[X1,#4]", "the address lies within a location, or behind it: not supported"},
		{"AArch64", "LDRB W0,[X1] ;\n LDR W2,[X1]", "t:5: thread 0: instruction \"LDR W2,[X1]\": accesses of x have different sizes: mixed-size tests are not supported"},
		{"AArch64", "STR W0,[X1] ;\n MOV X0,#0x100000000 ;\n STR X0,[X1]", "t:6: thread 0: instruction \"STR X0,[X1]\": accesses of x have different sizes: mixed-size tests are not supported"},
		{"AArch64", "LDP W0,W3,[X1]", "t:4: thread 0: instruction \"LDP W0,W3,[X1]\": LDP with 3 operands is not supported"},
		{"AArch64", "CSEL W0,W2,W3,XX", "t:4: thread 0: instruction \"CSEL W0,W2,W3,XX\": condition \"XX\" is not supported"},
		{"AArch64", "B.XX L", "t:4: thread 0: instruction \"B.XX L\": B.XX with 1 operands is not supported"},
		{"AArch64", "CAS W0,[X1]", "t:4: thread 0: instruction \"CAS W0,[X1]\": 2 operands: want 3"},
		{"AArch64", "LDADD W0,Q1,[X1]", "no register \"Q1\""},
		{"AArch64", "DSB ST", "DSB with 1 operands is not supported"},
		{"AArch64", "MOV W0,#1,#2", "operand \"#1,#2\" is not supported"},
		{"AArch64", "STXR W0,W3,[X1]", "t:4: thread 0: instruction \"STXR W0,W3,[X1]\": no load-linked of the location before it"},
		{"RISCV", "lw x3,4(x1)", "the address lies within a location"},
		{"RISCV", "lr.w x3,0(x1) ;\n lw x4,0(x2) ;\n sc.w x5,x3,0(x1)", "t:6: thread 0: instruction \"sc.w x5,x3,0(x1)\": load of y between it and its load-linked"},
		{"RISCV", "amoor.w x3,(x1)", "t:4: thread 0: instruction \"amoor.w x3,(x1)\": amoor.w of these operands is not supported"},
		{"RISCV", "fence w,q", "fence w,q is not supported"},
		{"RISCV", "fence w,", "fence w is not supported"},
		{"RISCV", "sw.aq x0,0(x1)", "t:4: thread 0: instruction \"sw.aq x0,0(x1)\": sw.aq of these operands is not supported"},
		{"RISCV", "li x5,1 ;\n" + strings.Repeat("amoadd.w x3,x5,(x1) ;\n", 13) + "fence", "more than 4096 paths by what loads return: not supported"},
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

// TestInitialFaults: where the initial state cannot be read, it and the instructions that cannot
// be read either are named by line.
func TestInitialFaults(t *testing.T) {
	for _, test := range []struct{ init, code, want string }{
		{"[PTE(x)]=(oa:PA(y), valid:1); 0:X1=x", "LDR W0,[X1] ;\n TLBI VAAE1IS,X1", `t:3: "[PTE(x)]=(oa:PA(y), valid:1)" of the initial state: pages are not supported` + "\n" + `t:7: thread 0: instruction "TLBI VAAE1IS,X1": TLBI with 2 operands is not supported`},
		{"int x[2]={0,0}; 0:X1=x", "STILP W0,W1,[X1]", `t:3: "int x[2]={0,0" of the initial state: arrays are not supported` + "\n" + `t:6: thread 0: instruction "STILP W0,W1,[X1]": STILP with 3 operands is not supported`},
		{`0:X1=instr:"NOP"`, "IC IVAU,X3", `t:3: "0:X1=instr:\"NOP\"" of the initial state: code that is written is not supported` + "\n" + `t:6: thread 0: instruction "IC IVAU,X3": IC with 2 operands is not supported`},
		{"0:X1=P1:m0", "STR W0,[X1]", `t:3: "0:X1=P1:m0" of the initial state: labels as values are not supported`},
	} {
		_, err := Parse("t", []byte("AArch64 t\n{\n"+test.init+"\n}\n P0 ;\n "+test.code+" ;\nexists (x=1)\n"))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s:\n%v\nwant\n%s", test.init, err, test.want)
		}
	}
}

// TestSecondTest: lines of # are comments, and another test is refused as such.
func TestSecondTest(t *testing.T) {
	text := "# c\nX86_64 t\n{}\n P0 ;\n movl $1,(x) ;\n# d\nexists (x=1)\n# e\n"
	if _, err := Parse("t", []byte(text)); err != nil {
		t.Error(err)
	}
	if _, err := Parse("t", []byte(text+text)); err == nil || err.Error() != "t:10: another test, t, begins: want one a file" {
		t.Error(err)
	}
}

// TestCases: what a test does where its loads return certain values, by hand.
func TestCases(t *testing.T) {
	for _, test := range []struct {
		arch, init, code string
		cases            int
		runs             string // why its program cannot be run
	}{
		// A copy stores what was loaded: the initial 0, or what the other thread stores.
		{"AArch64", "0:X1=x; 0:X2=y; 1:X1=x; 1:X3=1;", "P0 | P1 ;\n LDR W0,[X1] | STR W3,[X1] ;\n STR W0,[X2] | ;", 2, "depends on what its loads return"},
		// A branch over an instruction has two ways.
		{"RISCV", "0:x1=x; 0:x2=y; 1:x1=x; 1:x3=1;", "P0 | P1 ;\n lw x4,0(x1) | sw x3,0(x1) ;\n beqz x4,L | ;\n sw x4,0(x2) | ;\n L: | ;", 2, "depends on what its loads return"},
		// One to the next instruction has none, and CSEL of equal constants neither.
		{"AArch64", "0:X1=x; 0:X2=y;", "P0 ;\n LDR W0,[X1] ;\n CBZ W0,L ;\n L: STR W3,[X2] ;", 1, ""},
		// 1 is added to x by two threads: both see 0, or one what the other wrote.
		{"RISCV", "0:x1=x; 1:x1=x; 0:x3=1; 1:x3=1;", "P0 | P1 ;\n amoadd.w x0,x3,(x1) | amoadd.w.aqrl x5,x3,(x1) ;", 3, "depends on what its loads return"},
		{"AArch64", "0:X1=x; 0:X2=y;", "P0 ;\n LDR W0,[X1] ;\n LDR W3,[X2] ;\n EOR W4,W0,W0 ;\n EOR W5,W3,W3 ;\n ADD W4,W4,W5 ;\n STR W9,[X2,W4,SXTW] ;", 1, "depends on several others"},
		{"AArch64", "0:X1=x;", "P0 ;\n SWPA W2,WZR,[X1] ;", 1, "without a result"},
	} {
		parsed, err := Parse("t", []byte(test.arch+" t\n{ "+test.init+" }\n "+test.code+"\nexists (x=1)\n"))
		if err != nil {
			t.Errorf("%s: %v", test.code, err)
			continue
		}
		runs := parsed.Runs()
		if test.runs == "" != (runs == nil) || runs != nil && !strings.Contains(runs.Error(), test.runs) {
			t.Errorf("%s: %v, want %q", test.code, runs, test.runs)
		}
		if len(parsed.Cases) != test.cases {
			t.Errorf("%s: %d cases, want %d", test.code, len(parsed.Cases), test.cases)
		}
	}
}

// TestWidths: numbers that do not fit where they go, by hand. One thread runs alone, and
// loads the initial state.
func TestWidths(t *testing.T) {
	for _, test := range []struct{ arch, init, code, holds string }{
		// A017 of herd7: the lower half of a double word, with and without its sign.
		{"RISCV", "uint64_t x=0xffffffffff; 0:x2=x; uint64_t 0:x3; uint64_t 0:x5;", "lw x5,0(x2) ;\n lwu x3,0(x2)", `0:x5=0xffffffffffffffff /\ 0:x3=0xffffffff`},
		{"RISCV", "uint16_t x=0x8001; 0:x2=x; int64_t 0:x3; int64_t 0:x5;", "lh x5,0(x2) ;\n lhu x3,0(x2)", `0:x5=-32767 /\ 0:x3=32769`},
		{"RISCV", "int64_t 0:x1=0x7fffffff; int64_t 0:x2; int64_t 0:x3;", "addiw x2,x1,1 ;\n addi x3,x1,1", `0:x2=-2147483648 /\ 0:x3=2147483648`},
		{"RISCV", "int64_t 0:x1=0xf0000000; int64_t 0:x2; int64_t 0:x3;", "sraiw x2,x1,4 ;\n srliw x3,x1,4", `0:x2=-16777216 /\ 0:x3=0xf000000`},
		{"RISCV", "0:x1=-1; 0:x2=1;", "slt x3,x1,x2 ;\n sltu x4,x1,x2 ;\n seqz x5,x1", `0:x3=1 /\ 0:x4=0 /\ 0:x5=0`},
		// Conditions compare what the type holds, by default int.
		{"RISCV", "0:x1=x; 0:x2=-1;", "sw x2,0(x1)", "x=-1"},
		{"RISCV", "uint64_t x; 0:x1=x; 0:x2=-1;", "sw x2,0(x1)", "x=4294967295"},
		{"RISCV", "int x=-5; 0:x1=x; 0:x2=3; int64_t 0:x3;", "amomax.w x3,x2,(x1)", `x=3 /\ 0:x3=-5`},
		{"RISCV", "int x=-5; 0:x1=x; 0:x2=3;", "amominu.w x3,x2,(x1)", "x=3"},
		{"AArch64", "int64_t x=0x100000002; 0:X1=x; int64_t 0:X2; int64_t 0:X3;", "LDR W2,[X1] ;\n LDR X3,[X1]", `0:X2=2 /\ 0:X3=0x100000002`},
		{"AArch64", "int8_t x=-1; 0:X1=x; int64_t 0:X4; int64_t 0:X6;", "LDRSB W0,[X1] ;\n MOV X4,X0 ;\n LDRB W2,[X1] ;\n MOV X6,X2", `0:X0=-1 /\ 0:X2=255 /\ 0:X4=4294967295 /\ 0:X6=255`},
		{"AArch64", "int x=-1; 0:X1=x; int64_t 0:X2; int64_t 0:X3;", "LDRSW X2,[X1] ;\n LDR W3,[X1]", `0:X2=-1 /\ 0:X3=4294967295`},
		{"AArch64", "int x=-2; 0:X1=x; 0:X2=1;", "LDSMAX W2,W3,[X1]", `x=1 /\ 0:X3=-2`},
		{"AArch64", "int x=-2; 0:X1=x; 0:X2=-2; 0:X4=7;", "CAS W2,W4,[X1]", "x=7"},
		{"AArch64", "int64_t 0:X1; int64_t 0:X2;", "MOV W0,#0 ;\n SUB W1,W0,#1 ;\n SUB X2,X0,#1", `0:X1=4294967295 /\ 0:X2=-1`},
		{"AArch64", "0:X0=-256;", "ASR W1,W0,#2 ;\n LSR W2,W0,#4", `0:X1=-64 /\ 0:X2=0xffffff0`},
		// Flags: of 32 bits, of sums, and of AND, which never carries.
		{"AArch64", "0:X0=0x80000000; 0:X1=1;", "CMP W0,W1 ;\n CSET W2,LT ;\n CSET W3,HI ;\n CMP X0,X1 ;\n CSET W4,LT", `0:X2=1 /\ 0:X3=1 /\ 0:X4=0`},
		{"AArch64", "int64_t 0:X1=2; int64_t 0:X2=-2;", "ADDS X0,X1,X2 ;\n CSET W3,MI ;\n CSET W4,EQ ;\n CSET W5,CS ;\n CSET W6,VS", `0:X3=0 /\ 0:X4=1 /\ 0:X5=1 /\ 0:X6=0`},
		{"AArch64", "0:X0=0x7fffffff; 0:X1=1;", "ADDS W2,W0,W1 ;\n CSET W3,MI ;\n CSET W4,VS ;\n CMN W0,W1 ;\n CSET W5,GE", `0:X3=1 /\ 0:X4=1 /\ 0:X5=1`},
		{"AArch64", "0:X0=6;", "TST X0,#4 ;\n CSET W1,NE ;\n CSET W2,HS ;\n CSET W3,LS ;\n SUBS X4,X0,#7 ;\n CSET W5,LT", `0:X1=1 /\ 0:X2=0 /\ 0:X3=1 /\ 0:X5=1`},
		{"AArch64", "0:X0=5;", "CMP X0,#5 ;\n CSNEG W1,W9,W0,NE ;\n CSINV W2,W0,W0,NE ;\n CSETM W3,EQ", `0:X1=-5 /\ 0:X2=-6 /\ 0:X3=-1`},
		{"X86_64", "uint64_t x=0x200000003; int64_t 0:rbx; int64_t 0:rcx;", "movl (x),%ebx ;\n movq (x),%rcx", `0:rbx=3 /\ 0:rcx=0x200000003`},
		{"X86_64", "int64_t 0:rbx;", "movl $-1,%ebx ;\n movl %ebx,(x)", `0:rbx=4294967295 /\ x=-1`},
	} {
		parsed, err := Parse("t", []byte(test.arch+" t\n{ "+test.init+" }\n P0 ;\n "+test.code+" ;\nforall ("+test.holds+")\n"))
		if err != nil {
			t.Errorf("%s: %v", test.code, err)
			continue
		}
		answered := false
		for _, c := range parsed.Cases {
			var reads, final []gen.Value
			accepts := true
			for _, op := range c.Program.Threads[0] {
				if op.Kind.Reads() {
					accepts = accepts && c.Accepts(0, len(reads), 0)
					reads = append(reads, 0)
				}
			}
			for loc := range c.Program.Locations {
				final = append(final, 0)
				for _, op := range c.Program.Threads[0] {
					if op.Kind.Writes() && int(op.Loc) == loc {
						final[loc] = op.Value
					}
				}
			}
			if s := c.State([][]gen.Value{reads}, final); accepts {
				answered = true
				if !s.Holds() {
					t.Errorf("%s: %s, want %s", test.code, s, test.holds)
				}
			}
		}
		if !answered {
			t.Errorf("%s: no case", test.code)
		}
	}
}
