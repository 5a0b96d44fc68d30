package lint

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// What may lie at the top level; bin and runs are made by make and ordeal and
// are not in version control.
var (
	topFolders = []string{"gen", "sim", "parse", "check", "campaigns", "scripts", "bin", "runs"}
	topFiles   = []string{"main.go", "go.mod", "go.sum", "Makefile", "README.md", "LICENSE"}
)

func testLayout(t *testing.T) {
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		allowed := topFiles
		if e.IsDir() {
			allowed = topFolders
		}
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("%s lies at the top level, where only these belong: %s", e.Name(), strings.Join(allowed, " "))
		}
	}
	text, err := os.ReadFile(root + "/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 40 {
		t.Errorf("main.go has %d lines: it is the command's few lines, the limit is 40", n)
	}
}
