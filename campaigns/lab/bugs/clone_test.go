package bugs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
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
