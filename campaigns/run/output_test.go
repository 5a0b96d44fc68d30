package run

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"ordeal/campaigns/internal/must"
)

// TestOutput requires that a regular file is replaced as a whole, and that
// anything else is written to and stays what it is.
func TestOutput(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	must.Succeed(t, os.WriteFile(path("file"), []byte("before, and longer"), 0o640))
	must.Succeed(t, os.WriteFile(path("target"), []byte("before, and longer"), 0o600))
	must.Succeed(t, os.Symlink("target", path("link")))
	must.Succeed(t, unix.Mkfifo(path("pipe"), 0o600))
	pipe, err := os.OpenFile(path("pipe"), os.O_RDWR, 0)
	must.Succeed(t, err)
	defer pipe.Close()
	old, err := os.Open(path("file"))
	must.Succeed(t, err)
	defer old.Close()
	for _, name := range []string{"new", "file", "link", "pipe"} {
		must.Succeed(t, WriteOutput(path(name), []byte("after\n"), Plain))
	}
	for _, name := range []string{"new", "file", "target"} {
		if text, err := os.ReadFile(path(name)); err != nil || string(text) != "after\n" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if text, err := io.ReadAll(old); err != nil || string(text) != "before, and longer" {
		t.Errorf("the file was changed in place: %q, %v", text, err)
	}
	var got [6]byte
	if _, err := io.ReadFull(pipe, got[:]); err != nil || string(got[:]) != "after\n" {
		t.Errorf("pipe: %q, %v", got, err)
	}
	for name, kind := range map[string]fs.FileMode{"link": fs.ModeSymlink, "pipe": fs.ModeNamedPipe, "file": 0, "target": 0} {
		info, err := os.Lstat(path(name))
		must.Succeed(t, err)
		if info.Mode().Type() != kind {
			t.Errorf("%s has become a %v", name, info.Mode())
		}
		if name == "file" && info.Mode().Perm() != 0o640 {
			t.Errorf("the permissions have become %v", info.Mode())
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 5 {
		t.Errorf("files: %v, %v", list, err)
	}
}

// TestOutputDevice writes to a device, which root could replace: one of the
// test's own.
func TestOutputDevice(t *testing.T) {
	null := filepath.Join(t.TempDir(), "null")
	if err := unix.Mknod(null, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))); err != nil {
		t.Skip("only root makes devices: ", err)
	}
	if err := WriteOutput(null, []byte("x"), Plain); err != nil && !errors.Is(err, fs.ErrPermission) { // mounted nodev
		t.Error(err)
	}
	if info, err := os.Lstat(null); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Errorf("the device has become %v, %v", info.Mode(), err)
	}
}

// TestOutputOwn requires that standard output, a file here, is neither opened
// anew nor closed: what was written stays.
func TestOutputOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	must.Succeed(t, err)
	stdout := os.Stdout
	os.Stdout = f
	defer func() { os.Stdout = stdout }()
	link := filepath.Join(t.TempDir(), "stdout")
	must.Succeed(t, os.Symlink(path, link))
	_, err = f.WriteString("first\n")
	must.Succeed(t, err)
	must.Succeed(t, WriteOutput(link, []byte("second\n"), Plain))
	_, err = f.WriteString("third\n")
	must.Succeed(t, err)
	must.Succeed(t, f.Close())
	if text, err := os.ReadFile(path); err != nil || string(text) != "first\nsecond\nthird\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestOutputDiscard requires that an output that fails changes nothing.
func TestOutputDiscard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must.Succeed(t, os.WriteFile(path, []byte("before"), 0o600))
	o, err := CreateOutput(path, Plain)
	must.Succeed(t, err)
	_, err = o.Write([]byte("half"))
	must.Succeed(t, err)
	must.Succeed(t, o.Discard())
	text, err := os.ReadFile(path)
	must.Succeed(t, err)
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 || string(text) != "before" {
		t.Errorf("%q, %v, %v", text, list, err)
	}
}

// TestStreamFails requires that a file whose contents fail half-way stays as it
// was, as does one that a link leads to before the first bytes.
func TestStreamFails(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	must.Succeed(t, os.WriteFile(file, []byte("before"), 0o600))
	must.Succeed(t, os.Symlink("file", link))
	failed := errors.New("no more")
	half := func(w io.Writer) error {
		_, err := w.Write(make([]byte, 3*streamBuffer))
		return errors.Join(err, failed)
	}
	for what, err := range map[string]error{
		"a file":          StreamFile(file, false, half),
		"an output":       StreamOutput(file, Plain, half),
		"through a link":  StreamOutput(link, Plain, func(io.Writer) error { return failed }),
		"nothing to keep": StreamOutput(filepath.Join(dir, "new"), Plain, half),
	} {
		if !errors.Is(err, failed) {
			t.Errorf("%s: %v, want %v", what, err, failed)
		}
	}
	text, err := os.ReadFile(file)
	must.Succeed(t, err)
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 || string(text) != "before" {
		t.Errorf("%q, %v, %v", text, list, err)
	}
	must.Succeed(t, StreamOutput(link, Plain, func(io.Writer) error { return nil }))
	if text, err := os.ReadFile(file); err != nil || len(text) > 0 {
		t.Errorf("through a link: %q, %v, want nothing", text, err)
	}
}
