package shapes

import "slices"

// fenced puts a full fence between the operations of each thread. No model
// allows the outcome any more, since nothing but program order is relaxed.
func fenced(s Shape) Shape {
	return between(s, "+fences", 0, func(int, *Shape) Op { return Op{Kind: Fence} })
}

// separated is fenced with an exchange on a location of its own in place of
// each fence. An exchange is a load and a store: TSO orders earlier stores
// before its store and later loads after its load, so that it acts as a full
// fence; PSO orders no earlier store before it, RMO nothing at all.
func separated(s Shape) Shape {
	return between(s, "+rmws", s.Allowed&^TSO, func(value int, v *Shape) Op {
		v.Locations++
		v.Final = append(v.Final, 0)
		return Op{Kind: Exchange, Loc: v.Locations - 1, Write: value}
	})
}

// between copies a shape and puts what separator returns between any two
// neighbours in a thread. The separator may write the given value, which no
// other operation writes.
func between(s Shape, suffix string, allowed Models, separator func(value int, v *Shape) Op) Shape {
	v := s
	v.Name += suffix
	v.Allowed = allowed
	v.Final = slices.Clone(s.Final)
	v.Threads = nil
	value := s.largestValue()
	for _, ops := range s.Threads {
		var with []Op
		for i, op := range ops {
			if i > 0 {
				value++
				with = append(with, separator(value, &v))
			}
			with = append(with, op)
		}
		v.Threads = append(v.Threads, with)
	}
	return v
}

// exchanged turns every store into an exchange. TSO and PSO order an exchange
// with everything before and after it but, under PSO, a store before it,
// and there are none left: only RMO allows what it allowed before.
//
// An exchange reads the write that precedes it in coherence. No location of a
// shape has more than two writes, and where it has two the one that Final
// does not name is first.
func exchanged(s Shape) Shape {
	v := s
	v.Name += "+xchgs"
	v.Allowed = s.Allowed & RMO
	v.Threads = nil
	for _, ops := range s.Threads {
		ops = slices.Clone(ops)
		for i, op := range ops {
			if op.Kind == Store {
				ops[i].Kind = Exchange
				if op.Write == s.Final[op.Loc] {
					ops[i].Read = s.otherWrite(op)
				}
			}
		}
		v.Threads = append(v.Threads, ops)
	}
	return v
}

// otherWrite is the value that the other store to the location of op writes,
// 0 if there is none.
func (s *Shape) otherWrite(op Op) int {
	for _, ops := range s.Threads {
		for _, other := range ops {
			if other.Kind == Store && other.Loc == op.Loc && other.Write != op.Write {
				return other.Write
			}
		}
	}
	return 0
}

func (s *Shape) largestValue() int {
	largest := 0
	for _, ops := range s.Threads {
		for _, op := range ops {
			largest = max(largest, op.Write)
		}
	}
	return largest
}
