package syntax

import (
	"os"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// forgetPositions sets every Pos reachable from v to zero.
func forgetPositions(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			forgetPositions(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			forgetPositions(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Pos]() {
			v.SetZero()
			return
		}
		for i := range v.NumField() {
			forgetPositions(v.Field(i))
		}
	}
}

// checkRoundTrip demands that a text parses, and that its printed form parses
// to the same tree and prints to itself.
func checkRoundTrip(t *testing.T, name string, src []byte) {
	t.Helper()
	file, err := Parse(name, src)
	if err != nil {
		t.Fatalf("parse %s:\n%v", name, err)
	}
	printed := Print(file)
	again, err := Parse(name, []byte(printed))
	if err != nil {
		t.Fatalf("parse the printed %s:\n%v\n%s", name, err, printed)
	}
	forgetPositions(reflect.ValueOf(file))
	forgetPositions(reflect.ValueOf(again))
	if !reflect.DeepEqual(file, again) {
		t.Fatalf("%s changed (-before +after):\n%s", name, cmp.Diff(file, again))
	}
	if twice := Print(again); twice != printed {
		t.Fatalf("%s prints differently the second time:\n%s", name, cmp.Diff(printed, twice))
	}
}

// The sampler protocol uses every construct of the grammar.
func TestPrintThenParse(t *testing.T) {
	for _, name := range []string{"sampler.slicc", "sampler-native.sm", "sampler-messages.sm", "sampler-cache.sm", "sampler-home.sm"} {
		src, err := os.ReadFile("../testdata/sampler/" + name)
		if err != nil {
			t.Fatal(err)
		}
		checkRoundTrip(t, name, src)
	}
}

// Each row is an expression as printed from the tree that its left side
// parses to: parentheses that do nothing vanish, the others stay.
func TestPrintParentheses(t *testing.T) {
	for _, row := range []struct{ in, want string }{
		{"a || b && c == d", "a || b && c == d"},
		{"(a || b) && c", "(a || b) && c"},
		{"a - (b - c)", "a - (b - c)"},
		{"(a - b) - c", "a - b - c"},
		{"a * (b + c) % d", "a * (b + c) % d"},
		{"a << 1 < b", "a << 1 < b"},
		{"!a == b", "!a == b"},
		{"!(a == b)", "!(a == b)"},
		{"-(-a)", "-(-a)"},
		{"- -a", "-(-a)"},
		{"a - -b", "a - -b"},
		{"++ a + b", "++a + b"},
		{"(++a) + b", "(++a) + b"},
		{"a + ++b", "a + (++b)"},
		{"(((a))).b[(c)]", "a.b[c]"},
		{"(a + b).c()", "(a + b).c()"},
		{"std::string x", "std::string x"},
		{"A::f(1, 2,)", "A::f(1, 2)"},
		{"f(T:x, 'say \"b\"', OOD, new E)", `f(T:x, 'say "b"', OOD, new E)`},
		{"static_cast(E, \"pointer\", t.lookup(a))", `static_cast(E, "pointer", t.lookup(a))`},
		{"static_cast(E, \"pointer\")", `static_cast(E, "pointer")`},
		{"is_valid(a) && is_invalid(b)", "is_valid(a) && is_invalid(b)"},
	} {
		file, err := Parse("row", []byte("int x := "+row.in+";"))
		if err != nil {
			t.Errorf("%s: %v", row.in, err)
			continue
		}
		if got := PrintExpr(file.Decls[0].(*Object).Init); got != row.want {
			t.Errorf("%s: printed as %s, want %s", row.in, got, row.want)
		}
	}
}
