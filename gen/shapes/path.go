package shapes

import (
	"fmt"
	"strings"
)

// path is the operations of a thread from first to last by edges, of which names are
// for errors. Operations between them are at new locations of the shape, except where
// an edge leads to the same one.
func (s *Shape) path(first, last Op, way []edge, names []string) ([]Op, error) {
	n := len(way)
	ops := make([]Op, n+1)
	for i := range ops {
		ops[i].Loc = -1
	}
	ops[0], ops[n] = first, last
	ends := func(i int) error {
		for at, kind := range map[int]Kind{i: way[i].begin, i + 1: way[i].end} {
			switch op := &ops[at]; {
			case kind == KindUnknown || kind == op.Kind:
			case op.Kind == KindUnknown:
				op.Kind = kind
			case at == i:
				return fmt.Errorf("edge %s: it begins at a %s", names[i], kindNames[op.Kind])
			default:
				return fmt.Errorf("edge %s: it ends at a %s", names[i], kindNames[op.Kind])
			}
		}
		return nil
	}
	for i := range way {
		if err := ends(i); err != nil {
			return nil, err
		}
		if way[i].same && i+1 < n {
			ops[i+1].Loc = ops[i].Loc
		}
	}
	for i := n - 1; i >= 0; i-- {
		switch from, to := &ops[i], &ops[i+1]; {
		case way[i].same && from.Loc < 0:
			from.Loc = to.Loc
		case way[i].same && from.Loc != to.Loc:
			return nil, fmt.Errorf("edge %s: the locations of its ends differ", names[i])
		case !way[i].same && n > 1 && from.Loc == to.Loc && from.Loc >= 0:
			return nil, fmt.Errorf("edge %s: the locations of its ends are the same", names[i])
		}
	}
	for i := 1; i < n; i++ {
		if ops[i].Loc < 0 {
			ops[i].Loc = s.Locations
			s.Locations++
			s.Final = append(s.Final, 0)
		}
		for k := i; way[k].same && ops[k+1].Loc < 0; k++ {
			ops[k+1].Loc = ops[i].Loc
		}
		if ops[i].Kind == KindUnknown {
			ops[i].Kind = likely(ops[i-1].Kind, join(way[i-1].to.words, way[i].from.words))
		}
	}
	s.values(ops)
	return ops, nil
}

// likely is the kind of an operation of which the edges around it say nothing: what its
// annotations are for, or that of the operation before.
func likely(before Kind, words string) Kind {
	switch acquires, releases := strings.Contains(words, "acquire"), strings.Contains(words, "release"); {
	case acquires && !releases:
		return Load
	case releases && !acquires:
		return Store
	}
	return before
}

var kindNames = [...]string{Load: "load", Store: "store"}

// values gives the operations between the first and the last of a thread values:
// stores new ones, and loads what the thread saw of the location before. Where the
// last operation returns the initial value behind a store of the thread, it returns
// that of the store, which came before those of other threads.
func (s *Shape) values(ops []Op) {
	seen := map[int]int{}
	for i := range ops {
		op, middle := &ops[i], i > 0 && i < len(ops)-1
		switch {
		case op.Kind == Store:
			if middle {
				op.Write = s.largest(ops) + 1
			}
			if old := seen[op.Loc]; old != 0 && old == s.Final[op.Loc] {
				s.Final[op.Loc] = op.Write
			}
			seen[op.Loc] = op.Write
			continue
		case middle:
			op.Read = seen[op.Loc]
		case op.Read == 0 && seen[op.Loc] != 0:
			op.Read = seen[op.Loc]
			s.Final[op.Loc] = s.first(op.Loc)
		}
		seen[op.Loc] = op.Read
	}
}

// largest is the largest value of the shape and of further operations.
func (s *Shape) largest(ops []Op) int {
	n := 0
	for _, list := range append([][]Op{ops}, s.Threads...) {
		for _, op := range list {
			n = max(n, op.Write)
		}
	}
	return n
}

// first is the value of the first store to a location in the threads of the base.
func (s *Shape) first(loc int) int {
	for _, ops := range s.Threads {
		for _, op := range ops {
			if op.Kind == Store && op.Loc == loc {
				return op.Write
			}
		}
	}
	return 0
}
