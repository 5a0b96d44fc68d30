package lint

import (
	"fmt"
	"go/ast"
	"go/token"
)

// comments demands a doc comment of every exported name.
func comments(s *source) []string {
	if s.test {
		return nil
	}
	var out []string
	missing := func(n ast.Node, name string) {
		out = append(out, fmt.Sprintf("%s: exported %s has no doc comment", s.at(n), name))
	}
	line := func(p token.Pos) int { return s.fset.Position(p).Line }
	covered := 0 // the line up to which the last comment on functions reaches
	for _, decl := range s.file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			// One comment documents a block of one-line functions.
			if d.Doc != nil || line(d.Pos()) == covered+1 && line(d.End()) == covered+1 {
				covered = line(d.End())
			} else if d.Name.IsExported() && exportedReceiver(d) && !wellKnown[d.Name.Name] {
				missing(d, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				commentedSpec(d, spec, missing)
			}
		}
	}
	return out
}

// commentedSpec looks at one constant, variable or type; the comment of the
// group counts.
func commentedSpec(d *ast.GenDecl, spec ast.Spec, missing func(ast.Node, string)) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
			missing(spec, spec.Name.Name)
		}
	case *ast.ValueSpec:
		if d.Tok == token.IMPORT || d.Doc != nil || spec.Doc != nil || spec.Comment != nil {
			return
		}
		for _, name := range spec.Names {
			if name.IsExported() {
				missing(spec, name.Name)
			}
		}
	}
}

// wellKnown are methods whose interfaces document them.
var wellKnown = map[string]bool{"Error": true, "Unwrap": true, "Len": true, "Less": true, "Swap": true, "Push": true, "Pop": true, "Write": true, "Read": true}

// exportedReceiver reports whether a function is no method, or one of an
// exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}
