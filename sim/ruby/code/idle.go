package code

import (
	"slices"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// idle reports whether statements change nothing when they are executed once more: what actions
// that wait consist of, as debug messages, statistics and assertions, which held the first time.
func (p *Program) idle(list []types.Stmt) bool {
	return !slices.ContainsFunc(list, func(s types.Stmt) bool { return !p.idleStmt(s) })
}

// waits reports whether statements only put messages back to be looked at again, or are idle.
func (p *Program) waits(list []types.Stmt) bool {
	return !slices.ContainsFunc(list, func(s types.Stmt) bool {
		if e, ok := s.(*types.Eval); ok {
			if call, ok := e.X.(*types.Call); ok && call.Func.Builtin != nil && call.Func.Builtin.Group() == "InPort.recycle" {
				return false
			}
		}
		return !p.idleStmt(s)
	})
}

func (p *Program) idleStmt(s types.Stmt) bool {
	switch s := s.(type) {
	case *types.Declare:
		return p.pure(s.Init)
	case *types.Assign:
		use, ok := s.Left.(*types.Use)
		return ok && use.Var.Kind == types.LocalVar && p.pure(s.Right)
	case *types.If:
		return p.pure(s.Cond) && p.idle(s.Then) && p.idle(s.Else)
	case *types.Return:
		return p.pure(s.X)
	case *types.Peek:
		return s.BlockOn == nil && s.WakeUp == nil && p.idle(s.Body)
	case *types.Eval:
		if x, ok := s.X.(*types.Unary); ok && x.Op == syntax.Inc { // statistics
			return p.pure(x.X)
		}
		return p.pure(s.X)
	}
	return false
}

// pure reports whether an expression, nil for none, changes nothing when it is evaluated once more.
func (p *Program) pure(x types.Expr) bool {
	switch x := x.(type) {
	case *types.Member:
		return p.pure(x.X)
	case *types.Call:
		return p.pureCall(x.Func) && p.pure(x.X) && !slices.ContainsFunc(x.Args, func(arg types.Expr) bool { return !p.pure(arg) })
	case *types.Valid:
		return p.pure(x.X)
	case *types.Cast:
		return p.pure(x.X)
	case *types.Unary:
		return p.pure(x.X)
	case *types.Binary:
		return p.pure(x.Left) && p.pure(x.Right)
	case *types.Bad:
		return false
	}
	return true
}

// pureCall reports whether a call changes nothing when it is made once more. The entry of a line
// in a directory is allocated where there is none, as in the getDirectoryEntry of gem5's protocols.
func (p *Program) pureCall(f *types.Func) bool {
	switch {
	case f.Defined:
		pure, known := p.pures[f]
		if !known {
			pure = p.idle(f.Body)
			p.pures[f] = pure // once: functions that call others twice would take for ever
		}
		return pure
	case f.Builtin == nil:
		return f.Enum != nil
	}
	how, key := p.treated(f.Builtin)
	return f.Builtin.Const || how == settled || how == clock || how == conversion || how == skipped || key == "assert" || f.Builtin.Group() == "DirectoryMemory.allocate"
}
