package option

import (
	"fmt"
	"slices"
	"strings"
)

// Names are the names of the values of an enumeration, from 0, which is unknown.
type Names[T ~uint8] []string

// Of is the name of a value; one without a name is unknown.
func (n Names[T]) Of(v T) string {
	if int(v) < len(n) {
		return n[v]
	}
	return n[0]
}

// Parse is the inverse of Of for the known values; what names the enumeration
// in the error.
func (n Names[T]) Parse(what, name string) (T, error) {
	if i := slices.Index(n[1:], name); i >= 0 {
		return T(i + 1), nil
	}
	return 0, fmt.Errorf("unknown %s %q: want %s", what, name, strings.Join(n[1:], ", "))
}
