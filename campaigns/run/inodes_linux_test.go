package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ordeal/campaigns/internal/must"
)

// TestInodes requires that a file system without inodes is distinguishable from a full one,
// and from those without a table of inodes, as btrfs; where this process may mount
// one it is filled.
func TestInodes(t *testing.T) {
	for _, tt := range []struct {
		files, free, blocks uint64
		want                bool
	}{{100, 0, 50, true}, {100, 1, 50, false}, {100, 0, 0, false}, {0, 0, 50, false}} {
		if got := outOfInodes(&unix.Statfs_t{Files: tt.files, Ffree: tt.free, Bavail: tt.blocks}); got != tt.want {
			t.Errorf("%+v: out of inodes: %v", tt, got)
		}
	}
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "nr_inodes=8,size=4m"); err != nil {
		t.Logf("no file system is filled: %v", err)
		return
	}
	t.Cleanup(func() { must.Succeed(t, unix.Unmount(dir, 0)) })
	var err error
	for i := 0; err == nil && i < 20; i++ {
		err = WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, false)
	}
	if !errors.Is(err, ErrInodes) || !errors.Is(Mkdir(filepath.Join(dir, "sub")), ErrInodes) {
		t.Errorf("without inodes: %v", err)
	}
	_, other := os.Create(filepath.Join(dir, "other")) // as a simulator does
	if err := Explain(filepath.Join(dir, "000000"), other); !errors.Is(err, ErrInodes) || !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "other") {
		t.Errorf("a simulator without inodes: %v", err)
	}
	if err := Explain(dir, fmt.Errorf("write: %w", unix.ENOSPC)); errors.Is(err, ErrInodes) {
		t.Error("a full file system has no inodes")
	}
}
