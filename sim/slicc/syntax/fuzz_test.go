package syntax

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// Any text either has faults, all of them placed, or prints to a text that
// parses to the same tree.
func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, src string) {
		file, err := Parse("in.sm", []byte(src))
		if err != nil {
			checkPlaced(t, src, err)
			return
		}
		printed := Print(file)
		again, err := Parse("in.sm", []byte(printed))
		if err != nil {
			if strings.Contains(err.Error(), "nesting deeper") {
				t.Skip() // the printer's parentheses around ++ are one level each
			}
			t.Fatalf("parse the printed text: %v\n%s", err, printed)
		}
		file.Older = false // the printed text is in today's language
		for _, d := range file.Decls {
			if m, ok := d.(*Machine); ok {
				m.Others = nil
			}
		}
		forgetPositions(reflect.ValueOf(file))
		forgetPositions(reflect.ValueOf(again))
		if !reflect.DeepEqual(file, again) {
			t.Fatalf("the printed text means something else:\n%s", printed)
		}
	})
}

// Any file of builtins either has faults, all of them placed, or is read the same twice.
func FuzzParseBuiltins(f *testing.F) {
	seed(f)
	f.Add("bool C.m(Addr a, int n) { return this.m(a); } int f() returns 0; void g(A) does nothing; int C.k(int) as f; structure(C) { int n; }")
	f.Fuzz(func(t *testing.T, src string) {
		if _, err := ParseBuiltins("in.builtins", []byte(src)); err != nil {
			checkPlaced(t, src, err)
		}
	})
}

// seed adds the sampler protocol's files and fragments of its constructs.
func seed(f *testing.F) {
	entries, err := os.ReadDir("../testdata/sampler")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		src, err := os.ReadFile("../testdata/sampler/" + e.Name())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(src))
	}
	for _, s := range []string{
		"transition({A, B; C D}, {}, *) {} {x} E y;",
		"transition_no_stall(A, B) {x}",
		`machine({A, B}, "x") : C * c, int d = 2 { MessageBuffer e, network="To"; action(a, "a") { enqueue(o, M, latency="3") {} p.dequeue(); } }`,
		"int x := -(-a) - -b + ++c.d[1](2);",
		"void f(A::b * c := \"d\", E & f) { if (a) {} else if (b) { return OOD; } else {} }",
		"action(a, 'b\"c', d=e, f=1) { A::b(static_cast(T, \"m\", new U)).v := T:w; }",
	} {
		f.Add(s)
	}
}

// checkPlaced demands that every fault names a place inside the text.
func checkPlaced(t *testing.T, src string, err error) {
	t.Helper()
	lines := strings.Split(src, "\n")
	for _, fault := range faultsOf(t, err) {
		pos := fault.Pos
		if pos.Line < 1 || int(pos.Line) > len(lines) || pos.Col < 1 ||
			int(pos.Col) > len(lines[pos.Line-1])+1 || fault.Msg == "" {
			t.Fatalf("fault at an impossible place: %v", fault)
		}
	}
}
