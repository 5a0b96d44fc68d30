package document

import (
	"errors"
	"fmt"
	"strings"

	"ordeal/sim/lazyregexp"
)

// variable is a variable after its dollar.
var variable = lazyregexp.New(`^([A-Za-z_][A-Za-z0-9_]*)|^\{([A-Za-z_][A-Za-z0-9_]*)(:-([^{}$]*))?\}`)

// ErrUnset is the error for a variable without a value or a default.
var ErrUnset = errors.New("is not set, or empty")

// Expand writes the values of environment variables for $NAME, ${NAME} and
// ${NAME:-DEFAULT}, and a dollar for $$. A variable that is not set, or is
// empty, is an ErrUnset unless it has a default.
func Expand(text string, getenv func(name string) string) (string, error) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		if rest, ok := strings.CutPrefix(after, "$"); ok {
			b.WriteByte('$')
			text = rest
			continue
		}
		m := variable().FindStringSubmatch(after)
		if m == nil {
			return "", fmt.Errorf("$%s: want $NAME, ${NAME}, ${NAME:-DEFAULT}, or $$ for a dollar", after)
		}
		name := m[1] + m[2]
		value := getenv(name)
		if value == "" {
			if m[3] == "" {
				return "", fmt.Errorf("the environment variable %s %w", name, ErrUnset)
			}
			value = m[4]
		}
		b.WriteString(value)
		text = after[len(m[0]):]
	}
}

// Escape writes a text so that Expand gives it back.
func Escape(text string) string { return strings.ReplaceAll(text, "$", "$$") }
