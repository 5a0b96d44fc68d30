package sandbox

import (
	"os"
	"slices"
	"strings"
)

// toolVariables are the environment variables that tools get, and
// toolPrefixes how others begin. The rest of a user's environment, with its
// tokens and passwords, is not theirs.
var (
	toolVariables = []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TERM", "TZ", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "CAMLLIB",
	}
	toolPrefixes = []string{"LC_", "PYTHON", "M5_", "GEM5_", "HERD", "OCAML", "ORDEAL_"}
)

// ToolEnvironment is what a tool gets of this process's environment.
func ToolEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return !slices.Contains(toolVariables, name) &&
			!slices.ContainsFunc(toolPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
}
