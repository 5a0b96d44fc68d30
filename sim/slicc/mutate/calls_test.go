package mutate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/sim/protocols"
	"ordeal/sim/slicc/syntax"
)

// TestCalls has functions that call one another 100^12 times, in an action, a port and getState, and
// one that calls itself: their mutants are those of a call that does nothing, and are listed.
func TestCalls(t *testing.T) {
	var chain strings.Builder
	chain.WriteString("  void f0(int n) { assert(n == 1); }\n  void loop(int n) { loop(n); f0(n); }\n")
	for i := range 12 {
		fmt.Fprintf(&chain, "  void f%d(int n) { %s }\n", i+1, strings.Repeat(fmt.Sprintf("f%d(n); ", i), 100))
	}
	mutants := func(before, call string) []string {
		t.Helper()
		dir := t.TempDir()
		if err := os.CopyFS(dir, protocols.Files()); err != nil {
			t.Fatal(err)
		}
		root, err := protocols.Root("mi")
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, filepath.Dir(root), "MI_example-cache.sm")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		const at = "  Entry entryOf("
		if strings.Count(string(text), at) != 1 || strings.Count(string(text), before) != 1 {
			t.Fatalf("the protocol has no place for the call: %s", before)
		}
		edited := strings.NewReplacer(at, chain.String()+at, before, before+call).Replace(string(text))
		if err := os.WriteFile(name, []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		tree, err := syntax.Load(os.DirFS(dir), root)
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewCatalogue(tree)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, m := range c.Mutants() {
			names = append(names, strings.ReplaceAll(m.ID, strings.TrimSuffix(call, ";"), "f0(1)")+" "+m.Equivalent)
		}
		return names
	}
	for _, before := range []string{
		`action(a_issueGETX, desc="request the line from the directory") {`,
		"State getState(TBE tbe, Entry cache_entry, Addr addr) {",
		"if (accesses.isReady(clockEdge())) {",
	} {
		want := mutants(before, "f0(1);")
		for _, call := range []string{"f12(1);", "loop(1);"} {
			if diff := cmp.Diff(want, mutants(before, call)); diff != "" || len(want) == 0 {
				t.Errorf("%s %s: %d mutants (-want +got)\n%s", before, call, len(want), diff)
			}
		}
	}
}
