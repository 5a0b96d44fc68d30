package litmus_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
	"ordeal/gen/emit/litmus"
)

func program(t *testing.T, text string) *gen.Program {
	t.Helper()
	p, err := gen.Parse("test", []byte("ordeal-program 1\nlayout spread\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Written by hand after the tests that diy7 generates for X86_64.
const sb = `X86_64 SB
{
}
 P0            | P1            ;
 movl $1,(x)   | movl $2,(y)   ;
 mfence        | movl (x),%eax ;
 movl (y),%eax |               ;
locations [0:rax; 1:rax; x; y;]
exists (0:rax=0 /\ 1:rax=0 /\ [x]=1)
`

const atomics = `X86_64 atomics
{
}
 P0                | P1 ;
 movl $12,%eax     |    ;
 xchgl (x),%eax    |    ;
 lock addl $300,(x) |    ;
 movl (x),%ebx     |    ;
locations [0:rax; 0:rbx; x;]
forall (true)
`

func TestEmit(t *testing.T) {
	for _, test := range []struct {
		name, text string
		c          *litmus.Condition
		want       string
	}{
		{"SB", "locations x y\nthread 0\nstore x 1\nfence\nload y\nthread 1\nstore y 2\ndelay 3\nload x\n",
			&litmus.Condition{
				Reads: map[litmus.Read]gen.Value{{Thread: 1}: 0, {Thread: 0}: 0},
				Final: map[gen.LocID]gen.Value{0: 1},
			}, sb},
		{"atomics", "locations x\nthread 0\nexchange x 12\nadd x 3\nload x\nthread 1\n", nil, atomics},
	} {
		var got bytes.Buffer
		if err := litmus.Emit(&got, test.name, program(t, test.text), test.c); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		// Column widths are for the eye.
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		if diff := cmp.Diff(squeeze(test.want), squeeze(got.String())); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", test.name, diff, got.String())
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"locations x log0_13\nthread 0\n" + strings.Repeat("load x\n", 15), "location log0_13: thread 0 needs the name for a result"},
		{"locations x\nthread 0\nstore x 2147483648\n", "thread 0 operation 0 (store x 2147483648): value 2147483648 does not fit 31 bits"},
		{"locations P1\nthread 0\nload P1\n", "location P1: the name means something else there"},
		{"locations eax\nthread 0\nload eax\n", "location eax: the name means something else there"},
	} {
		var out bytes.Buffer
		err := litmus.Emit(&out, "T", program(t, test.text), nil)
		if err == nil || err.Error() != "emit litmus T: "+test.want {
			t.Errorf("error %v, want emit litmus T: %s", err, test.want)
		}
		if out.Len() > 0 {
			t.Errorf("%s: %d bytes written", test.want, out.Len())
		}
	}
	p := program(t, "locations x\nthread 0\nadd x 1\n")
	for _, r := range []litmus.Read{{Index: 0}, {Index: 1}, {Thread: 1}, {Thread: -1}} {
		c := litmus.Condition{Reads: map[litmus.Read]gen.Value{r: 0}}
		if err := litmus.Emit(new(bytes.Buffer), "T", p, &c); err == nil {
			t.Errorf("read %+v accepted", r)
		}
	}
}

// A thread with 14 results needs no memory; with 16, counting an addition that
// has none, the 14th and 15th log entries are in memory.
func TestManyResults(t *testing.T) {
	var out bytes.Buffer
	p := program(t, "locations x\nthread 0\n"+strings.Repeat("load x\n", 14))
	if err := litmus.Emit(&out, "T", p, nil); err != nil || strings.Contains(out.String(), "log0") {
		t.Errorf("%v in\n%s", err, out.String())
	}
	out.Reset()
	p = program(t, "locations x\nthread 0\nadd x 1\n"+strings.Repeat("load x\n", 14)+"exchange x 2\n")
	c := &litmus.Condition{Reads: map[litmus.Read]gen.Value{{Index: 13}: 10, {Index: 14}: 11, {Index: 15}: 12}}
	if err := litmus.Emit(&out, "T", p, c); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"movl (x),%r14d ; movl (x),%r15d ; movl %r15d,(log0_14) ; movl $2,%r15d ; xchgl (x),%r15d ; movl %r15d,(log0_15) ;",
		"0:r14; log0_14; log0_15; x;]", `exists (0:r14=10 /\ [log0_14]=11 /\ [log0_15]=12)`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestNames checks that the generator's names all pass.
func TestNames(t *testing.T) {
	var names []string
	for l := range gen.LocID(60) {
		names = append(names, gen.LocationName(l))
	}
	p := program(t, "locations "+strings.Join(names, " ")+"\nthread 0\nload x\n")
	if err := litmus.Emit(new(bytes.Buffer), "T", p, nil); err != nil {
		t.Error(err)
	}
}

// Written by hand after the tests that diy7 generates for AArch64 and RISCV.
const arm = `AArch64 MP+stlr+addr
{
0:X3=x;
0:X4=y;
1:X3=y;
1:X5=x;
}
 P0 | P1 ;
 MOV W1,#1 | LDAR W4,[X3] ;
 STR W1,[X3] | EOR X0,X4,X4 ;
 MOV W1,#2 | ADD X2,X5,X0 ;
 STLR W1,[X4] | LDR W6,[X2] ;
 | CBNZ W6,LC00 ;
 | LC00: ;
 | ISB ;
 | MOV W1,#3 ;
 | SWPAL W1,W7,[X3] ;
locations [1:X4; 1:X6; 1:X7; x; y;]
exists (1:X4=2 /\ 1:X6=0)
`

const riscvPair = `RISCV pair
{
0:x8=x;
}
 P0 ;
 lr.w.aq x9,0(x8) ;
 fence r,rw ;
 xor x6,x9,x9 ;
 ori x6,x6,1 ;
 sc.w.rl x10,x6,0(x8) ;
 fence.tso ;
 ori x6,x0,10 ;
 amoadd.w.aq.rl x11,x6,(x8) ;
locations [0:x9; 0:x10; 0:x11; x;]
forall (true)
`

func TestEmitInstructionSets(t *testing.T) {
	reads := &litmus.Condition{Reads: map[litmus.Read]gen.Value{{Thread: 1}: 2, {Thread: 1, Index: 1}: 0}}
	for _, test := range []struct {
		name, text string
		c          *litmus.Condition
		want       string
	}{
		{"MP+stlr+addr", "aarch64\nlayout spread\nlocations x y\nthread 0\nstore x 1\nstore y 2 release\n" +
			"thread 1\nload y acquire\nload x addr 1\nfence isync ctrl 1\nexchange y 3 acquire release\n", reads, arm},
		{"pair", "riscv64\nlayout spread\nlocations x\nthread 0\nload-linked x acquire\nfence r.rw\nstore-conditional x 1 release data 2\n" +
			"fence tso\nadd x 1 acquire release\n", nil, riscvPair},
	} {
		p, err := gen.Parse("test", []byte("ordeal-program 1\nisa "+test.text))
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := litmus.Emit(&got, test.name, p, test.c); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		if diff := cmp.Diff(squeeze(test.want), squeeze(got.String())); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", test.name, diff, got.String())
		}
	}
	p, err := gen.Parse("test", []byte("ordeal-program 1\nisa riscv64\nlayout spread\nlocations x5 t1\nthread 0\n"+strings.Repeat("load t1\n", 30)))
	if err != nil {
		t.Fatal(err)
	}
	err = litmus.Emit(new(bytes.Buffer), "T", p, nil)
	for _, want := range []string{"location x5: the name means", "location t1: the name means", "thread 0 operation 23 (load t1): more than 24 locations and results"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// TestRetries refuses an attempt that is made only if the one before it failed.
func TestRetries(t *testing.T) {
	p, err := gen.Parse("test", []byte("ordeal-program 1\nisa riscv64\nlayout spread\nlocations x\nthread 0\n"+
		"load-linked x\nstore-conditional x 1\nload-linked x retry\nstore-conditional x 1 retry\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := "emit litmus T: thread 0 operation 2 (load-linked x retry): litmus tests have no further attempts\n" +
		"thread 0 operation 3 (store-conditional x 1 retry): litmus tests have no further attempts"
	if err := litmus.Emit(new(bytes.Buffer), "T", p, nil); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestLabels has branches in two threads: herd7 takes the labels of a test for one set.
func TestLabels(t *testing.T) {
	for _, isa := range []string{"aarch64", "riscv64"} {
		p, err := gen.Parse("test", []byte("ordeal-program 1\nisa "+isa+"\nlayout spread\nlocations x\n"+
			"thread 0\nload x\nload x ctrl 1\nload x ctrl 1\nthread 1\nload x\nload x ctrl 1\n"))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := litmus.Emit(&out, "T", p, nil); err != nil {
			t.Fatal(err)
		}
		for _, label := range []string{"LC00", "LC01", "LC02"} {
			if strings.Count(out.String(), label) != 2 { // the branch and its target
				t.Errorf("label %s\n%s", label, out.String())
			}
		}
	}
}
