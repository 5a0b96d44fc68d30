package lint

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// received are the packages that work in directories of campaigns and runs,
// which may come from others.
var received = []string{
	"campaigns/cluster", "campaigns/engine", "campaigns/execute", "campaigns/journal", "campaigns/merge", "campaigns/mutation",
	"campaigns/reduction", "campaigns/report", "campaigns/report/html", "campaigns/rundir", "campaigns/store", "campaigns/store/diff", "campaigns/summary",
	"campaigns/cli", "campaigns/cli/man", "campaigns/litmus",
}

// fileCalls are functions of package os that follow links, wait for pipes, or
// set the permissions of a file themselves.
var fileCalls = []string{
	"Chmod", "CopyFS", "Create", "CreateTemp", "Link", "Lstat", "DirFS", "Mkdir", "MkdirAll", "Open", "OpenFile", "OpenInRoot", "OpenRoot", "ReadDir", "ReadFile", "Remove", "RemoveAll",
	"Rename", "Stat", "Symlink", "Truncate", "WriteFile",
}

// userPaths are the files that call them with paths that the user has named, or
// with temporary directories of their own, and how often each does.
var userPaths = map[string]int{
	"campaigns/rundir/files.go":               4, // the one place
	"campaigns/rundir/files_linux.go":         1, // openExisting, of a path that was opened before
	"campaigns/rundir/files_other.go":         7, // the same place on other systems
	"campaigns/rundir/output.go":              7, // files named for output
	"campaigns/execute/sources.go":            2, // this program, and gem5, which is about to be executed
	"campaigns/merge/merge.go":                3, // is a source the target? its own staging directory
	"campaigns/merge/source.go":               4, // an archive, roots of resolved directories
	"campaigns/reduction/candidate.go":        1, // a temporary directory
	"campaigns/report/html/matrix.go":         1, // --kill
	"campaigns/store/query.go":                1, // the index
	"campaigns/store/store.go":                1, // the index
	"campaigns/cli/bench.go":                  1, // --output
	"campaigns/cli/campaign/reindex.go":       1, // the index
	"campaigns/cli/evaluate/convert.go":       1, // is FILE a directory?
	"campaigns/cli/evaluate/convert_forms.go": 1, // --output
	"campaigns/cli/doctor.go":                 1, // a temporary directory
	"campaigns/cli/gem5.go":                   2, // --gem5-tree
	"campaigns/cli/evaluate/input.go":         2, // is FILE a directory? --program
	"campaigns/cli/command/input.go":          2, // FILE
	"campaigns/cli/man/man.go":                1, // DIR
	"campaigns/cli/mutate.go":                 1, // --gem5-tree
	"campaigns/cli/reduce.go":                 1, // is it a file of traces?
	"campaigns/cli/evaluate/verify.go":        1, // is FILE a directory?
	"campaigns/litmus/herd.go":                4, // temporary files
	"campaigns/litmus/litmus.go":              1, // a temporary directory
	"campaigns/litmus/load.go":                4, // FILE
	"campaigns/litmus/shapes.go":              1, // --save
}

// links demands that files below a campaign or run directory are opened, made
// and removed by campaigns/rundir, which follows no link.
func links(s *source) []string {
	dir := s.path[:max(0, strings.LastIndexByte(s.path, '/'))]
	if s.test || !slices.Contains(received, dir) {
		return nil
	}
	var calls []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "os" && slices.Contains(fileCalls, sel.Sel.Name) {
			calls = append(calls, fmt.Sprintf("%s: os.%s: a directory of a campaign or run may come from others: use campaigns/rundir, which follows no link", s.at(n), sel.Sel.Name))
		}
		return true
	})
	switch allowed := userPaths[s.path]; {
	case len(calls) < allowed:
		return []string{fmt.Sprintf("%s: %d calls of package os where userPaths allows %d: say so there", s.path, len(calls), allowed)}
	case len(calls) > allowed:
		return calls
	}
	return nil
}
