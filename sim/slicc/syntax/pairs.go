package syntax

import "strings"

// PairKind is how the value of a pair is written.
type PairKind uint8

// The ways to write a pair.
const (
	StringPair PairKind = iota // key="value"
	NamePair                   // key=value
	NumberPair                 // key=12
	BarePair                   // "value", which means short="value"
)

// ShortKey is the key a bare string stands for: the abbreviation of an action
// or a machine in gem5's tables.
const ShortKey = "short"

// Pair is one attribute of a declaration.
type Pair struct {
	Pos   Pos
	Kind  PairKind
	Key   string
	Value string
}

// Pairs are the attributes of a declaration in the order of the text.
type Pairs []Pair

// Get gives the value of the attribute key. When a key is given twice the
// first one counts, as in gem5's compiler.
func (ps Pairs) Get(key string) (value string, ok bool) {
	if p := ps.Find(key); p != nil {
		return p.Value, true
	}
	return "", false
}

// Find gives the attribute key, or nil.
func (ps Pairs) Find(key string) *Pair {
	for i := range ps {
		if ps[i].Key == key {
			return &ps[i]
		}
	}
	return nil
}

// Has reports whether the attribute is given, with whatever value: gem5 reads
// external="no" as external.
func (ps Pairs) Has(key string) bool { return ps.Find(key) != nil }

// isFalse reports whether an attribute is given as "false".
func (list Pairs) isFalse(key string) bool {
	v, ok := list.Get(key)
	return ok && strings.EqualFold(v, "false")
}
