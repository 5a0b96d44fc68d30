package bugs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
	"ordeal/sim/protocols"
)

// TestVersions requires that the versions of each listed defect are those to whose protocols its
// proposed repair applies, of the trees that ORDEAL_GEM5_TREES names as VERSION=FOLDER, joined by
// colons.
func TestVersions(t *testing.T) {
	trees := os.Getenv("ORDEAL_GEM5_TREES")
	if trees == "" {
		t.Skip("ORDEAL_GEM5_TREES names no trees")
	}
	list, err := KnownDefects()
	must.Succeed(t, err)
	for entry := range strings.SplitSeq(trees, ":") {
		version, tree, _ := strings.Cut(entry, "=")
		read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(tree, protocols.Folder, name)) }
		for _, bug := range list.Proposed("*") {
			_, err := Patch([]*Bug{bug}, read)
			applies, listed := err == nil, slices.Contains(bug.Versions, version)
			if applies != listed && (bug.Base == "" || listed) { // what is new is not in all that its repair applies to
				t.Errorf("%s in %s: the repair applies: %v, listed: %v", bug.ID, version, applies, listed)
			}
		}
	}
}
