package code

import (
	"strings"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// resourceChecks lists the calls of checkResourceAvailable that precede a transition: one
// for each of its types of requests, but for those whose answer is known. What
// recordRequestType does is for statistics and for the banks of caches, which
// are always free.
func (g *generator) resourceChecks(t *types.Transition) []ResourceCheck {
	f := g.code.Decl.CheckResource
	if f == nil {
		return nil
	}
	var list []ResourceCheck
	for _, kind := range t.RequestTypes {
		left := decisionSteps
		known := decision{map[*types.Var]int64{f.Params[0]: int64(kind)}, &left}
		if v, ok := known.result(f.Body); !ok || v == 0 {
			list = append(list, ResourceCheck{g.function(f), uint64(kind)})
		}
	}
	return list
}

// decision evaluates a function as far as it depends on nothing but the values
// of the variables that it has, with so many expressions left.
type decision struct {
	values map[*types.Var]int64
	left   *int
}

// decisionSteps bounds the work: functions may call others twice, and these again.
const decisionSteps = 10_000

// result is what a body returns; false if that is not known.
func (d decision) result(body []types.Stmt) (v int64, ok bool) {
	v, _, ok = d.run(body)
	return v, ok
}

// run is result, and reports whether the body comes to a return.
func (d decision) run(body []types.Stmt) (v int64, returned, ok bool) {
	for _, s := range body {
		switch s := s.(type) {
		case *types.Declare:
			if s.Init == nil {
				return 0, false, false
			}
			if d.values[s.Var], ok = d.value(s.Init); !ok {
				return 0, false, false
			}
		case *types.If:
			cond, ok := d.value(s.Cond)
			if !ok {
				return 0, false, false
			}
			branch := s.Then
			if cond == 0 {
				branch = s.Else
			}
			if v, returned, ok = d.run(branch); returned || !ok {
				return v, returned, ok
			}
		case *types.Return:
			v, ok = d.value(s.X)
			return v, true, ok
		default:
			return 0, false, false
		}
	}
	return 0, false, true
}

func (d decision) value(x types.Expr) (v int64, ok bool) {
	if *d.left--; *d.left < 0 {
		return 0, false
	}
	switch x := x.(type) {
	case *types.Const:
		return x.Value.Int, x.Value.Kind == types.EnumValue || x.Value.Kind == types.BoolValue
	case *types.Use:
		v, ok = d.values[x.Var]
		return v, ok
	case *types.Binary:
		left, okLeft := d.value(x.Left)
		right, okRight := d.value(x.Right)
		switch x.Op {
		case syntax.Eq:
			return oneIf(left == right), okLeft && okRight
		case syntax.Ne:
			return oneIf(left != right), okLeft && okRight
		}
	case *types.Call:
		if b := x.Func.Builtin; b != nil {
			return 1, strings.HasPrefix(b.Key, "CacheMemory.checkResourceAvailable(")
		}
		inner := decision{map[*types.Var]int64{}, d.left}
		for i, p := range x.Func.Params {
			if v, ok := d.value(x.Args[i]); ok {
				inner.values[p] = v
			}
		}
		return inner.result(x.Func.Body)
	}
	return 0, false
}

func oneIf(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
