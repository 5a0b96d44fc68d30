package litmus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
	"ordeal/check"
	"ordeal/gen"
	format "ordeal/parse/formats/litmus"
)

// TestCatalogue compares the verdicts of tests with the kinds that their authors give them:
// ORDEAL_HERD_CATALOGUE names the folder catalogue of a clone of herdtools7. At least 95 % of the tests
// are read, but of the readers' guide those without pages, caches and pairs of words.
func TestCatalogue(t *testing.T) {
	root := os.Getenv("ORDEAL_HERD_CATALOGUE")
	if root == "" {
		t.Skip("ORDEAL_HERD_CATALOGUE names no catalogue of herdtools7")
	}
	for _, shelf := range []string{"aarch64", "aarch64-cas", "aarch64-pick", "aarch64-readers-guide", "x86_64"} {
		folder := filepath.Join(root, shelf, "tests")
		text, err := os.ReadFile(filepath.Join(folder, "kinds.txt"))
		must.Succeed(t, err)
		kinds := map[string]string{}
		for line := range strings.Lines(string(text)) {
			if words := strings.Fields(line); len(words) >= 2 {
				kinds[words[0]] = words[1]
			}
		}
		read, all, answered := 0, 0, 0
		eachTest(t, folder, func(path string, parsed *format.Test, err error) {
			if all++; err != nil {
				t.Logf("not read: %v", err)
				return
			}
			read++
			kind := kinds[parsed.Name]
			if kind == "" {
				return
			}
			model := map[gen.ISA]string{gen.X86: "tso", gen.AArch64: "armv8"}[parsed.Program.ISA]
			verdict := (&Test{Test: parsed, File: path}).Ask(model)
			answered++
			if want := strings.HasPrefix(kind, "Allow") || strings.HasPrefix(kind, "Require"); want != (verdict.Answer == check.Allowed) {
				t.Errorf("%s is %s by %s, and %s by its authors", path, verdict.Answer, model, kind)
			}
		})
		t.Logf("%s: %d of %d tests read, %d verdicts", shelf, read, all, answered)
		if share := 100 * read / all; share < 95 && shelf != "aarch64-readers-guide" || share < 80 {
			t.Errorf("%s: %d %% of the tests read", shelf, share)
		}
	}
}
