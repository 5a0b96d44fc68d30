package repair

import (
	"bytes"
	"cmp"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
)

// File is a source file that repairs change.
type File struct {
	Name string // in the protocol's file system
	New  []byte
}

// Text makes the repairs of Apply in the source files of the protocol whose root
// file is root in fsys: it lists those that changed something, and gives the
// files that change. What they do not concern, comments included, stays as it
// is.
func Text(fsys fs.FS, root string) (files []File, applied []string, err error) {
	tree, err := syntax.Load(fsys, root)
	if err != nil {
		return nil, nil, err
	}
	before := transitions(tree)
	if applied = Apply(tree); len(applied) == 0 {
		return nil, nil, nil
	}
	after := transitions(tree)
	edits := map[string][]syntax.Pos{} // by file, in order
	for _, pos := range slices.SortedFunc(maps.Keys(before), func(a, b syntax.Pos) int { return cmp.Compare(a.Line, b.Line) }) {
		if !slices.Equal(before[pos], after[pos]) {
			edits[pos.File] = append(edits[pos.File], pos)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, nil, err
		}
		text, err := syntax.NewText(name, src)
		if err != nil {
			return nil, nil, err
		}
		changed := bytes.Clone(src)
		for _, pos := range slices.Backward(edits[name]) { // offsets before an edit stay
			span, err := text.Decl(pos)
			if err != nil {
				return nil, nil, err
			}
			changed = syntax.Splice(changed, span, strings.Join(after[pos], "\n\n"))
		}
		files = append(files, File{name, changed})
	}
	return files, applied, nil
}

// transitions are the texts of the transitions of a tree by where they stand in
// the source: those that a repair makes of one stand where it stood.
func transitions(f *syntax.File) map[syntax.Pos][]string {
	found := map[syntax.Pos][]string{}
	var walk func(list []syntax.Decl)
	walk = func(list []syntax.Decl) {
		for _, d := range list {
			switch d := d.(type) {
			case *syntax.Machine:
				walk(d.Body)
			case *syntax.Include:
				if d.File != nil {
					walk(d.File.Decls)
				}
			case *syntax.Transition:
				found[d.Pos] = append(found[d.Pos], strings.TrimRight(syntax.PrintDecl(d), "\n"))
			}
		}
	}
	walk(f.Decls)
	return found
}
