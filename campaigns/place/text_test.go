package place

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/sim/osfile"
)

// TestTexts requires titles to be those of the same statement whatever its line, and
// of different ones in different blocks.
func TestTexts(t *testing.T) {
	write := func(text string) (root string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.sm"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, "a.slicc")
	}
	const text = "machine(MachineType:A, \"\") {\n" + // line 1
		"  action(b_one, desc=\"\") {\n    assert(x);\n    y();\n  }\n" + // 2 to 5
		"  action(b_two, desc=\"\") {\n    assert(x);\n  }\n" + // 6 to 8
		"  bool f(TBE tbe, Addr a) {\n    assert(x);\n  }\n}\n"
	here, there := write(text), write(strings.Replace(text, "machine(", "// a line more\nmachine(", 1))
	if got, want := Texts(here, "failed assertion at a.sm:7:5"), `failed assertion at a.sm in action(b_two, desc="") { at assert(x);`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, c := range []struct {
		at, other string
		same      bool
	}{
		{"a.sm:3:5", "a.sm:4:5", true}, {"a.sm:3:5", "a.sm:8:5", false}, {"a.sm:3:5", "a.sm:5:5", false}, {"a.sm:7:5", "a.sm:11:5", false},
		{"a.sm:10:5", "a.sm:11:5", true}, {"a.sm:99:5", "a.sm:99:5", true}, {"b.sm:3:5", "b.sm:4:5", false},
	} {
		if same := Texts(here, c.at) == Texts(there, c.other); same != c.same {
			t.Errorf("%s and %s: the same %v, want %v", c.at, c.other, same, c.same)
		}
	}
	// A link, or a pipe, which would be waited for.
	dir := filepath.Dir(here)
	if err := os.Symlink(filepath.Join(dir, "a.sm"), filepath.Join(dir, "link.sm")); err != nil {
		t.Fatal(err)
	}
	if err := osfile.MakePipe(filepath.Join(dir, "pipe.sm")); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Fatal(err)
	}
	for _, title := range []string{"failed assertion at link.sm:7:5", "failed assertion at pipe.sm:7:5"} {
		if got := Texts(here, title); got != title {
			t.Errorf("%q, want %q", got, title)
		}
	}
}

// TestRenumber requires the lines of all places of a title to be replaced, and nothing else.
func TestRenumber(t *testing.T) {
	add := func(file string, line int) int { return line + len(file) }
	for title, want := range map[string]string{
		"failed assertion at a-b.sm:7:3":  "failed assertion at a-b.sm:13:3",
		"error at p.slicc:1 after q.sm:2": "error at p.slicc:8 after q.sm:6",
		"deadlock: L1 is busy in M:7":     "deadlock: L1 is busy in M:7",
	} {
		if got := Renumber(title, add); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}
