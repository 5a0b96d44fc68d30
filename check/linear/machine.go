package linear

import "ordeal/parse/objects"

// machine is what objects do. A state is a value; of transactions, a number for the
// values of all keys.
type machine struct {
	h       *objects.History
	texts   []string // of values that only appending makes, after those of the history
	number  map[string]int32
	vectors [][]int32 // of states
	states  map[string]int32
}

// step does an operation, and reports whether it may have been seen in the state.
func (m *machine) step(state int32, o *objects.Op) (next int32, legal bool) {
	if o.Kind == objects.Txn {
		return m.transaction(state, o.Parts)
	}
	return m.single(state, o)
}

func (m *machine) single(state int32, o *objects.Op) (int32, bool) {
	switch o.Kind {
	case objects.Read:
		return state, state == o.From
	case objects.Write:
		return o.To, true
	case objects.CAS:
		switch {
		case o.Failed:
			return state, state != o.From
		case state != o.From:
			return state, false
		}
		return o.To, true
	default:
		return m.appended(state, o.To), true
	}
}

func (m *machine) text(v int32) string {
	if n := len(m.h.Values); int(v) >= n {
		return m.texts[int(v)-n]
	}
	return m.h.Values[v]
}

func (m *machine) appended(state, value int32) int32 {
	if m.number == nil {
		m.number = map[string]int32{}
		for i, text := range m.h.Values {
			m.number[text] = int32(i)
		}
	}
	text := m.text(state) + m.text(value)
	v, is := m.number[text]
	if !is {
		v = int32(len(m.h.Values) + len(m.texts))
		m.texts = append(m.texts, text)
		m.number[text] = v
	}
	return v
}

// transaction does operations on several keys.
func (m *machine) transaction(state int32, parts []objects.Op) (int32, bool) {
	values := m.vectors[state]
	changed := false
	for i := range parts {
		o := &parts[i]
		next, legal := m.single(values[o.Key], o)
		if !legal {
			return state, false
		}
		if next != values[o.Key] {
			if !changed {
				values, changed = append([]int32(nil), values...), true
			}
			values[o.Key] = next
		}
	}
	if !changed {
		return state, true
	}
	return m.vector(values), true
}

func (m *machine) vector(values []int32) int32 {
	key := make([]byte, 0, 4*len(values))
	for _, v := range values {
		key = append(key, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	if s, is := m.states[string(key)]; is {
		return s
	}
	s := int32(len(m.vectors))
	m.states[string(key)] = s
	m.vectors = append(m.vectors, values)
	return s
}
