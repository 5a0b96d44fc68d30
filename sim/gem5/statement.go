package gem5

import (
	"path/filepath"

	"ordeal/sim"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/compiler"
	"ordeal/sim/slicc/syntax"
)

// nameStatement names the action or function of a statement that failed, of which gem5
// gives the file and the line, by the protocol in the tree. Without the tree, or where
// that has another text, the failure has neither.
func (l *launch) nameStatement(result *sim.Result) {
	f, o := &result.Failure, &l.runner.options
	if f.At.File == "" || o.Tree == "" || o.Protocol == "" {
		return
	}
	file, err := protocols.LoadFile(filepath.Join(o.Tree, ProtocolFile(o.Protocol+".slicc")))
	if err != nil {
		return
	}
	if p, err := compiler.Check(file); err == nil {
		p.Locate(f, f.Row.Machine, syntax.Pos{File: f.At.File, Line: int32(f.At.Line)})
		result.Title = f.Title()
	}
}
