package background

import (
	"errors"

	"ordeal/gen"
	"ordeal/gen/wire"
)

// Late are, for each thread of Program, the operations of the original program,
// which the first Lead rounds are without.
func (s *Surrounded) Late() [][]int { return s.places }

// Number is the operation of the original program, counted over all its rounds,
// that operation n of a thread of Program is; false if it is of the background.
func (s *Surrounded) Number(t gen.ThreadID, n int) (int, bool) {
	if int(t) >= len(s.places) || n < 0 {
		return 0, false
	}
	all := len(s.Program.Threads[t])
	for i, place := range s.places[t] {
		if round := n/all - s.Lead; place == n%all && round >= 0 {
			return round*len(s.places[t]) + i, true
		}
	}
	return 0, false
}

// Loc is the location of the original program at a location of Program; false if
// it is of the background.
func (s *Surrounded) Loc(l gen.LocID) (gen.LocID, bool) {
	for own := range s.original.Locations {
		if s.At(gen.LocID(own)) == l {
			return gen.LocID(own), true
		}
	}
	return 0, false
}

// At is the location of Program at a location of the original one.
func (s *Surrounded) At(l gen.LocID) gen.LocID {
	return gen.LocID(s.original.Offset(l) / gen.WordBytes)
}

// Value is what the original program would have had at a location in place of a
// value of Program. A value that no operation of the original wrote becomes one
// that none writes in any of its rounds.
func (s *Surrounded) Value(v gen.Value, rounds int) gen.Value {
	from, to := s.Program.Stride(), s.original.Stride()
	added, stored := v&^(gen.AddUnit-1), v&(gen.AddUnit-1)
	round, constant := stored/from, stored%from
	switch lead := gen.Value(s.Lead); {
	case stored == 0:
		return added
	case round >= lead && constant < to:
		return added | ((round-lead)*to + constant)
	}
	return added | min(gen.Value(rounds)*to+stored, gen.AddUnit-1)
}

// Log is the log of that many rounds of the original program in one of Program,
// which has Lead rounds more: what its own reads
// returned, the final values of its locations, and the order of its stores. A log
// that is cut short gives one that is; a damaged frame stands in it as it is, with
// what follows it.
func (s *Surrounded) Log(log []byte, rounds int) []byte {
	w, hash := wire.NewWriter(s.original, rounds), s.Program.Hash64()
	var out []byte
	for len(log) > 0 {
		f, err := wire.Next(log)
		switch {
		case errors.Is(err, wire.ErrTornHeader) || errors.Is(err, wire.ErrTornPayload):
			return out
		case err != nil || f.Hash != hash || wire.Checksum(f.Payload) != f.Checksum:
			return append(out, log...)
		}
		log = log[f.Size():]
		switch f.Kind {
		case wire.Thread:
			if t := gen.ThreadID(f.Index); int(t) < len(s.places) {
				out = w.AppendThread(out, t, s.reads(t, f.Payload, rounds))
			}
		case wire.Final:
			var values []gen.Value
			for l := range s.original.Locations {
				if at := int(s.At(gen.LocID(l))); at < f.Payload.Len() {
					values = append(values, s.Value(f.Payload.At(at), rounds))
				}
			}
			out = w.AppendFinal(out, values)
		case wire.Order:
			if l, ok := s.Loc(gen.LocID(f.Index)); ok {
				out = w.AppendOrder(out, l, s.values(f.Payload, rounds))
			}
		}
	}
	return out
}

// reads are the values of the original program's reads among those of a thread.
func (s *Surrounded) reads(t gen.ThreadID, all wire.Words, rounds int) []gen.Value {
	var own []int // of a round
	n, next := 0, 0
	for i, op := range s.Program.Threads[t] {
		mine := next < len(s.places[t]) && s.places[t][next] == i
		if mine {
			next++
		}
		if !op.Kind.Reads() {
			continue
		}
		if mine {
			own = append(own, n)
		}
		n++
	}
	var values []gen.Value
	for start := n * s.Lead; n > 0 && start < all.Len(); start += n {
		for _, k := range own {
			if start+k < all.Len() {
				values = append(values, s.Value(all.At(start+k), rounds))
			}
		}
	}
	return values
}

func (s *Surrounded) values(all wire.Words, rounds int) []gen.Value {
	list := make([]gen.Value, all.Len())
	for i := range list {
		list[i] = s.Value(all.At(i), rounds)
	}
	return list
}
