package bugs

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ordeal/sim/protocols"
)

// TestTakeOut takes a change out of a text with random later changes. Where the
// later ones keep away from it, the result must be the text that they alone make.
func TestTakeOut(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		var before []string
		for i := range 60 {
			before = append(before, fmt.Sprintf("line %d\n", i), []string{"}\n", "\n", "  a;\n"}[rng.IntN(3)])
		}
		at := 40 + rng.IntN(20)
		change := func(list []string) []string { // the fix, by content
			i := slices.Index(list, before[at/2*2])
			switch seed % 3 {
			case 0:
				return slices.Insert(slices.Clone(list), i, "new;\n", "newer;\n")
			case 1:
				return slices.Delete(slices.Clone(list), i, i+1)
			}
			list = slices.Clone(list)
			list[i] = "other;\n"
			return list
		}
		later := func(list []string) []string { // far from the fix
			list = slices.Clone(list)
			for range 1 + rng.IntN(4) {
				switch i := rng.IntN(16); rng.IntN(2) {
				case 0:
					list = slices.Insert(list, i, "later;\n")
				default:
					list = slices.Delete(list, i, i+1)
				}
			}
			return append(list, "end\n")
		}
		fixed, want := change(before), later(before)
		got, err := takeOut(strings.Join(change(want), ""), strings.Join(fixed, ""), strings.Join(before, ""), nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got != strings.Join(want, "") {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, got, strings.Join(want, ""))
		}
	}
}

func TestTakeOutFaults(t *testing.T) {
	const before, fixed = "a\nb\nc\nd\n", "a\nb\nnew\nc\nd\n"
	if got, err := takeOut("x\na\nb\nnewer\nc\nd\n", fixed, before, nil); err == nil {
		t.Errorf("a change that was changed again: %q, want an error", got)
	}
	if got, err := takeOut(fixed, fixed, before, []int{2}); err == nil || !strings.Contains(err.Error(), "no hunk 2") {
		t.Errorf("hunk 2 of 1: %q, %v", got, err)
	}
	if got, err := takeOut(" a\n b\n new\n c\n d\n", fixed, before, nil); err != nil || strings.Contains(got, "new") {
		t.Errorf("other blanks: %q, %v", got, err)
	}
	if got, err := takeOut("new\nx\nnew\n", fixed, before, nil); err == nil {
		t.Errorf("two places: %q, want an error", got)
	}
}

// repository is a repository with three commits of a protocol: the second one is a fix.
func repository(t *testing.T) (dir string, commits []string) {
	t.Helper()
	var versions []map[string]string
	for i, text := range []string{strings.Replace(table, "    m_pop;\n", "", 1), table, "// a comment\n" + table} {
		versions = append(versions, map[string]string{"P.slicc": "protocol \"P\";\ninclude \"P-cache.sm\";\n", "P-cache.sm": text, "Other.sm": fmt.Sprint(i)})
	}
	return history(t, versions)
}

// history makes a repository with a commit for each version of a protocol's files.
func history(t *testing.T, versions []map[string]string) (dir string, commits []string) {
	t.Helper()
	dir = t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	for i, version := range versions {
		for name, content := range version {
			write(t, filepath.Join(dir, protocols.Folder, name), content)
		}
		git("add", "-A")
		git("commit", "-qm", fmt.Sprint(i))
		commits = append(commits, git("rev-parse", "HEAD"))
	}
	return dir, commits
}

// TestMakeFromCommits makes the protocol of a fix after which an action that only the
// protocol before it uses was removed: without the fix, today's files do not fit
// together, and those of the commits are taken.
func TestMakeFromCommits(t *testing.T) {
	const at, action = "Written) {\n", "  action(x_extra, \"x\") {\n  }\n"
	var versions []map[string]string
	for i := range 3 {
		files := map[string]string{}
		list, err := filepath.Glob("../../../sim/ruby/testdata/small/*")
		if err != nil || len(list) == 0 {
			t.Fatal(list, err)
		}
		for _, path := range list {
			files[filepath.Base(path)] = read(t, path)
		}
		home := files["home.sm"]
		if i < 2 {
			home = strings.Replace(home, "  action(", action+"  action(", 1)
		}
		if i == 0 {
			home = strings.Replace(home, at, at+"    x_extra;\n", 1)
		}
		files["home.sm"] = home
		versions = append(versions, files)
	}
	dir, commits := history(t, versions)
	clone, err := OpenClone(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	m := Maker{Clone: clone, List: &List{Base: commits[2]}, Dir: t.TempDir()}
	trees, err := m.Make(t.Context(), &Bug{Protocol: "small", Fix: commits[1]})
	if err != nil || !strings.HasPrefix(trees.How, "commit "+commits[1]+"^") {
		t.Errorf("%+v, %v: want the files of the commits", trees, err)
	}
}

// TestMakeOutside makes the protocol of a fix that is not in SLICC.
func TestMakeOutside(t *testing.T) {
	const slicc = "protocol \"P\";\ninclude \"RubySlicc_Types.sm\";\ninclude \"P-cache.sm\";\n"
	dir, commits := history(t, []map[string]string{
		{"P.slicc": slicc, "P-cache.sm": table, "RubySlicc_Types.sm": "structure(Sequencer, external=\"yes\") {\n}\n"},
		{"P.slicc": slicc, "P-cache.sm": table, "RubySlicc_Types.sm": "structure(Sequencer, external=\"yes\") {\n  void f(Addr);\n}\n"},
	})
	clone, err := OpenClone(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	m := Maker{Clone: clone, List: &List{Base: commits[1]}, Dir: t.TempDir()}
	if trees, err := m.Make(t.Context(), &Bug{Protocol: "P", Fix: commits[1]}); !errors.Is(err, ErrOutside) {
		t.Errorf("%+v, %v: want %v", trees, err, ErrOutside)
	}
}

// TestMake makes the protocols of bugs in every way.
func TestMake(t *testing.T) {
	dir, commits := repository(t)
	clone, err := OpenClone(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	m := Maker{Clone: clone, List: &List{Base: commits[2]}, Dir: t.TempDir()}
	const pop = "m_pop"
	for _, c := range []struct {
		bug  Bug
		want string // in the error
	}{
		{Bug{Fix: commits[1]}, ""},
		{Bug{Fix: commits[1][:10]}, ""},
		{Bug{Edits: []Edit{{File: "P-cache.sm", At: "transition({I, S}, Load", Drop: pop}}}, ""},
		{Bug{Before: commits[0], After: commits[1]}, ""},
		{Bug{Fix: commits[1], Hunks: map[string][]int{"P-cache.sm": {1}}}, ""},
		{Bug{Fix: commits[1], Hunks: map[string][]int{"P-cache.sm": {2}}}, "no hunk 2"},
		{Bug{Fix: commits[1], Hunks: map[string][]int{"None.sm": {1}}}, "no file None.sm"},
		{Bug{Fix: "0123456789"}, "the clone does not have it"},
		{Bug{Fix: commits[2]}, "the same with and without"},
		{Bug{Fix: commits[1], Protocol: "Q"}, "no protocol Q"},
		{Bug{Edits: []Edit{{File: "Q.sm", Drop: "x"}}}, "has no file Q.sm"},
	} {
		if c.bug.Protocol == "" {
			c.bug.Protocol = "P"
		}
		trees, err := m.Make(t.Context(), &c.bug)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: %v, want %q", c.bug, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", c.bug, err)
			continue
		}
		for path, has := range map[string]bool{trees.Before: false, trees.After: true} {
			text := read(t, filepath.Join(filepath.Dir(path), "P-cache.sm"))
			if strings.Contains(text, pop) != has {
				t.Errorf("%s: %s:\n%s", trees.How, path, text)
			}
		}
	}
	// Other bugs have the same trees, which searches for them may read just then.
	bug := &Bug{Protocol: "P", Fix: commits[1]}
	trees, err := m.Make(t.Context(), bug)
	if err != nil {
		t.Fatal(err)
	}
	past := time.Unix(1_000_000_000, 0)
	file := filepath.Join(filepath.Dir(trees.Before), "P-cache.sm")
	text := read(t, file)
	if err := os.Chtimes(file, past, past); err != nil {
		t.Fatal(err)
	}
	write(t, trees.Before, "cut sho")
	again, err := m.Make(t.Context(), bug)
	if err != nil || *again != *trees {
		t.Fatalf("made again: %+v, %v: want %+v", again, err, trees)
	}
	if i, err := os.Stat(file); err != nil || !i.ModTime().Equal(past) || read(t, file) != text {
		t.Errorf("%s was written again: %v", file, err)
	}
	if root := read(t, trees.Before); root == "cut sho" {
		t.Errorf("%s stays %q", trees.Before, root)
	}
	if trees, err := m.Make(t.Context(), &Bug{Protocol: "P", Title: "x"}); err != nil || trees.After != "" {
		t.Errorf("a bug that is still there: %+v, %v", trees, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// protocolFiles writes the files of the project's MI, with an edit or without one, and
// returns the root file.
func protocolFiles(t *testing.T, edits ...*Edit) string {
	t.Helper()
	dir := t.TempDir()
	names, err := fs.Glob(protocols.Files(), "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(protocols.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		edited := string(text)
		for _, e := range edits {
			if e == nil || e.File != name {
				continue
			}
			if edited, err = e.apply(edited); err != nil {
				t.Fatal(err)
			}
		}
		write(t, filepath.Join(dir, name), edited)
	}
	root, err := protocols.Root("mi")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, root)
}
