package gem5

import (
	"ordeal/sim"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/compiler"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// nameStatement names the action or function of a statement that failed, of which gem5
// gives the file and the line, by the protocol in the tree. Without the tree, or where
// that has another text, the failure has neither.
func (l *launch) nameStatement(result *sim.Result) {
	f, o := &result.Failure, &l.runner.options
	if f.At.File == "" || o.Tree == "" || o.Protocol == "" {
		return
	}
	if p := inTree(o.Tree, o.Protocol); p != nil {
		p.Locate(f, f.Row.Machine, syntax.Pos{File: f.At.File, Line: int32(f.At.Line)})
		result.Title = f.Title()
	}
}

// inTree is a protocol of a gem5 tree; nil where it cannot be read.
func inTree(tree, name string) *types.Protocol {
	root, err := protocols.InTree(tree, name)
	if err != nil {
		return nil
	}
	file, err := protocols.LoadFile(root)
	if err != nil {
		return nil
	}
	p, err := compiler.Check(file)
	if err != nil {
		return nil
	}
	return p
}
