package code

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ordeal/sim/slicc/types"
)

// TestTreatmentsAreDeclarable finds each builtin with a treatment of its own among those that
// protocols can declare: by its key, its receiver and name, or its receiver.
func TestTreatmentsAreDeclarable(t *testing.T) {
	for _, key := range slices.Concat(slices.Collect(maps.Keys(known)), slices.Collect(maps.Keys(preparations)), ineffective, neverCalled, conversions, clocks) {
		name, _, _ := strings.Cut(key, "(")
		recv, method, isMethod := strings.Cut(name, ".")
		if !isMethod {
			recv, method = "", name
		}
		is := func(b *types.Builtin) bool { return key == b.Key || key == b.Group() }
		if !slices.ContainsFunc(types.Builtins(recv, method), is) && nativeTypes[key].shape != handle && key != "RubyPrefetcherProxy" {
			t.Errorf("%s is no builtin", key)
		}
	}
}
