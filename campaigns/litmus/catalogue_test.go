package litmus

import (
	"cmp"
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
//
// The kinds of aarch64-down-one-leg follow a proposal, cats/aarch64-dol.cat in its folder
// (shelf.py names it), with dependencies of its own: a store that both ways of a branch reach
// does not depend on it (always-executed, in aarch64deps-down-one-leg.cat), and what CSEL chooses is data
// and not picked. armv8, as aarch64.cat of the shelves above, forbids the first and allows the second.
func TestCatalogue(t *testing.T) {
	root := os.Getenv("ORDEAL_HERD_CATALOGUE")
	if root == "" {
		t.Skip("ORDEAL_HERD_CATALOGUE names no catalogue of herdtools7")
	}
	proposed := map[string]string{"MP+DMB.ST+CSEL": "Forbid"}
	for name := range strings.FieldsSeq("H10X H10bX H11bQ H16X H1X H3bQ H4X H6X H7X H8X LB6b SpecCE-03 SpecCE-04 SpecCE-05 SpecCoiX SpecRfeX SpecRfiX") {
		proposed[name] = "Allow"
	}
	for _, shelf := range []string{"aarch64", "aarch64-cas", "aarch64-pick", "aarch64-down-one-leg", "aarch64-readers-guide", "x86_64"} {
		folder := filepath.Join(root, shelf, "tests")
		file := map[string]string{"aarch64-down-one-leg": "down-one-leg-kinds.txt"}[shelf]
		text, err := os.ReadFile(filepath.Join(folder, cmp.Or(file, "kinds.txt")))
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
			if kind == "" || kind == proposed[parsed.Name] && file != "" {
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
