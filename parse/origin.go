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
	// but delays, and some twice, as halves says.
	index  [][]int32
	halves [][]half // of these; nil where all are whole
	_      struct{}
}

// NewOrigins returns the origins of h, which Native returned for p.
func NewOrigins(p *gen.Program, h *History) *Origins {
	o := &Origins{h: h, index: make([][]int32, len(p.Threads)), halves: make([][]half, len(p.Threads))}
	for t, ops := range p.Threads {
		for i, op := range ops {
			for _, part := range halves(p, op) {
				o.index[t] = append(o.index[t], int32(i))
				if p.ISA != gen.X86 {
					o.halves[t] = append(o.halves[t], part)
				}
			}
		}
	}
	return o
}

func (o *Origins) half(t, place int) half {
	if o.halves[t] == nil {
		return whole
	}
	return o.halves[t][place]
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
