package ruby

import (
	"strings"
	"testing"

	"ordeal/sim/slicc/types"
)

// Every implementation is of a builtin, or a group of them, that protocols can
// declare.
func TestBuiltinsAreDeclarable(t *testing.T) {
	check := func(key string) {
		name, _, _ := strings.Cut(key, "(")
		recv, method, isMethod := strings.Cut(name, ".")
		if !isMethod {
			recv, method = "", name
		}
		for _, b := range types.Builtins(recv, method) {
			if key == b.Key || key == b.Group() {
				return
			}
		}
		if nativeTypes[key].shape != handle && key != "RubyPrefetcherProxy" {
			t.Errorf("%s is no builtin", key)
		}
	}
	for key := range wordBuiltins {
		check(key)
	}
	for key := range objectBuiltins {
		check(key)
	}
	for key := range vectorBuiltins {
		check(key)
	}
}
