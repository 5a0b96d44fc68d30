package outcomes

import (
	"bytes"
	"testing"

	"ordeal/gen"
	emit "ordeal/gen/emit/litmus"
	"ordeal/gen/shapes"
	"ordeal/parse/formats/litmus"
)

// TestLitmus runs litmus tests of other tools, whose answers under SC
// and TSO the literature gives (Owens, Sarkar and Sewell, TPHOLs 2009).
func TestLitmus(t *testing.T) {
	for _, row := range []struct {
		name, code, condition string
		sc, tso               bool
	}{
		{"SB", " P0 | P1 ;\n movl $1,(x) | movl $1,(y) ;\n movl (y),%eax | movl (x),%eax ;\n", `exists (0:rax=0 /\ 1:rax=0)`, false, true},
		{"SB+mfences", " P0 | P1 ;\n movl $1,(x) | movl $1,(y) ;\n mfence | mfence ;\n movl (y),%eax | movl (x),%eax ;\n", `exists (0:rax=0 /\ 1:rax=0)`, false, false},
		{"MP", " P0 | P1 ;\n movl $1,(x) | movl (y),%eax ;\n movl $1,(y) | movl (x),%ebx ;\n", `exists (1:rax=1 /\ 1:rbx=0)`, false, false},
		{"LB", " P0 | P1 ;\n movl (x),%eax | movl (y),%eax ;\n movl $1,(y) | movl $1,(x) ;\n", `exists (0:rax=1 /\ 1:rax=1)`, false, false},
		{"R", " P0 | P1 ;\n movl $1,(x) | movl $2,(y) ;\n movl $1,(y) | movl (x),%eax ;\n", `exists (y=2 /\ 1:rax=0)`, false, true},
		{"S", " P0 | P1 ;\n movl $2,(x) | movl (y),%eax ;\n movl $1,(y) | movl $1,(x) ;\n", `exists (x=2 /\ 1:rax=1)`, false, false},
		{"2+2W", " P0 | P1 ;\n movl $2,(x) | movl $2,(y) ;\n movl $1,(y) | movl $1,(x) ;\n", `exists (x=2 /\ y=2)`, false, false},
		{"n6", " P0 | P1 ;\n movl $1,(x) | movl $2,(y) ;\n movl (x),%eax | movl $2,(x) ;\n movl (y),%ebx | ;\n", `exists (0:rax=1 /\ 0:rbx=0 /\ x=1)`, false, true},
		{"n5", " P0 | P1 ;\n movl $1,(x) | movl $2,(x) ;\n movl (x),%eax | movl (x),%ebx ;\n", `exists (0:rax=2 /\ 1:rbx=1)`, false, false},
		{"iwp2.3.b", " P0 ;\n movl $1,(x) ;\n movl (x),%eax ;\n", `exists (0:rax=0)`, false, false},
		{"amd5", " P0 | P1 ;\n movl $1,(x) | movl $1,(y) ;\n xchgl %eax,(z) | xchgl %eax,(w) ;\n movl (y),%ebx | movl (x),%ebx ;\n", `exists (0:rbx=0 /\ 1:rbx=0)`, false, false},
		{"2W", " P0 | P1 ;\n movl $1,(x) | movl $1,(x) ;\n", `exists (x=0)`, false, false},
	} {
		test, err := litmus.Parse(row.name, []byte("X86_64 "+row.name+"\n{ x=0; y=0; z=0; w=0; }\n"+row.code+row.condition+"\n"))
		if err != nil {
			t.Error(err)
			continue
		}
		for m, want := range map[Machine]bool{SC: row.sc, TSO: row.tso} {
			found := false
			for _, o := range enumerate(t, test.Program, m) {
				found = found || test.State(o.Reads, o.Final).Holds()
			}
			if found != want {
				t.Errorf("%s on machine %d: %v, want %v", row.name, m, found, want)
			}
		}
	}
}

// TestEmitted reads back what the emitter writes of every shape, and requires the
// condition to hold in the outcomes that it was written for and in no others.
func TestEmitted(t *testing.T) {
	for _, s := range shapes.All() {
		p := shapeProgram(s)
		for _, o := range enumerate(t, p, PSO) {
			c := emit.Condition{Reads: map[emit.Read]gen.Value{}, Final: map[gen.LocID]gen.Value{}}
			for thread, reads := range o.Reads {
				for i, v := range reads {
					c.Reads[emit.Read{Thread: gen.ThreadID(thread), Index: i}] = v
				}
			}
			for l, v := range o.Final {
				c.Final[gen.LocID(l)] = v
			}
			var text bytes.Buffer
			if err := emit.Emit(&text, "t", p, &c); err != nil {
				t.Fatal(err)
			}
			test, err := litmus.Parse("t", text.Bytes())
			if err != nil {
				t.Fatalf("%v in\n%s", err, text.String())
			}
			holds := 0
			for _, other := range enumerate(t, test.Program, PSO) {
				if test.State(other.Reads, other.Final).Holds() {
					holds++
				}
			}
			if holds != 1 {
				t.Errorf("%s: the condition holds in %d outcomes of\n%s", s.Name, holds, text.String())
			}
		}
	}
}
