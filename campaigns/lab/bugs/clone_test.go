package bugs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/internal/must"
	"ordeal/sim/osfile"
	"ordeal/sim/slicc/syntax"
)

// cloneVariable names a clone of gem5's repository, for the tests that need one.
const cloneVariable = "ORDEAL_GEM5_CLONE"

// TestClone makes the protocols of all bugs of the list.
func TestClone(t *testing.T) {
	dir := os.Getenv(cloneVariable)
	if dir == "" {
		t.Skip("needs a clone of gem5's repository in " + cloneVariable)
	}
	list, err := History()
	if err != nil {
		t.Fatal(err)
	}
	clone, err := OpenClone(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	m := Maker{Clone: clone, List: list, Dir: t.TempDir()}
	made := 0
	for i := range list.Bugs {
		b := &list.Bugs[i]
		trees, err := m.Make(t.Context(), b)
		if err != nil {
			t.Logf("%s: %v", b.ID, err)
			continue
		}
		t.Logf("%s: %s", b.ID, trees.How)
		made++
	}
	if t.Logf("%d of %d", made, len(list.Bugs)); 2*made < len(list.Bugs) {
		t.Errorf("the protocols of %d of %d bugs can be made: want at least half", made, len(list.Bugs))
	}
}

// newClone makes a clone with a commit of files of the directory of protocols.
func newClone(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, "src/mem/ruby/protocol", name)
		must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "x"}} {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

// TestBoundedClone has clones whose files are too long one by one, too many, or that have git wait for a pipe.
func TestBoundedClone(t *testing.T) {
	const root = "protocol \"MI_example\";\n"
	many := map[string]string{"MI_example.slicc": root}
	for i := range maxProtocols/syntax.MaxText + 1 {
		many[fmt.Sprintf("part%d.sm", i)] = strings.Repeat(" ", syntax.MaxText)
	}
	for what, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"one":  {map[string]string{"MI_example.slicc": root, "long.sm": strings.Repeat(" ", syntax.MaxText+1)}, "long.sm"},
		"many": {many, "all of them have"},
	} {
		clone, err := OpenClone(t.Context(), newClone(t, c.files))
		must.Succeed(t, err)
		if _, err := clone.Protocols(t.Context(), "HEAD"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	dir := newClone(t, map[string]string{"MI_example.slicc": root})
	pipe := filepath.Join(dir, "pipe")
	must.Succeed(t, osfile.MakePipe(pipe))
	must.Succeed(t, os.WriteFile(filepath.Join(dir, ".git", "config"), []byte("[include]\n\tpath = "+pipe+"\n"), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := OpenClone(ctx, dir); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a pipe: %v", err)
	}
}

// TestNamesOfFiles has names of files that, as they are in a clone or renamed by a list, lead out of the directory.
func TestNamesOfFiles(t *testing.T) {
	clone, err := OpenClone(t.Context(), newClone(t, map[string]string{"MI_example.slicc": "protocol \"MI_example\";\ninclude \"x.sm\";\n", "x.sm": "\n"}))
	must.Succeed(t, err)
	for _, name := range []string{"../x.sm", "/x.sm", "a/../../x.sm", "./x.sm", "a//x.sm"} {
		dir := t.TempDir()
		m := Maker{Clone: clone, List: &List{}, Dir: filepath.Join(dir, "in")}
		files := Protocols{"MI_example.slicc": "protocol \"MI_example\";\ninclude \"" + name + "\";\n", name: "\n", path.Base(name): "\n", path.Join("..", name): "\n"}
		_, _, err := m.one(&Bug{Protocol: "MI_example"}, files)
		if left, _ := os.ReadDir(dir); err != nil && len(left) > 0 || len(left) > 1 {
			t.Errorf("%s: %v, wrote %v", name, err, left)
		}
		if edit := (&Edit{File: name, Drop: "x"}); edit.validate() == nil {
			t.Errorf("an edit of %s", name)
		}
	}
}

// TestHostileClone has settings of a received clone name commands to fetch a missing
// file with: none is executed.
func TestHostileClone(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	dir, file := t.TempDir(), "src/mem/ruby/protocol/MI_example.slicc"
	owned := filepath.Join(t.TempDir(), "owned")
	must.Succeed(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o700))
	must.Succeed(t, os.WriteFile(filepath.Join(dir, file), []byte("protocol \"MI_example\";\n"), 0o600))
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-qm", "x")
	object := git("rev-parse", "HEAD:"+file)
	for key, value := range map[string]string{
		"core.repositoryformatversion": "1", "extensions.partialClone": "origin", "remote.origin.url": "ssh://x/y", "remote.origin.promisor": "true",
		"core.sshCommand": "touch " + owned + ";", "core.fsmonitor": "touch " + owned, "core.pager": "touch " + owned,
	} {
		git("config", key, value)
	}
	must.Succeed(t, os.Remove(filepath.Join(dir, ".git", "objects", object[:2], object[2:])))
	clone, err := OpenClone(t.Context(), dir)
	must.Succeed(t, err)
	if files, err := clone.Protocols(t.Context(), "HEAD"); err == nil {
		t.Errorf("the missing file is there: %v", files)
	}
	if _, err := os.Lstat(owned); err == nil {
		t.Error("a command that the clone names was executed")
	}
}
