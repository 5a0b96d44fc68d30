package osfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ordeal/sim/osfile"
)

func TestLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	first, second, third := open(), open(), open()
	want := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", what, err, want)
		}
	}
	want("first shared", osfile.LockShared(first), nil)
	want("second shared", osfile.LockShared(second), nil)
	want("exclusive beside shared", osfile.Lock(third), osfile.ErrLocked)
	_ = first.Close()
	_ = second.Close()
	want("exclusive after both are closed", osfile.Lock(third), nil)
	want("shared beside exclusive", osfile.LockShared(open()), osfile.ErrLocked)
	want("exclusive beside exclusive", osfile.Lock(open()), osfile.ErrLocked)
	if _, err := third.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	// Locked files can be read.
	if data, err := os.ReadFile(path); err != nil || string(data) != "text" {
		t.Errorf("read a locked file: %q, %v", data, err)
	}
}
