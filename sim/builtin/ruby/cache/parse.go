package cache

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseGeometry reads a number of sets and one of ways, as in 2x4. The lowest
// bit that chooses the set is left to the default.
func ParseGeometry(text string) (Geometry, error) {
	sets, ways, ok := strings.Cut(text, "x")
	g := Geometry{}
	var errSets, errWays error
	g.Sets, errSets = strconv.Atoi(sets)
	g.Ways, errWays = strconv.Atoi(ways)
	if !ok || errSets != nil || errWays != nil {
		return Geometry{}, fmt.Errorf("cache %q: want SETSxWAYS, as 2x4", text)
	}
	check := g
	check.IndexBit = minIndexBit
	return g, check.Validate()
}
