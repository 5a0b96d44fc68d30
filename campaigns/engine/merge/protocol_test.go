package merge

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
)

// TestProtocols keeps the copies of a protocol: a run of the merged campaign is repeated
// with that although its files have changed.
func TestProtocols(t *testing.T) {
	dir := t.TempDir()
	files := filepath.Join(dir, "small")
	must.Succeed(t, os.CopyFS(files, os.DirFS("../../../sim/ruby/testdata/small")))
	root := filepath.Join(files, "small.slicc")
	text := fmt.Sprintf("name: own\nsim: builtin\nkeep: all\nconfigs: [{name: own, runs: 2, threads: 2, ops: 10, locations: 2, rounds: 2, slicc: %q}]\n", root)
	a, b := makeOf(t, text, filepath.Join(dir, "a"), "1/2"), makeOf(t, text, filepath.Join(dir, "b"), "2/2")
	merged := filepath.Join(dir, "merged")
	mergeTo(t, merged, b, a)
	mergeTo(t, merged, b, a) // again, with the copies there
	f, err := os.OpenFile(root, os.O_APPEND|os.O_WRONLY, 0)
	must.Succeed(t, err)
	_, err = f.WriteString("// changed\n")
	must.Succeed(t, err)
	must.Succeed(t, f.Close())
	for number := range 2 {
		runDir := run.Dir(filepath.Join(merged, run.Name(number)))
		spec, err := runDir.Spec()
		must.Succeed(t, err)
		kept, err := run.RecordedProtocol(runDir, spec)
		if err != nil || !strings.HasPrefix(kept, filepath.Join(merged, run.ProtocolDir)) {
			t.Errorf("run %d: the protocol is %q, %v", number, kept, err)
		}
	}
}
