package protocols

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInTree finds protocols by their names in trees of gem5, in the folders that its versions
// have them in, and says what there is where a name is unknown.
func TestInTree(t *testing.T) {
	tree := t.TempDir()
	for _, file := range []string{
		"src/mem/ruby/protocol/MI_example.slicc", "src/mem/ruby/protocol/RubySlicc_interfaces.slicc",
		"src/mem/ruby/protocol/chi/CHI.slicc", "src/learning_gem5/part3/MSI.slicc",
	} {
		path := filepath.Join(tree, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"MI_example": "src/mem/ruby/protocol/MI_example.slicc", "CHI": "src/mem/ruby/protocol/chi/CHI.slicc",
		"chi/CHI": "src/mem/ruby/protocol/chi/CHI.slicc", "chi/CHI.slicc": "src/mem/ruby/protocol/chi/CHI.slicc",
		"MSI": "src/learning_gem5/part3/MSI.slicc",
	} {
		got, err := InTree(tree, name)
		if err != nil || got != filepath.Join(tree, want) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
		if at, folder, ok := Split(filepath.Dir(got)); !ok || at != tree || folder != filepath.Dir(want) {
			t.Errorf("%s is in %q of %q, %v", name, folder, at, ok)
		}
	}
	for _, name := range []string{"", "CH", "../protocol/MI_example", "RubySlicc_interfaces", "part3/MSI/"} {
		if _, err := InTree(tree, name); err == nil || !strings.HasSuffix(err.Error(), "which has CHI, MI_example, MSI") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := InTree(t.TempDir(), "MI_example"); err == nil || !strings.Contains(err.Error(), "no gem5 source tree") {
		t.Errorf("a folder without protocols: %v", err)
	}
	if at, folder, ok := Split("src/mem/protocol"); !ok || at != "." || folder != "src/mem/protocol" {
		t.Errorf("a folder from the root of its tree: %q, %q, %v", at, folder, ok)
	}
	if _, _, ok := Split("mysrc/mem/protocol"); ok {
		t.Error("a folder of another name is one of gem5's")
	}
}
