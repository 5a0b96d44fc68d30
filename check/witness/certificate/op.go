package certificate

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"ordeal/parse"
)

// Op names an operation: [thread, index] in JSON, both from 0, fences counting
// too. The initial write to a location, which the other end of an edge tells, is
// "init".
type Op struct{ Thread, Index int32 }

// initial is the initial write.
var initial = Op{-1, -1}

// id is the operation of h that o names, or an error.
func (o Op) id(h *parse.History) (parse.OpID, error) {
	if o == initial {
		return parse.Init, nil
	}
	if o.Thread < 0 || int(o.Thread) >= h.Threads() {
		return parse.NoOp, fmt.Errorf("operation [%d,%d]: there are %d threads", o.Thread, o.Index, h.Threads())
	}
	start, end := h.Start[o.Thread], h.Start[o.Thread+1]
	if o.Index < 0 || o.Index >= int32(end-start) {
		return parse.NoOp, fmt.Errorf("operation [%d,%d]: thread %s has %d", o.Thread, o.Index, h.ThreadName(int(o.Thread)), end-start)
	}
	return start + parse.OpID(o.Index), nil
}

func (o Op) append(out []byte) []byte {
	if o == initial {
		return append(out, `"init"`...)
	}
	out = strconv.AppendInt(append(out, '['), int64(o.Thread), 10)
	out = strconv.AppendInt(append(out, ','), int64(o.Index), 10)
	return append(out, ']')
}

// MarshalJSON implements json.Marshaler.
func (o Op) MarshalJSON() ([]byte, error) { return o.append(nil), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (o *Op) UnmarshalJSON(data []byte) error {
	if string(data) == `"init"` {
		*o = initial
		return nil
	}
	s := scanner{data: data}
	*o = s.op()
	return s.end()
}

// Accesses is a list of operations.
type Accesses []Op

// MarshalJSON implements json.Marshaler.
func (a Accesses) MarshalJSON() ([]byte, error) {
	out := make([]byte, 0, 12*len(a)+2)
	out = append(out, '[')
	for i, o := range a {
		if i > 0 {
			out = append(out, ',')
		}
		out = o.append(out)
	}
	return append(out, ']'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *Accesses) UnmarshalJSON(data []byte) error {
	s := scanner{data: data}
	*a = make(Accesses, 0, bytes.Count(data, []byte("],"))+1)
	s.list(func() { *a = append(*a, s.op()) })
	return s.end()
}

// Arcs is a list of pairs of operations.
type Arcs [][2]Op

// MarshalJSON implements json.Marshaler.
func (a Arcs) MarshalJSON() ([]byte, error) {
	out := make([]byte, 0, 24*len(a)+2)
	out = append(out, '[')
	for i, arc := range a {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(arc[0].append(append(out, '[')), ',')
		out = append(arc[1].append(out), ']')
	}
	return append(out, ']'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *Arcs) UnmarshalJSON(data []byte) error {
	s := scanner{data: data}
	s.list(func() {
		s.expect('[')
		from := s.op()
		s.expect(',')
		*a = append(*a, [2]Op{from, s.op()})
		s.expect(']')
	})
	return s.end()
}

// scanner reads lists of operations, which may be long, without reflection. The
// data are JSON already. After a fault it reads nothing more.
type scanner struct {
	data  []byte
	at    int
	fault bool
}

func (s *scanner) end() error {
	s.space()
	if s.fault || s.at < len(s.data) {
		return fmt.Errorf("want operations as [thread,index] where %.40q is", s.data[min(s.at, len(s.data)):])
	}
	return nil
}

func (s *scanner) space() {
	for s.at < len(s.data) && (s.data[s.at] == ' ' || s.data[s.at] == '\n' || s.data[s.at] == '\t' || s.data[s.at] == '\r') {
		s.at++
	}
}

// next reports whether c comes next, and passes over it.
func (s *scanner) next(c byte) bool {
	s.space()
	if s.fault || s.at >= len(s.data) || s.data[s.at] != c {
		return false
	}
	s.at++
	return true
}

func (s *scanner) expect(c byte) { s.fault = s.fault || !s.next(c) }

func (s *scanner) list(element func()) {
	s.expect('[')
	if s.next(']') {
		return
	}
	for element(); s.next(','); {
		element()
	}
	s.expect(']')
}

func (s *scanner) op() Op {
	s.expect('[')
	o := Op{Thread: s.number()}
	s.expect(',')
	o.Index = s.number()
	s.expect(']')
	return o
}

// number reads a number of at least 0 that is no fraction.
func (s *scanner) number() int32 {
	s.space()
	start, n := s.at, int64(0)
	for !s.fault && s.at < len(s.data) && '0' <= s.data[s.at] && s.data[s.at] <= '9' {
		n = min(10*n+int64(s.data[s.at]-'0'), math.MaxInt32)
		s.at++
	}
	s.fault = s.fault || s.at == start
	return int32(n)
}
