package gem5

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ProtocolPattern stands for the name of the protocol in the path of a binary.
const ProtocolPattern = "{protocol}"

// binaryKinds are the kinds of build, as the names of binaries end, those with
// debug flags first.
var binaryKinds = []string{".opt", ".debug", ".fast"}

// Locate returns the gem5 binary for a protocol: path itself, where
// ProtocolPattern stands for the protocol, or one in the folder path. In a
// folder it looks for NAME.opt, NAME.debug and NAME.fast, in its folders and in
// build/* as scons makes them, whose path has the name of the protocol as a
// word; a single one whatever its name. The error lists what there is.
func Locate(path, protocol string) (string, error) {
	if strings.Contains(path, ProtocolPattern) {
		if protocol == "" {
			return "", fmt.Errorf("gem5 %s: want --protocol, whose name goes in the place of %s", path, ProtocolPattern)
		}
		return strings.ReplaceAll(path, ProtocolPattern, protocol), nil
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return path, nil // running it says what is wrong
	}
	all := binariesIn(path)
	if protocol == "" && len(all) > 1 {
		return "", fmt.Errorf("gem5 folder %s has %s: want --protocol", path, list(all))
	}
	word := regexp.MustCompile(`(^|[^A-Za-z0-9])` + regexp.QuoteMeta(protocol) + `([^A-Za-z0-9_]|$)`)
	for _, name := range all {
		if protocol != "" && (word.MatchString(name) || strings.HasSuffix(filepath.Dir(name), "_"+protocol)) {
			return filepath.Join(path, name), nil
		}
	}
	if len(all) == 1 {
		return filepath.Join(path, all[0]), nil
	}
	return "", fmt.Errorf("gem5 folder %s has no binary for %s, but %s: want one whose name or folder has that of the protocol, as scons build/X86_%s/gem5.opt makes it",
		path, protocol, list(all), protocol)
}

// binariesIn lists the executable files that are named as gem5's, relative to a
// folder, by their kind and then by name.
func binariesIn(folder string) []string {
	var names []string
	for _, pattern := range []string{"*", "*/*", "build/*/*"} {
		for _, kind := range binaryKinds {
			found, _ := filepath.Glob(filepath.Join(escapeGlob(folder), pattern+kind)) // the pattern is well-formed
			for _, file := range found {
				if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
					if name, err := filepath.Rel(folder, file); err == nil {
						names = append(names, name)
					}
				}
			}
		}
	}
	kind := func(name string) int { return slices.Index(binaryKinds, filepath.Ext(name)) }
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(kind(a), kind(b)), strings.Compare(a, b)) })
	return names
}

// escapeGlob is a path as a pattern that matches it alone.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
