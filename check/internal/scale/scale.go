// Package scale says how much the tests of the checker do: a sample small
// enough for every mutant with -short, a larger one ordinarily, and all within
// the bounds of a test with -soak.
package scale

import (
	"flag"
	"testing"
)

var soak = flag.Bool("soak", false, "leave nothing out of the bounds of tests")

// Soak reports whether -soak is set.
func Soak() bool { return *soak }

// Of is what a test uses with -short, ordinarily, and with -soak, which takes
// precedence.
func Of[T any](short, ordinary, soaked T) T {
	switch {
	case *soak:
		return soaked
	case testing.Short():
		return short
	}
	return ordinary
}
