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
