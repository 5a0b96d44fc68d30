package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"ordeal/campaigns/internal/must"
)

// TestNoLinks calls everything that takes a path with links, to files and to
// directories, at the end of the path and on it, and requires that it fails and
// that nothing behind the link changes.
func TestNoLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	must.Succeed(t, os.WriteFile(secret, []byte("secret"), 0o600))
	must.Succeed(t, os.Symlink(secret, filepath.Join(dir, "file")))
	must.Succeed(t, os.Symlink(outside, filepath.Join(dir, "folder")))
	must.Succeed(t, os.Symlink(filepath.Join(outside, "made"), filepath.Join(dir, "dangling")))
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "own"), []byte("own"), 0o600))
	file := func(open func(string) (*os.File, error)) func(string) error {
		return func(path string) error {
			f, err := open(path)
			if err == nil {
				must.Succeed(t, f.Close())
			}
			return err
		}
	}
	for name, call := range map[string]func(path string) error{
		"Open":      file(Open),
		"Append":    file(Append),
		"ReadFile":  func(path string) error { _, err := ReadFile(path); return err },
		"Overwrite": func(path string) error { return Overwrite(path, []byte("x")) },
		"ReadJSON":  func(path string) error { return ReadJSON(path, new(any)) },
		"Flush":     Flush,
	} {
		for _, path := range []string{"file", "dangling", "folder/secret"} {
			if err := call(filepath.Join(dir, path)); err == nil {
				t.Errorf("%s of %s: no error", name, path)
			}
		}
	}
	for name, call := range map[string]func(path string) error{
		"Temporary": file(Temporary),
		"WriteFile": func(path string) error { return WriteFile(path, []byte("x"), true) },
		"Mkdir":     Mkdir,
		"MkdirAll":  MkdirAll,
		"Remove":    Remove,
		"RemoveAll": RemoveAll,
		"Lstat":     func(path string) error { _, err := Lstat(path); return err },
		"Rename":    func(path string) error { return Rename(filepath.Join(dir, "own"), path) },
		"Rename of": func(path string) error { return Rename(path, filepath.Join(dir, "new")) },
		"ReadDir":   func(path string) error { _, err := ReadDir(filepath.Dir(path)); return err },
		"Names":     func(path string) error { _, err := Names(filepath.Dir(path)); return err },
	} {
		if err := call(filepath.Join(dir, "folder", "secret")); !errors.Is(err, ErrLink) {
			t.Errorf("%s behind a link: %v", name, err)
		}
	}
	// A link itself is replaced or removed, not what it leads to.
	must.Succeed(t, WriteFile(filepath.Join(dir, "file"), []byte("new"), false))
	must.Succeed(t, RemoveAll(filepath.Join(dir, "folder")))
	list, err := os.ReadDir(outside)
	must.Succeed(t, err)
	text, err := os.ReadFile(secret)
	must.Succeed(t, err)
	if len(list) != 1 || string(text) != "secret" {
		t.Errorf("outside are %v, and the file says %q", list, text)
	}
}

// TestIrregular requires that pipes and devices are refused, and not waited for.
func TestIrregular(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	must.Succeed(t, unix.Mkfifo(pipe, 0o600))
	for _, path := range []string{pipe, "/dev/zero", t.TempDir()} {
		_, readErr := ReadFile(path)
		writeErr := Overwrite(path, []byte("x"))
		if _, err := Append(path); readErr == nil || writeErr == nil || err == nil {
			t.Errorf("%s: %v, %v, %v", path, readErr, writeErr, err)
		}
	}
	if _, err := ReadFile(pipe); !errors.Is(err, ErrIrregular) {
		t.Errorf("pipe: %v", err)
	}
}

// TestWalkDir compares the way to a directory on old kernels with that of new
// ones.
func TestWalkDir(t *testing.T) {
	dir := t.TempDir()
	must.Succeed(t, os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700))
	must.Succeed(t, os.Symlink("a", filepath.Join(dir, "link")))
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	t.Chdir(dir)
	for path, want := range map[string]error{
		dir: nil, "/": nil, ".": nil, "a/b": nil, "a/../a/b": nil, "./a": nil, "..": nil,
		"link": ErrLink, "link/b": ErrLink, filepath.Join(dir, "link", "b"): ErrLink,
		"missing": fs.ErrNotExist, "a/missing": fs.ErrNotExist, "file": unix.ENOTDIR, "file/a": unix.ENOTDIR,
	} {
		for name, open := range map[string]func(string) (int, error){"openDir": openDir, "walkDir": walkDir} {
			fd, err := open(path)
			if err == nil {
				must.Succeed(t, unix.Close(fd))
			}
			if !errors.Is(err, want) {
				t.Errorf("%s of %s: %v, want %v", name, path, err, want)
			}
		}
	}
}

// TestResolve requires that a path without links stays as the user wrote it.
func TestResolve(t *testing.T) {
	dir := t.TempDir()
	must.Succeed(t, os.MkdirAll(filepath.Join(dir, "real", "runs"), 0o700))
	must.Succeed(t, os.Symlink("real", filepath.Join(dir, "link")))
	t.Chdir(dir)
	// A link in a record stays; one to a record does not.
	must.Succeed(t, os.Mkdir("night", 0o700))
	must.Succeed(t, os.WriteFile("night/campaign.json", nil, 0o600))
	must.Succeed(t, os.Symlink("../real", filepath.Join("night", "000001")))
	must.Succeed(t, os.Symlink("night", "last"))
	for path, want := range map[string]string{
		"night/000001": "night/000001", "night/000001/runs": "night/000001/runs", "last": "night", "last/000002": "night/000002",
		"real/runs": "real/runs", "./real": "./real", "link/runs": "real/runs", "link/new/deep": "real/new/deep",
		"new": "new", filepath.Join(dir, "link"): filepath.Join(dir, "real"),
	} {
		if got := Resolve(path); got != want {
			t.Errorf("Resolve(%q) = %q, want %q", path, got, want)
		}
	}
}

// TestPermissions requires that new files and directories have what the umask
// leaves, also those that are renamed.
func TestPermissions(t *testing.T) {
	for _, umask := range []int{0o022, 0o077, 0o002} {
		dir := filepath.Join(t.TempDir(), "new")
		before := unix.Umask(umask)
		err := errors.Join(MkdirAll(dir), WriteFile(filepath.Join(dir, "file"), nil, false), Overwrite(filepath.Join(dir, "other"), nil),
			WriteOutput(filepath.Join(dir, "output"), nil, Plain), WriteOutput(filepath.Join(dir, "program"), nil, Executable))
		unix.Umask(before)
		must.Succeed(t, err)
		for name, mode := range map[string]fs.FileMode{".": 0o777, "file": 0o666, "other": 0o666, "output": 0o666, "program": 0o777} {
			info, err := os.Stat(filepath.Join(dir, name))
			must.Succeed(t, err)
			if want := mode &^ fs.FileMode(umask); info.Mode().Perm() != want {
				t.Errorf("umask %03o: %s has %v, want %v", umask, name, info.Mode().Perm(), want)
			}
		}
	}
}
