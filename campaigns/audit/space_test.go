package audit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestParameters requires a fault that only one value of a parameter shows to be
// found, and the finding to say which value that is.
func TestParameters(t *testing.T) {
	path := mutant(t, "mi", "")
	file := filepath.Join(filepath.Dir(path), "MI_example-cache.sm")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer("    bool send_evictions;\n", "    bool send_evictions;\n    bool careless := \"False\";\n",
		"if (send_evictions) {", "if (send_evictions && careless == false) {").Replace(string(text))
	if err := os.WriteFile(file, []byte(changed), 0o666); err != nil {
		t.Fatal(err)
	}
	found := 0
	r, err := Run(t.Context(), Options{SLICC: path, Seed: 1, Steps: 3 * steps, Engines: []Engine{Sample}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Outcome == "violation" {
			found++
			if !slices.Contains(f.Conditions, "parameter L1Cache.careless=1") {
				t.Errorf("%s: conditions %q lack the parameter", f.Title, f.Conditions)
			}
		}
	}
	if found == 0 {
		t.Error("no violation found")
	}
}
