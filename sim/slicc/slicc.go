// Package slicc reads protocols in SLICC, the language gem5's Ruby coherence
// protocols are written in.
//
// The parts are: package ast, the syntax tree; package syntax, which reads and
// writes SLICC text; package types, the checked form; and package sema, which
// makes the checked form from the tree. To change a protocol, load its tree
// with syntax.Load, edit it, and check it again with sema.Check.
package slicc

import (
	"io/fs"

	"ordeal/sim/slicc/sema"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// Load reads and checks the protocol whose root file is name in fsys; see
// syntax.Load for where included files are found. The error is an ast.Faults
// with everything found wrong: the syntax errors if there are any, otherwise
// what is wrong with names and types.
func Load(fsys fs.FS, name string) (*types.Protocol, error) {
	file, err := syntax.Load(fsys, name)
	if err != nil {
		return nil, err
	}
	return sema.Check(file)
}
