package syntax

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cockroachdb/datadriven"
)

// The commands of testdata/faults: "parse" parses its input as the file
// in.sm; "load" takes // several files, each after a line "-- NAME --", and loads the first one. Both print
// the faults, or ok.
func TestFaults(t *testing.T) {
	datadriven.Walk(t, "testdata/faults", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var err error
			switch d.Cmd {
			case "parse":
				_, err = Parse("in.sm", []byte(d.Input))
			case "load":
				fsys, first := files(d.Input)
				_, err = Load(fsys, first)
			default:
				t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
			}
			if err != nil {
				return err.Error()
			}
			return "ok"
		})
	})
}

// files splits an input into files and names the first one.
func files(input string) (fsys fstest.MapFS, first string) {
	fsys = fstest.MapFS{}
	for _, part := range strings.Split("\n"+input, "\n-- ")[1:] {
		name, text, _ := strings.Cut(part, " --\n")
		if first == "" {
			first = name
		}
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys, first
}

// faultsOf takes an error of this package apart.
func faultsOf(t *testing.T, err error) Faults {
	t.Helper()
	var faults Faults
	if !errors.As(err, &faults) || len(faults) == 0 {
		t.Fatalf("error is no list of faults: %v", err)
	}
	return faults
}

// Text that nests without end is refused with one fault, whatever nests, and
// chains that make the tree deep count as nesting.
func TestNestingIsLimited(t *testing.T) {
	const n = 20_000
	repeat := strings.Repeat
	for name, src := range map[string]string{
		"parentheses": "int x := " + repeat("(", n) + "1" + repeat(")", n) + ";",
		"negations":   "int x := " + repeat("!", n) + "1;",
		"steps":       "int x := " + repeat("++ ", n) + "1;",
		"sums":        "int x := 1" + repeat(" + 1", n) + ";",
		"members":     "int x := a" + repeat(".b", n) + ";",
		"calls":       "int x := " + repeat("f(", n) + repeat(")", n) + ";",
		"ifs":         "action(a) {" + repeat("if (x) {", n) + repeat("}", n) + "}",
		"else ifs":    "action(a) { if (x) {}" + repeat(" else if (x) {}", n) + "}",
		"machines":    repeat("machine(A:B) : {", n) + repeat("}", n),
	} {
		_, err := Parse("in.sm", []byte(src))
		if err == nil || !strings.Contains(err.Error(), "nesting deeper than") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A text full of faults is given up on after a while.
func TestFaultsAreLimited(t *testing.T) {
	for _, src := range []string{strings.Repeat("#", 10_000), strings.Repeat("int;\n", 10_000)} {
		_, err := Parse("in.sm", []byte(src))
		if n := len(faultsOf(t, err)); n != maxFaults && n != maxFaults+1 {
			t.Errorf("%d faults for %.10q…", n, src)
		}
	}
}
