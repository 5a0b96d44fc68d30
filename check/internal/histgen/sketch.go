package histgen

import "ordeal/parse"

// sketch collects operations by hand. A ref names an operation before its
// place in the history is known, so that a read can name its writer whatever
// threads they are of.
type sketch struct {
	threads [][]ref
	names   []string
	locs    map[string]int32
	locName []string
	ops     []parse.Op // by ref; RF is a ref, or Init or NoOp
}

type ref = parse.OpID

func newSketch() *sketch { return &sketch{locs: map[string]int32{}} }

func (s *sketch) thread(name string) int {
	s.threads = append(s.threads, nil)
	s.names = append(s.names, name)
	return len(s.threads) - 1
}

func (s *sketch) add(t int, op parse.Op) ref {
	r := ref(len(s.ops))
	s.ops = append(s.ops, op)
	s.threads[t] = append(s.threads[t], r)
	return r
}

func (s *sketch) loc(name string) int32 {
	x, ok := s.locs[name]
	if !ok {
		x = int32(len(s.locName))
		s.locs[name] = x
		s.locName = append(s.locName, name)
	}
	return x
}

func (s *sketch) write(t int, loc string) ref {
	return s.add(t, parse.Op{Kind: parse.Write, Loc: s.loc(loc), RF: parse.NoOp})
}

// read adds a read of the location that write w writes.
func (s *sketch) read(t int, w ref) ref {
	return s.add(t, parse.Op{Kind: parse.Read, Loc: s.ops[w].Loc, RF: w})
}

func (s *sketch) fence(t int) {
	s.add(t, parse.Op{Kind: parse.Fence, Loc: -1, RF: parse.NoOp, Mask: parse.FullFence})
}

// history lays the threads out; at is the operation of each ref.
func (s *sketch) history() (h *parse.History, at []parse.OpID) {
	h = &parse.History{Start: []parse.OpID{0}, ThreadNames: s.names, Locations: s.locName}
	at = make([]parse.OpID, len(s.ops))
	for _, t := range s.threads {
		for _, r := range t {
			at[r] = parse.OpID(len(h.Ops))
			h.Ops = append(h.Ops, s.ops[r])
		}
		h.Start = append(h.Start, parse.OpID(len(h.Ops)))
	}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.RF >= 0 {
			op.RF = at[op.RF]
		}
	}
	fillValues(h)
	return h, at
}
