package outcomes

import (
	"strings"
	"testing"

	"ordeal/parse/formats/litmus"
)

// TestCases asks the machines of Armv8 and RVWMO about tests whose paths depend on what loads
// return. The answers follow from aarch64hwreqs.cat and riscv.cat of herd7, as the comments say.
func TestCases(t *testing.T) {
	const (
		lbRel  = " LDR W0,[X1] | %s ;\n MOV W2,#1 | ;\n STLR W2,[X3] | ;\n"
		arm    = "AArch64 t\n{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; 1:X5=z; }\n P0 | P1 ;\n"
		lb     = ` exists (0:X0=1 /\ 1:X0=1)`
		mpSend = " MOV W0,#1 | %s ;\n STR W0,[X1] | ;\n STLR W0,[X3] | ;\n"
		stale  = ` exists (1:X0=1 /\ 1:X6=0)`
	)
	// column puts instructions of thread 1 beside those of thread 0.
	column := func(zero string, one ...string) string {
		rows := strings.Split(strings.TrimSpace(strings.ReplaceAll(zero, "%s", "")), "\n")
		for i, o := range one {
			if i >= len(rows) {
				rows = append(rows, " | ;")
			}
			rows[i] = strings.Replace(rows[i], "|", "| "+o, 1)
		}
		return arm + strings.Join(rows, "\n") + "\n"
	}
	for _, test := range []struct {
		name, text string
		want       bool
	}{
		{"a store of what was loaded depends on it", column(lbRel, "LDR W0,[X1]", "STR W0,[X3]") + lb, false},
		{"a store behind a branch waits", column(lbRel, "LDR W0,[X1]", "CMP W0,#0", "B.EQ L", "MOV W2,#1", "L:", "MOV W8,#1", "STR W8,[X3]") + lb, false},
		{"a load behind a branch does not", column(mpSend, "LDR W0,[X1]", "TBZ W0,#0,L", "NOP", "L:", "LDR W6,[X3]") + stale, true},
		{"but behind a branch and ISB", column(mpSend, "LDR W0,[X1]", "TBZ W0,#0,L", "NOP", "L:", "ISB", "LDR W6,[X3]") + stale, false},
		{"what CSEL chooses orders stores (pob)", column(lbRel, "LDR W0,[X1]", "CMP W0,#1", "CSEL W2,W6,W7,EQ", "EOR W8,W2,W2", "ADD W8,W8,#1", "STR W8,[X3]") + lb, false},
		{"and no loads", column(mpSend, "LDR W0,[X1]", "CMP W0,#1", "CSEL W2,W8,W7,EQ", "LDR W6,[X3,W2,UXTW]") + stale, true},
		{"which of two constants was stored is no address", column(lbRel, "LDR W0,[X1]", "CMP W0,#1", "CSET W2,EQ", "STR W2,[X5]", "MOV W8,#1", "STR W8,[X3]") + lb, true},
		{"CAS that succeeds is a load and a store", column(lbRel, "LDR W0,[X1]", "MOV W2,#0", "MOV W4,#1", "CAS W2,W4,[X3]", "EOR W0,W0,#0") + lb, true},
		{"and waits for what it compares", column(lbRel, "LDR W0,[X1]", "AND W2,W0,#2", "MOV W4,#1", "CAS W2,W4,[X3]") + lb, false},
		{"CAS that fails stores nothing", column(lbRel, "LDR W0,[X1]", "MOV W2,#7", "MOV W4,#1", "CAS W2,W4,[X3]") + lb, false},
		{"LDADD adds", column(lbRel, "LDR W0,[X1]", "ORR W4,W0,#1", "LDADD W4,W6,[X3]") + lb, false},
		{"SWPA acquires", column(mpSend, "SWPA W9,W0,[X1]", "LDR W6,[X3]") + stale, false},
		{"STADD is not waited for by DMB LD", column(mpSend, "MOV W9,#1", "STADD W9,[X1]", "DMB LD", "LDR W6,[X3]", "LDR W0,[X1]") + ` exists (1:X0=2 /\ 1:X6=0)`, true},
		{"LDADD is", column(mpSend, "MOV W9,#1", "LDADD W9,W2,[X1]", "DMB LD", "LDR W6,[X3]", "LDR W0,[X1]") + ` exists (1:X0=2 /\ 1:X2=1 /\ 1:X6=0)`, false},
		{"an address that was loaded is a dependency", "AArch64 t\n{ z=3; x=z; 0:X1=x; 0:X2=y; 0:X3=5; y=0; 1:X1=x; }\n P0 | P1 ;\n STR W3,[X2] | LDR X4,[X1] ;\n STLR X2,[X1] | LDR W0,[X4] ;\nexists (1:X4=y /\\ 1:X0=0)\n", false},
		{"sc stores what lr loaded", "RISCV t\n{ 0:x5=x; 1:x5=x; 1:x6=1; }\n P0 | P1 ;\n lr.w x7,0(x5) | sw x6,0(x5) ;\n sc.w x8,x7,0(x5) | ;\nexists (0:x7=0 /\\ 0:x8=0 /\\ x=1)\n", true},
		{"and not after another store", "RISCV t\n{ 0:x5=x; }\n P0 ;\n lr.w x7,0(x5) ;\n sc.w x8,x7,0(x5) ;\nexists (x=1)\n", false},
		{"what sc returns orders (ppo)", "RISCV t\n{ 0:x5=x; 0:x6=y; 0:x2=1; 1:x5=x; 1:x6=y; 1:x2=1; }\n P0 | P1 ;\n lr.w x7,0(x5) | lw x8,0(x6) ;\n sc.w x8,x2,0(x5) | fence rw,rw ;\n xor x9,x8,x8 | lw x7,0(x5) ;\n ori x9,x9,1 | ;\n sw x9,0(x6) | ;\nexists (0:x8=0 /\\ 1:x8=1 /\\ 1:x7=0)\n", false},
		{"fence iorw,iorw is full", "RISCV t\n{ 0:x5=x; 0:x6=y; 0:x2=1; 1:x5=x; 1:x6=y; 1:x2=1; }\n P0 | P1 ;\n sw x2,0(x5) | sw x2,0(x6) ;\n fence iorw,iorw | fence iorw,iorw ;\n lw x7,0(x6) | lw x7,0(x5) ;\nexists (0:x7=0 /\\ 1:x7=0)\n", false},
		{"amoor.aqrl of x0 is a load in order", "RISCV t\n{ 0:x5=x; 0:x6=y; 0:x2=1; 1:x5=x; 1:x6=y; 1:x2=1; }\n P0 | P1 ;\n amoswap.w.aqrl x0,x2,(x5) | amoswap.w.aqrl x0,x2,(x6) ;\n amoor.w.aqrl x7,x0,(x6) | amoor.w.aqrl x7,x0,(x5) ;\nexists (0:x7=0 /\\ 1:x7=0)\n", false},
	} {
		parsed, err := litmus.Parse(test.name, []byte(test.text+"\n"))
		if err != nil {
			t.Error(err)
			continue
		}
		m := Armv8
		if strings.HasPrefix(test.text, "RISCV") {
			m = RVWMO
		}
		holds := false
		for _, c := range parsed.Cases {
			list, err := EnumerateCase(Case{Program: c.Program, Deps: c.Deps, NoReturn: c.NoReturn, Accepts: c.Accepts}, m, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range list {
				holds = holds || c.State(o.Reads, o.Final).Holds()
			}
		}
		if holds != test.want {
			t.Errorf("%s: the condition holds: %v, want %v\n%s", test.name, holds, test.want, test.text)
		}
	}
}
