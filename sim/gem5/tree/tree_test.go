package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	protocol = "src/mem/ruby/protocol/Small-cache.sm"
	binary   = "build/gem5"
)

// other is a second file that changes with the protocol.
const other = "src/mem/ruby/protocol/Small-msg.sm"

// change gives the protocol new contents, and the other file too.
func change(contents string) []Change {
	return []Change{{protocol, []byte(contents)}, {other, []byte("messages of " + contents)}}
}

// newTree makes a tree whose build copies the protocol into the binary.
func newTree(t *testing.T) *Tree {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for file, contents := range map[string]string{protocol: "action a\n", other: "messages\n", binary: "built from action a\n", "build.sh": "echo building; sleep ${SLEEP:-0}; printf 'built from ' > build/gem5; cat " + protocol + " >> build/gem5; ! grep -q broken " + protocol + "\n"} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(contents), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return &Tree{Dir: dir, Rebuild: []string{"sh", "build.sh"}, Binary: binary}
}

// state is every file of the tree with permissions and contents.
func state(t *testing.T, tree *Tree) string {
	t.Helper()
	var text strings.Builder
	err := filepath.WalkDir(tree.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		fmt.Fprintf(&text, "%s %v %q\n", strings.TrimPrefix(path, tree.Dir), info.Mode(), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestWith(t *testing.T) {
	tree := newTree(t)
	before := state(t, tree)
	called := false
	err := tree.With(t.Context(), change("action b\n"), func(_ context.Context, path string) error {
		called = true
		data, err := os.ReadFile(path)
		if string(data) != "built from action b\n" {
			t.Errorf("the binary is %q", data)
		}
		soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := tree.With(soon, nil, nil); err == nil || !strings.Contains(err.Error(), "another process is changing it") {
			t.Errorf("two changes at a time: %v", err)
		}
		if err := tree.Recover(soon); err == nil {
			t.Error("recovery in the middle of a change")
		}
		return err
	})
	if err != nil || !called {
		t.Fatalf("called %v, %v", called, err)
	}
	if after := state(t, tree); after != before {
		t.Errorf("before:\n%safter:\n%s", before, after)
	}
	left, err := filepath.Glob(filepath.Join(os.Getenv("XDG_STATE_HOME"), "ordeal", "trees", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(left) == 0 {
		t.Error("nothing in the folder of state")
	}
	for _, path := range left {
		if name := filepath.Base(path); name != lockFile && !strings.HasPrefix(name, "rebuild") {
			t.Errorf("%s is left", path)
		}
	}
}

func TestFailures(t *testing.T) {
	tree := newTree(t)
	before := state(t, tree)
	own := errors.New("own")
	err := tree.With(t.Context(), change("b"), func(context.Context, string) error { return own })
	if !errors.Is(err, own) {
		t.Errorf("%v, want the function's", err)
	}
	var build *BuildError
	err = tree.With(t.Context(), change("broken"), func(context.Context, string) error { panic("run") })
	if !errors.As(err, &build) || !strings.Contains(build.Error(), "status 1: building") {
		t.Errorf("%v, want a failure to build", err)
	}
	for name, to := range map[string]string{"link.sm": protocol, "away.sm": filepath.Join(t.TempDir(), "x"), "folder": t.TempDir()} {
		if err := os.Symlink(to, filepath.Join(tree.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(tree.Dir, "pipe.sm"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"none.sm", "../outside", "link.sm", "away.sm", "folder/x", "folder", "pipe.sm"} {
		if err := tree.With(t.Context(), []Change{{file, nil}}, nil); err == nil {
			t.Errorf("changed %s", file)
		}
	}
	for _, name := range []string{"link.sm", "away.sm", "folder", "pipe.sm"} {
		if err := os.Remove(filepath.Join(tree.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = tree.With(ctx, change("c"), func(ctx context.Context, _ string) error {
		cancel()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want canceled", err)
	}
	for _, corrupt := range []func(*Tree){
		func(t *Tree) { t.Rebuild = nil },
		func(t *Tree) { t.Rebuild = []string{"./none"} },
		func(t *Tree) { t.Rebuild = []string{"true"} }, // makes no binary
		func(t *Tree) { t.Rebuild, t.Timeout = []string{"sleep", "60"}, 50*time.Millisecond },
	} {
		bad := &Tree{Dir: tree.Dir, Rebuild: tree.Rebuild, Binary: tree.Binary}
		corrupt(bad)
		if err := bad.With(t.Context(), change("d"), func(context.Context, string) error { panic("run") }); err == nil {
			t.Errorf("built by %q", bad.Rebuild)
		}
	}
	if after := state(t, tree); after != before {
		t.Errorf("before:\n%safter:\n%s", before, after)
	}
}

// TestEditedMeanwhile leaves a file alone that was edited while a change was in
// place.
func TestEditedMeanwhile(t *testing.T) {
	tree := newTree(t)
	path := filepath.Join(tree.Dir, protocol)
	err := tree.With(t.Context(), change("b"), func(context.Context, string) error {
		return os.WriteFile(path, []byte("precious"), 0o644)
	})
	if !errors.Is(err, ErrChanged) {
		t.Errorf("%v, want %v", err, ErrChanged)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "precious" {
		t.Errorf("%q, %v", data, err)
	}
	if err := tree.Recover(t.Context()); !errors.Is(err, ErrChanged) {
		t.Errorf("later: %v", err)
	}
}

// TestHostileTree has a tree that comes with what this package might take for its own, and links at
// the names that it writes to: nothing outside of the tree changes, and no change fails for them.
func TestHostileTree(t *testing.T) {
	tree := newTree(t)
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	j := fmt.Sprintf(`{"tree":%q,"files":[{"file":%q,"mode":420,"original":"cGxhbnRlZA==","changed":"YWN0aW9uIGEK"}],"binary":%q}`, tree.Dir, protocol, victim)
	for _, dir := range []string{".ordeal", "src/mem/ruby/protocol"} {
		path := filepath.Join(tree.Dir, dir, journalFile)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(j), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{protocol + temporarySuffix, other + temporarySuffix, ".ordeal/.gitignore", ".ordeal/lock"} {
		if err := os.Symlink(victim, filepath.Join(tree.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tree.Recover(t.Context()); err != nil {
		t.Error(err)
	}
	if err := tree.With(t.Context(), change("action b\n"), func(context.Context, string) error { return nil }); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(victim); err != nil || string(data) != "precious" {
		t.Errorf("the file outside is %q, %v", data, err)
	}
	if data, err := os.ReadFile(filepath.Join(tree.Dir, protocol)); err != nil || string(data) != "action a\n" {
		t.Errorf("the protocol is %q, %v", data, err)
	}
	// What the tree has at the name that the binary is moved aside to would replace the binary.
	if err := os.WriteFile(filepath.Join(tree.Dir, binary+originalSuffix), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := tree.With(t.Context(), nil, nil); err == nil || !strings.Contains(err.Error(), "is in the way") {
		t.Error(err)
	}
}

// TestLinkedMeanwhile has folders of a changed tree replaced by links: nothing is restored through them.
func TestLinkedMeanwhile(t *testing.T) {
	for _, folder := range []string{filepath.Dir(protocol), filepath.Dir(binary)} {
		tree := newTree(t)
		away := t.TempDir()
		err := tree.With(t.Context(), change("action b\n"), func(context.Context, string) error {
			path := filepath.Join(tree.Dir, folder)
			return errors.Join(os.Rename(path, path+"-moved"), os.Symlink(away, path))
		})
		if err == nil {
			t.Errorf("%s: restored through a link", folder)
		}
		if left, err := os.ReadDir(away); err != nil || len(left) > 0 {
			t.Errorf("%s: wrote %v, %v", folder, left, err)
		}
	}
}

// killVariable makes the test binary apply a change and kill itself between
// two changes of the disk.
const killVariable = "ORDEAL_TREE_KILL_AT"

func TestMain(m *testing.M) {
	at := os.Getenv(killVariable)
	if at == "" {
		os.Exit(m.Run())
	}
	var n int
	if _, err := fmt.Sscan(at, &n); err != nil {
		panic(err)
	}
	tree := &Tree{Dir: ".", Rebuild: []string{"sh", "build.sh"}, Binary: binary}
	kill := func() {
		if n--; n < 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			time.Sleep(time.Hour)
		}
	}
	tree.step = kill
	err := tree.With(context.Background(), change("action b\n"), func(context.Context, string) error {
		kill()
		return nil
	})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// TestKilled kills the process at every point between two changes of the
// disk, kills the recovery once more, and finds the tree as it was.
func TestKilled(t *testing.T) {
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	points := 0
	for ; ; points++ {
		tree := newTree(t)
		before := state(t, tree)
		run := func(at int) error {
			cmd := exec.Command(executable)
			cmd.Dir = tree.Dir
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", killVariable, at))
			out, err := cmd.CombinedOutput()
			if len(out) > 0 {
				t.Fatalf("killed at %d: %s", at, out)
			}
			return err
		}
		killed := run(points) != nil
		again := &Tree{Dir: tree.Dir, Rebuild: tree.Rebuild, Binary: tree.Binary}
		if points%2 == 0 {
			left := 1
			again.step = func() {
				if left--; left == 0 {
					panic("killed again")
				}
			}
			func() {
				defer func() { _ = recover() }()
				_ = again.Recover(t.Context())
			}()
			again.step = nil
		}
		if err := again.Recover(t.Context()); err != nil {
			t.Fatalf("killed at %d: %v", points, err)
		}
		after := state(t, tree)
		if after != before {
			t.Fatalf("killed at %d: before:\n%safter:\n%s", points, before, after)
		}
		if !killed {
			break
		}
	}
	if points < 14 {
		t.Errorf("%d points: the test would hold for nothing", points)
	}
}
