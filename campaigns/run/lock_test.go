package run

import (
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
)

// TestLockDir locks a directory that is made for it; who comes second is refused, as another open file is another
// process to the lock.
func TestLockDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	must.Succeed(t, LockDir(dir))
	if err := LockDir(dir); err == nil || !strings.Contains(err.Error(), "another process works in this directory") {
		t.Error(err)
	}
	must.Succeed(t, LockDir(filepath.Dir(dir)))
}
