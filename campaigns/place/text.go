package place

import (
	"path/filepath"
	"strconv"
	"strings"

	"ordeal/campaigns/run"
	"ordeal/sim/lazyregexp"
)

// head is the line that a block of a machine begins with: an action, a transition,
// a port or a function.
var head = lazyregexp.New(`^\s*(?:(?:action|transition|in_port|out_port|structure|machine|enumeration)\s*\(.*|[\w:]+\*?\s+\w+\([^;]*\{\s*)$`)

// Texts is a title with what the sources say at the places that it names instead of
// their lines: the head of the block and the statement. Titles of two protocols, of
// which one is an edit of the other, are of the same fault if these are equal. The
// root is the file of the protocol; a place that is not there, or not in a regular
// file, keeps its line.
func Texts(root, title string) string {
	return statement().ReplaceAllStringFunc(title, func(at string) string {
		m := statement().FindStringSubmatch(at)
		line, err := strconv.Atoi(m[2])
		if err != nil {
			return at
		}
		text, err := run.ReadFile(filepath.Join(run.Resolve(filepath.Dir(root)), m[1])) // a base name, by the pattern
		lines := strings.Split(string(text), "\n")
		if err != nil || line < 1 || line > len(lines) {
			return at
		}
		block := ""
		for _, l := range lines[:line] {
			if head().MatchString(l) {
				block = strings.TrimSpace(l)
			}
		}
		return m[1] + " in " + block + " at " + strings.TrimSpace(lines[line-1])
	})
}

// Renumber is a title with other lines at the places that it names.
func Renumber(title string, line func(file string, line int) int) string {
	return statement().ReplaceAllStringFunc(title, func(at string) string {
		m := statement().FindStringSubmatch(at)
		old, err := strconv.Atoi(m[2])
		if err != nil {
			return at
		}
		text := m[1] + ":" + strconv.Itoa(line(m[1], old))
		if m[3] != "" {
			text += ":" + m[3]
		}
		return text
	})
}
