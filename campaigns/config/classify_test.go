package config

import (
	"slices"
	"testing"
)

// TestDefaultClasses: a model that is expected is no default of classify, and one
// that is named as both is refused.
func TestDefaultClasses(t *testing.T) {
	for text, want := range map[string][]string{
		"{name: a, sim: builtin}": {"sc"}, "{name: a, sim: builtin, expect: sc}": {}, "{name: a, sim: builtin, expect: sc, classify: [tso]}": {"tso"},
		"{name: a, sim: builtin, classify: []}": {},
	} {
		c, err := Parse("c.yaml", []byte("name: x\nconfigs: ["+text+"]\n"), nil)
		if err != nil || !slices.Equal(c.Configs[0].Classify, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
	if _, err := Parse("c.yaml", []byte("name: x\nconfigs: [{name: a, sim: builtin, expect: sc, classify: [sc]}]\n"), nil); err == nil {
		t.Error("sc as both is accepted")
	}
}
