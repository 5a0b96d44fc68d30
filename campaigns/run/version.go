package run

import (
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// commit is set by the Makefile, where Go does not stamp the version.
var commit string

// changes marks a version with changes that are not committed.
const changes = "+changes"

// ToolVersion is the version of this program: the commit it was built from where the
// build knows it. A development build, with other changes or of an unknown
// commit, is identified by its build ID, too.
func ToolVersion() string { return version() }

var version = sync.OnceValue(func() string {
	base := baseVersion()
	if base != "unknown" && base != "(devel)" && !strings.HasSuffix(base, changes) {
		return base
	}
	path, err := os.Executable()
	if err != nil {
		return base
	}
	id, err := buildID(path)
	if err != nil {
		return base
	}
	return base + " " + id
})

func baseVersion() string {
	if commit != "" {
		return commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version, dirty := info.Main.Version, ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			version = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = changes
		}
	}
	return version + dirty
}
