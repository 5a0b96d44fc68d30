package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestParameters requires faults that only one value of a parameter shows to be
// found, and the finding to say which value that is, and nothing else that its run
// had by chance.
func TestParameters(t *testing.T) {
	for _, c := range []struct{ parameters, shows, want string }{
		{`bool careless := "False";`, "careless", "parameter L1Cache.careless=1"},
		{"int policy := 0;", "policy == 2", "parameter L1Cache.policy=2"},
		{`bool careless := "False"; bool early := "True";`, "careless && (early == false)", "parameter L1Cache.careless=1, parameter L1Cache.early=0"},
	} {
		path := mutant(t, "mi", "")
		file := filepath.Join(filepath.Dir(path), "MI_example-cache.sm")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		const others = `bool idle := "False"; bool unused := "True"; int kind := 1;`
		changed := strings.NewReplacer("    bool send_evictions;\n", "    bool send_evictions; "+others+c.parameters+"\n",
			"if (send_evictions) {", "if (send_evictions && ("+c.shows+") == false) {").Replace(string(text))
		if err := os.WriteFile(file, []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
		found := 0
		violation := func(f *Finding) bool { return f.Outcome == "violation" }
		r, err := Run(t.Context(), Options{SLICC: path, Seed: 2, Steps: 20 * steps, Engines: []Engine{Sample}, Stop: violation})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			if f.Outcome == "violation" {
				found++
				if got := strings.Join(f.Conditions, ", "); got != c.want {
					t.Errorf("%s: conditions %s, want %s", f.Title, got, c.want)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: no violation found", c.shows)
		}
	}
}
