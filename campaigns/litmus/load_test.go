package litmus

import (
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ordeal/campaigns/internal/must"
)

const someTest = "{ x=0; y=0; }\n P0 | P1 ;\n movl $1,(x) | movl (y),%eax ;\n movl $1,(y) | movl (x),%ebx ;\nexists (1:rax=1 /\\ 1:rbx=0)\n"

// write makes files below a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Succeed(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

func TestLoad(t *testing.T) {
	dir := write(t, map[string]string{
		"b.litmus":             "X86_64 B\n" + someTest,
		"a.litmus":             "X86_64 A\n" + someTest,
		"sub/deep/c.litmus":    "X86_64 C\n" + someTest,
		"sub/notes.txt":        "no test",
		"elsewhere/d.litmus":   "X86_64 D\n" + someTest,
		"elsewhere/@all":       "# all of them\nd.litmus\n\n../a.litmus # once more\n@more\n",
		"elsewhere/@more":      "../sub\n@all\n",
		"bad/branch.litmus":    "X86_64 J\n{ x=0; }\n P0 ;\n movl $1,(x) ;\n jmp L0 ;\nexists (x=1)\n",
		"bad/arm.litmus":       "ARM M\n{ }\n P0 ;\n NOP ;\n",
		"twice/a-too.litmus":   "X86_64 A\n" + someTest,
		"empty/nothing":        "",
		"strange/$(x) .litmus": "X86_64 S\n" + someTest,
	})
	in := func(names ...string) []string {
		for i := range names {
			names[i] = filepath.Join(dir, names[i])
		}
		return names
	}
	for _, test := range []struct {
		paths  []string
		want   string   // names of the tests
		faults []string // parts of what is wrong, in order
	}{
		{in("b.litmus", "a.litmus"), "B A", nil},
		{in("a.litmus", "a.litmus"), "A", nil},
		{in("sub"), "C", nil},
		{in("elsewhere/@all"), "D A C", nil},
		{in("elsewhere"), "D", nil}, // lists are asked for by name
		{in("strange"), "S", nil},
		{in("bad", "a.litmus"), "A", []string{"arm.litmus:1: architecture ARM", "branch.litmus:5: thread 0: instruction"}},
		{in("a.litmus", "twice"), "A", []string{"a-too.litmus: test A is in "}},
		{in("empty"), "", []string{"empty: no file below it ends in .litmus"}},
		{in("nothing", "b.litmus"), "B", []string{"nothing: no such file"}},
	} {
		tests, err := Load(test.paths)
		var names []string
		for _, test := range tests {
			names = append(names, test.Name)
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%q: tests %q, want %q", test.paths, got, test.want)
		}
		var faults []string
		if err != nil {
			faults = strings.Split(err.Error(), "\n")
		}
		if !slices.EqualFunc(faults, test.faults, strings.Contains) {
			t.Errorf("%q: faults %q, want %q", test.paths, faults, test.faults)
		}
	}
}

func TestSaveShapes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	n, err := SaveShapes(dir)
	must.Succeed(t, err)
	tests, err := Load([]string{dir})
	if err != nil || len(tests) != n {
		t.Fatalf("%d tests of %d read back: %v", len(tests), n, err)
	}
}

// TestPipes requires that pipes and devices that folders and lists name are
// reported, and not waited for.
func TestPipes(t *testing.T) {
	dir := write(t, map[string]string{"good/mp.litmus": "X86_64 mp\n" + someTest, "@all": "good\npipe\n@zero\n"})
	must.Succeed(t, unix.Mkfifo(filepath.Join(dir, "pipe"), 0o666))
	must.Succeed(t, unix.Mkfifo(filepath.Join(dir, "good", "pipe.litmus"), 0o666))
	must.Succeed(t, os.Symlink("/dev/zero", filepath.Join(dir, "@zero")))
	tests, err := Load([]string{filepath.Join(dir, "@all")})
	if len(tests) != 1 || err == nil || strings.Count(err.Error(), "no regular file") != 3 {
		t.Errorf("%d tests, error %v", len(tests), err)
	}
}

// TestTooLarge has a test with more states than can be enumerated.
func TestTooLarge(t *testing.T) {
	defer func(most int) { maxStates = most }(maxStates)
	maxStates = 1000
	row := strings.Repeat("movl $1,(x) | movl $1,(x) | movl $1,(x) | movl $1,(x) | movl $1,(x) | movl $1,(x) ; ", 12)
	test := parseTest(t, "huge", "", "P0 | P1 | P2 | P3 | P4 | P5; "+strings.TrimSuffix(row, "; "), "exists (x=0)")
	if _, err := Run(t.Context(), test, options(t, "tso")); err == nil || !strings.Contains(err.Error(), "huge.litmus: the test is too large") {
		t.Errorf("error %v", err)
	}
}

// TestTooLong reads tests that end in many spaces, one of them compressed to a
// hundredth: both are refused by name, those of the longest length are not.
func TestTooLong(t *testing.T) {
	head := "X86_64 long\n" + someTest
	packed := func(text string) string {
		var b strings.Builder
		z := gzip.NewWriter(&b)
		_, err := z.Write([]byte(text))
		must.Succeed(t, errors.Join(err, z.Close()))
		return b.String()
	}
	for more, want := range []int{1, 0} {
		text := head + strings.Repeat(" ", maxTest+more-len(head))
		for _, file := range []string{text, packed(text)} {
			path := filepath.Join(write(t, map[string]string{"long.litmus": file}), "long.litmus")
			tests, err := Load([]string{path})
			if len(tests) != want || want == 0 && (err == nil || !strings.Contains(err.Error(), path+": it has more than 1048576 bytes")) {
				t.Errorf("%d bytes of %d: %d tests, %v", len(file), len(text), len(tests), err)
			}
		}
	}
}
