package parse

import "ordeal/gen"

// Origin is where an operation of a History comes from: operation Index of
// Thread in the program, executed in a round (from 0).
type Origin struct {
	Thread gen.ThreadID
	Round  int
	Index  int
}

// Origins maps the operations of a History that Native returned back to those of
// its program. The map is arithmetic: it takes no memory per operation of the
// History.
type Origins struct {
	h *History
	// index[t] are the operations of thread t that are in the History: all
	// but delays.
	index [][]int32
	_     struct{}
}

// NewOrigins returns the origins of h, which Native returned for p.
func NewOrigins(p *gen.Program, h *History) *Origins {
	o := &Origins{h: h, index: make([][]int32, len(p.Threads))}
	for t, ops := range p.Threads {
		for i, op := range ops {
			if op.Kind != gen.Delay {
				o.index[t] = append(o.index[t], int32(i))
			}
		}
	}
	return o
}

// Of is the origin of operation id.
func (o *Origins) Of(id OpID) Origin {
	t := o.h.Thread(id)
	n := int(id - o.h.Start[t])
	if o.h.Tails != nil {
		tail := o.h.Tails[t]
		if i := int(id-o.h.Start[t+1]) + len(tail); i >= 0 {
			n = tail[i]
		}
	}
	perRound := len(o.index[t])
	return Origin{Thread: gen.ThreadID(t), Round: n / perRound, Index: int(o.index[t][n%perRound])}
}
