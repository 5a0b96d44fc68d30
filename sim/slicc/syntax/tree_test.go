package syntax

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// treeVariable names the environment variable that points at a gem5 tree.
const treeVariable = "ORDEAL_GEM5_TREE"

// gem5Protocols gives the protocol folder of the user's gem5 tree.
func gem5Protocols(t *testing.T) fs.FS {
	t.Helper()
	tree := os.Getenv(treeVariable)
	if tree == "" {
		t.Skip("set " + treeVariable + " to a gem5 tree to read its protocols")
	}
	return os.DirFS(filepath.Join(tree, "src/mem/ruby/protocol"))
}

// Every protocol of a gem5 tree, CHI included, loads with the files it
// includes, and each of these prints to text that parses to the same tree.
func TestLoadGem5Protocols(t *testing.T) {
	fsys := gem5Protocols(t)
	done := map[string]bool{}
	for _, pattern := range []string{"*.slicc", "*/*.slicc"} {
		names, err := fs.Glob(fsys, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			file, err := Load(fsys, name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			checkFiles(t, fsys, file, done)
		}
	}
	t.Logf("%d files", len(done))
}

// checkFiles prints and parses a file and those it includes, each once.
func checkFiles(t *testing.T, fsys fs.FS, file *File, done map[string]bool) {
	t.Helper()
	if !done[file.Name] {
		done[file.Name] = true
		src, err := fs.ReadFile(fsys, file.Name)
		if err != nil {
			t.Fatal(err)
		}
		checkRoundTrip(t, file.Name, src)
	}
	for d := range file.Includes() {
		checkFiles(t, fsys, d.File, done)
	}
}
