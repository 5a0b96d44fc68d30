package lint

import (
	"fmt"
	"go/ast"
)

// contextRoots may begin a context: programs, and no others.
var contextRoots = map[string]bool{"main.go": true, "campaigns/cli/root.go": true}

// contexts demands that a context is passed as an argument: it is neither
// stored in a struct nor begun anew below main.
func contexts(s *source) []string {
	if s.test || contextRoots[s.path] || testSupport[s.path] {
		return nil
	}
	var out []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			for _, field := range n.Fields.List {
				if isContext(field.Type, "Context") {
					out = append(out, fmt.Sprintf("%s: a context in a struct: pass it as the first argument", s.at(field)))
				}
			}
		case *ast.CallExpr:
			if isContext(n.Fun, "Background", "TODO") {
				out = append(out, fmt.Sprintf("%s: a new context below main: take one as the first argument", s.at(n)))
			}
		}
		return true
	})
	return out
}

// isContext reports whether an expression is one of the names of package
// context.
func isContext(x ast.Expr, names ...string) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	for _, name := range names {
		if ok && pkg.Name == "context" && sel.Sel.Name == name {
			return true
		}
	}
	return false
}
