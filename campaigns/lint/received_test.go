package lint

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// received reports whether a package works in directories of campaigns and runs, which
// may come from others: all of campaigns but what only tests have.
func received(dir string) bool {
	return strings.HasPrefix(dir, "campaigns") && !strings.HasPrefix(dir, "campaigns/internal/") && dir != "campaigns/lint"
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
	"campaigns/run/files.go":            6, // the one place
	"campaigns/run/files_linux.go":      1, // openExisting, of a path that was opened before
	"campaigns/run/files_other.go":      7, // the same place on other systems
	"campaigns/run/output.go":           6, // files named for output
	"campaigns/config/file.go":          2, // FILE, and what lies beside it
	"campaigns/run/trustfile.go":        3, // the user's configuration
	"campaigns/engine/merge/merge.go":   2, // is a source the target?
	"campaigns/report/html/matrix.go":   1, // --kill
	"campaigns/report/index/query.go":   1, // the index
	"campaigns/cli/campaign/reindex.go": 1, // the index
	"campaigns/cli/evaluate/convert.go": 1, // is FILE a directory?
	"campaigns/cli/gem5.go":             2, // --gem5-tree
	"campaigns/cli/gem5_agent.go":       1, // DIR
	"campaigns/cli/evaluate/input.go":   1, // is FILE a directory?
	"campaigns/cli/command/input.go":    2, // FILE
	"campaigns/cli/reduce.go":           1, // is it a file of traces?
	"campaigns/cli/evaluate/verify.go":  1, // is FILE a directory?
	"campaigns/litmus/herd.go":          3, // temporary files
	"campaigns/litmus/load.go":          3, // FILE
}

// links demands that files below a campaign or run directory are opened, made
// and removed by campaigns/run, which follows no link.
func links(s *source) []string {
	dir := s.path[:max(0, strings.LastIndexByte(s.path, '/'))]
	if s.test || !received(dir) {
		return nil
	}
	var calls []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		calls = append(calls, outputBelow(s, n)...)
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "os" && slices.Contains(fileCalls, sel.Sel.Name) {
			calls = append(calls, fmt.Sprintf("%s: os.%s: a directory of a campaign or run may come from others: use campaigns/run, which follows no link", s.at(n), sel.Sel.Name))
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

// outputBelow demands that a file of a fixed name below a directory is no output that
// the user has named, which may be a link or a pipe: the directory may come from others.
// Only commands, and the trust file, have files that the user has named.
func outputBelow(s *source, n ast.Node) []string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return nil
	}
	path, ok := call.Args[0].(*ast.CallExpr)
	if below := ok && isCall(path, "filepath", "Join"); !below && (strings.HasPrefix(s.path, "campaigns/cli/") || s.path == "campaigns/run/trustfile.go") {
		return nil
	}
	for _, name := range []string{"CreateOutput", "StreamOutput", "WriteOutput"} {
		if isCall(call, "run", name) {
			return []string{fmt.Sprintf("%s: run.%s of a name below a directory, which others may have made a link: use run.WriteFile", s.at(n), name)}
		}
	}
	return nil
}

// isCall reports whether a call is of a function of a package.
func isCall(call *ast.CallExpr, pkg, name string) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == pkg
}
