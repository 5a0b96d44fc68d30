// Package lazyregexp compiles regular expressions when they are first used,
// like the package of that name in the Go tree: most runs of the command need
// few of them, and every run would pay for those of package variables.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function whose first call compiles the expression, which
// panics if that is malformed.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
