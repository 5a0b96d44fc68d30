package shapes

// Symbolic locations of the table.
const (
	x = iota
	y
	z
)

func w(loc, value int) Op { return Op{Kind: Store, Loc: loc, Write: value} }
func r(loc, value int) Op { return Op{Kind: Load, Loc: loc, Read: value} }

type row struct {
	name    string
	allowed Models
	final   []int
	threads [][]Op
}

// The models weaker than SC form a chain: what TSO allows PSO allows, and what
// PSO allows RMO allows.
const (
	tso  = TSO | PSO | RMO
	pso  = PSO | RMO
	rmo  = RMO
	none = Models(0)
)

// table holds the base shapes. A model allows a cycle when it relaxes one of
// the pairs in it: store-load under TSO, store-store too under PSO,
// everything between different locations and load-load to one location under
// RMO. None of these models relaxes reads-from between threads (all are
// multi-copy atomic), so IRIW and WRC need a relaxed pair.
var table = []row{
	// Two threads, two locations.
	{"SB", tso, nil, [][]Op{{w(x, 1), r(y, 0)}, {w(y, 2), r(x, 0)}}},
	{"MP", pso, nil, [][]Op{{w(x, 1), w(y, 2)}, {r(y, 2), r(x, 0)}}},
	{"LB", rmo, nil, [][]Op{{r(x, 2), w(y, 1)}, {r(y, 1), w(x, 2)}}},
	{"S", pso, []int{x: 1}, [][]Op{{w(x, 1), w(y, 2)}, {r(y, 2), w(x, 3)}}},
	{"R", tso, []int{x: 0, y: 3}, [][]Op{{w(x, 1), w(y, 2)}, {w(y, 3), r(x, 0)}}},
	{"2+2W", pso, []int{x: 1, y: 3}, [][]Op{{w(x, 1), w(y, 2)}, {w(y, 3), w(x, 4)}}},
	// SB in which each thread first reads its own store: allowed only by
	// models that forward from the store buffer or let loads pass.
	{"SB+rfis", tso, nil, [][]Op{{w(x, 1), r(x, 1), r(y, 0)}, {w(y, 2), r(y, 2), r(x, 0)}}},

	// Three and four threads.
	{"WRC", rmo, nil, [][]Op{{w(x, 1)}, {r(x, 1), w(y, 2)}, {r(y, 2), r(x, 0)}}},
	{"RWC", tso, nil, [][]Op{{w(x, 1)}, {r(x, 1), r(y, 0)}, {w(y, 2), r(x, 0)}}},
	{"W+RWC", tso, nil, [][]Op{{w(x, 1), w(y, 2)}, {r(y, 2), r(z, 0)}, {w(z, 3), r(x, 0)}}},
	{"ISA2", pso, nil, [][]Op{{w(x, 1), w(y, 2)}, {r(y, 2), w(z, 3)}, {r(z, 3), r(x, 0)}}},
	{"IRIW", rmo, nil, [][]Op{{w(x, 1)}, {r(x, 1), r(y, 0)}, {w(y, 2)}, {r(y, 2), r(x, 0)}}},

	// Coherence: one location. RMO here allows two loads of one
	// location to pass each other (load-load hazards), nothing else.
	{"CoRR", rmo, nil, [][]Op{{w(x, 1)}, {r(x, 1), r(x, 0)}}},
	{"CoWW", none, []int{x: 1}, [][]Op{{w(x, 1), w(x, 2)}}},
	{"CoRW", none, []int{x: 2}, [][]Op{{r(x, 2), w(x, 1)}, {w(x, 2)}}},
	{"CoWR", none, []int{x: 1}, [][]Op{{w(x, 1), r(x, 2)}, {w(x, 2)}}},
}

// further are cycles of which only variants with edges of an instruction set are of
// use beside those of table, as diy7 makes them of the same names.
var further = []row{
	{"3.SB", tso, nil, [][]Op{{w(x, 1), r(y, 0)}, {w(y, 2), r(z, 0)}, {w(z, 3), r(x, 0)}}},
	{"3.LB", rmo, nil, [][]Op{{r(x, 3), w(y, 1)}, {r(y, 1), w(z, 2)}, {r(z, 2), w(x, 3)}}},
	{"3.2W", pso, []int{x: 1, y: 3, z: 5}, [][]Op{{w(x, 1), w(y, 2)}, {w(y, 3), w(z, 4)}, {w(z, 5), w(x, 6)}}},
	{"Z6.0", tso, []int{x: 0, y: 0, z: 4}, [][]Op{{w(x, 1), w(y, 2)}, {r(y, 2), w(z, 3)}, {w(z, 4), r(x, 0)}}},
	{"Z6.1", pso, []int{x: 1, y: 3}, [][]Op{{w(x, 1), w(y, 2)}, {w(y, 3), w(z, 4)}, {r(z, 4), w(x, 5)}}},
	{"Z6.2", pso, []int{x: 1}, [][]Op{{w(x, 1), w(y, 2)}, {r(y, 2), w(z, 3)}, {r(z, 3), w(x, 4)}}},
	{"Z6.3", pso, []int{x: 0, y: 3}, [][]Op{{w(x, 1), w(y, 2)}, {w(y, 3), w(z, 4)}, {r(z, 4), r(x, 0)}}},
	{"Z6.4", tso, []int{x: 0, y: 3}, [][]Op{{w(x, 1), w(y, 2)}, {w(y, 3), r(z, 0)}, {w(z, 4), r(x, 0)}}},
	{"Z6.5", tso, []int{x: 0, y: 3, z: 5}, [][]Op{{w(x, 1), w(y, 2)}, {w(y, 3), w(z, 4)}, {w(z, 5), r(x, 0)}}},
	{"WWC", rmo, []int{x: 1}, [][]Op{{w(x, 1)}, {r(x, 1), w(y, 2)}, {r(y, 2), w(x, 3)}}},
	{"WRW+WR", tso, []int{x: 0, y: 3}, [][]Op{{w(x, 1)}, {r(x, 1), w(y, 2)}, {w(y, 3), r(x, 0)}}},
	{"WRW+2W", pso, []int{x: 1, y: 3}, [][]Op{{w(x, 1)}, {r(x, 1), w(y, 2)}, {w(y, 3), w(x, 4)}}},
	{"WRR+2W", pso, []int{x: 1}, [][]Op{{w(x, 1)}, {r(x, 1), r(y, 0)}, {w(y, 2), w(x, 3)}}},
	{"IRWIW", rmo, []int{x: 1, y: 3}, [][]Op{{w(x, 1)}, {r(x, 1), w(y, 2)}, {w(y, 3)}, {r(y, 3), w(x, 4)}}},
	{"IRRWIW", rmo, []int{x: 1}, [][]Op{{w(x, 1)}, {r(x, 1), r(y, 0)}, {w(y, 2)}, {r(y, 2), w(x, 3)}}},
	{"CoRW1", none, nil, [][]Op{{r(x, 1), w(x, 1)}}},
	{"CoRW2", none, []int{x: 2}, [][]Op{{w(x, 2)}, {r(x, 2), w(x, 1)}}},
	{"CoWR0", none, nil, [][]Op{{w(x, 1), r(x, 0)}}},
}

// longer are the shapes of further.
func longer() []Shape {
	list := make([]Shape, 0, len(further))
	for _, row := range further {
		list = append(list, row.shape())
	}
	return list
}

func (row row) shape() Shape {
	s := Shape{Name: row.name, Allowed: row.allowed}
	for _, ops := range row.threads {
		s.Threads = append(s.Threads, append([]Op(nil), ops...))
		for _, op := range ops {
			s.Locations = max(s.Locations, op.Loc+1)
		}
	}
	s.Final = make([]int, s.Locations)
	copy(s.Final, row.final)
	return s
}
