package compiler

import (
	"maps"
	"slices"

	"github.com/agnivade/levenshtein"
)

// suggestion ends the message about an unknown name with the known one that is
// most like it: short names have none, as many others are like them.
func suggestion(name string, known []string) string {
	closest, least := "", min(2, len(name)/3)+1
	for _, k := range known {
		if d := levenshtein.ComputeDistance(name, k); d < least {
			closest, least = k, d
		}
	}
	if closest == "" {
		return ""
	}
	return " (did you mean " + closest + "?)"
}

// names lists what is declared now, in order.
func names[V any](c *checker, of func(*scope) map[string]V) []string {
	all := map[string]bool{}
	for s := c.scope; s != nil; s = s.outer {
		for name := range of(s) {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
