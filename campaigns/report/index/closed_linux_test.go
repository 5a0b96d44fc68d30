package index

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
)

// noneOpen requires that at its end a test has no file below dir open, as by a
// statement that was not closed.
func noneOpen(t *testing.T, dir string) {
	t.Cleanup(func() {
		links, err := filepath.Glob("/proc/self/fd/*")
		must.Succeed(t, err)
		if len(links) < 3 {
			t.Fatalf("this process has the descriptors %v", links)
		}
		for _, link := range links {
			if file, err := os.Readlink(link); err == nil && strings.HasPrefix(file, dir) {
				t.Errorf("%s is still open", file)
			}
		}
	})
}
