package ruby

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ordeal/sim/slicc/types"
)

// Every implementation is of a builtin, or a group of them, that protocols can
// declare.
func TestBuiltinsAreDeclarable(t *testing.T) {
	own := []string{ // of the generator
		"<<", ">>", "*", "/", "%", "words ==", "words !=", "objects ==", "objects !=", "never", "kind of request",
		"list.empty", "list.front", "list.pop", "list.push", "list.emplace", "list.next",
	}
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
		t.Errorf("%s is no builtin", key)
	}
	for _, key := range slices.Concat(slices.Collect(maps.Keys(wordNatives)), slices.Collect(maps.Keys(objectNatives)),
		slices.Collect(maps.Keys(vectorNatives))) {
		if !slices.Contains(own, key) {
			check(key)
		}
	}
}
