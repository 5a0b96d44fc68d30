package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// onFirstUse are functions that do so much that a package variable must not
// have them called whenever any command starts.
var onFirstUse = map[string]bool{
	"regexp.MustCompile": true, "regexp.MustCompilePOSIX": true, "template.Must": true,
	"yaml.Unmarshal": true, "json.Unmarshal": true, "gen.MustParse": true,
}

// slowToStart are packages whose own variables are costly to make, each with
// the only folder that may import it; no command of ordeal does.
var slowToStart = map[string]string{"github.com/spf13/cobra/doc": "campaigns/cli/man/"}

// start keeps the start of the process short.
func start(s *source) []string {
	if s.test {
		return nil
	}
	var out []string
	for _, imp := range s.file.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		if only, ok := slowToStart[path]; ok && !strings.HasPrefix(s.path, only) {
			out = append(out, fmt.Sprintf("%s: import of %s, which every command would have to start: only %s may", s.at(imp), path, only))
		}
	}
	for _, decl := range s.file.Decls {
		switch d := decl.(type) {
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				out = append(out, calledAtStart(s, d)...)
			}
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				out = append(out, calledAtStart(s, d.Body)...)
			}
		}
	}
	return out
}

// calledAtStart reports the calls of a declaration that run when the process
// starts: not those in function literals, which sync.OnceValue takes.
func calledAtStart(s *source, n ast.Node) []string {
	var out []string
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if call := fmt.Sprint(pkg, ".", sel.Sel.Name); ok && onFirstUse[call] {
				out = append(out, fmt.Sprintf("%s: %s at the start of every command: use sync.OnceValue, or sim/lazyregexp", s.at(n), call))
			}
		}
		return true
	})
	return out
}

// TestStart holds the rule to what it must find.
func TestStart(t *testing.T) {
	const text = `package p
import _ "github.com/spf13/cobra/doc"
var a = regexp.MustCompile("a")
var b = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("b") })
var c = template.Must(template.New("c").Parse("c"))
func init() { a = regexp.MustCompile("d") }
func f() { a = regexp.MustCompile("e") }
`
	if got := start(parse(t, "campaigns/cli/a.go", text)); len(got) != 4 {
		t.Errorf("%d violations, want those of lines 2, 3, 5 and 6: %q", len(got), got)
	}
}
