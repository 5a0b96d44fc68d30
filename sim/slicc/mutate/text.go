package mutate

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"ordeal/sim/slicc/syntax"
)

// File is a source file that a mutant changes.
type File struct {
	Name     string // in the protocol's file system
	Old, New []byte
}

// Diff is the change in unified form; dir is put before the file's name, so
// that "patch -p1" finds the file from the root of a source tree.
func (f File) Diff(dir string) []byte {
	name := path.Join(dir, f.Name)
	return diff.Diff("a/"+name, f.Old, "b/"+name, f.New)
}

// Patch is the change that the mutant id makes in the source files of the protocol
// whose root file is root in fsys, as Diff has it.
func Patch(fsys fs.FS, root, id, dir string) ([]byte, error) {
	files, err := Text(fsys, root, id)
	var patch []byte
	for _, f := range files {
		patch = append(patch, f.Diff(dir)...)
	}
	return patch, err
}

// Overlay is fsys with files changed.
func Overlay(fsys fs.FS, files []File) fs.FS {
	over := overlay{FS: fsys, files: map[string][]byte{}}
	for _, f := range files {
		over.files[f.Name] = f.New
	}
	return over
}

// Text makes the edits of the mutant id in the source files of the protocol
// whose root file is root in fsys, and gives the files that change. What the
// edits do not concern, comments included, stays as it is.
func Text(fsys fs.FS, root, id string) ([]File, error) {
	over := overlay{FS: fsys, files: map[string][]byte{}}
	for _, part := range splitID(id) {
		if err := over.edit(root, part); err != nil {
			return nil, err
		}
	}
	var files []File
	for _, name := range slices.Sorted(maps.Keys(over.files)) {
		old, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		files = append(files, File{name, old, over.files[name]})
	}
	return files, nil
}

type overlay struct {
	fs.FS
	files map[string][]byte
}

// ReadFile gives the changed text of a file, or the original one.
func (o overlay) ReadFile(name string) ([]byte, error) {
	if text, ok := o.files[name]; ok {
		return text, nil
	}
	return fs.ReadFile(o.FS, name)
}

func (o overlay) edit(root, id string) error {
	tree, err := syntax.Load(o, root)
	if err != nil {
		return err
	}
	p, err := NewCatalogue(tree)
	if err != nil {
		return err
	}
	m, err := p.single(id)
	if err != nil {
		return &unknown{p, id, err}
	}
	for _, c := range m.changes {
		name := c.decl.Position().File
		text, err := o.ReadFile(name)
		if err != nil {
			return err
		}
		if o.files[name], err = c.text(name, text); err != nil {
			return fmt.Errorf("mutant %s: %w", id, err)
		}
	}
	return nil
}

func (c *change) text(name string, src []byte) ([]byte, error) {
	t, err := syntax.NewText(name, src)
	if err != nil {
		return nil, err
	}
	var span syntax.Span
	var with string
	switch {
	case c.expr != nil:
		span, err = t.Expr(c.expr.Position())
		with = syntax.PrintExpr(c.with)
	case c.stmt != nil:
		span, err = t.Stmt(c.stmt.Position())
		for _, s := range c.stmts {
			with += syntax.PrintStmt(s)
		}
	default:
		span, err = t.Decl(c.decl.Position())
		with = c.declText(src, span)
	}
	if err != nil {
		return nil, err
	}
	return syntax.Splice(src, span, with), nil
}

// declText is the text of the declarations that stand for one. Where the
// declaration itself stays, its own text is kept.
func (c *change) declText(src []byte, span syntax.Span) string {
	var parts []string
	for _, d := range c.decls {
		if d == c.decl {
			parts = append(parts, flush(src, span))
			continue
		}
		parts = append(parts, strings.TrimRight(syntax.PrintDecl(d), "\n"))
	}
	return strings.Join(parts, "\n\n")
}

// flush is the text of a span without the indentation of its first line.
func flush(src []byte, span syntax.Span) string {
	return strings.ReplaceAll(string(src[span.From:span.To]), "\n"+syntax.Margin(src, span.From), "\n")
}

var _ fs.ReadFileFS = overlay{}
