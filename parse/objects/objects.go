// Package objects has histories of operations on shared objects with the times of calls
// and returns, in which a value may be written more than once, so that a read does not
// name its writer: what parse.History cannot hold.
package objects

import (
	"fmt"
	"strings"

	"ordeal/parse"
)

// Kind is what an operation does to its object.
type Kind uint8

// The kinds of operations.
const (
	Read   Kind = iota + 1 // returns From
	Write                  // writes To
	CAS                    // writes To if the object holds From
	Append                 // appends To to what the object holds
	Txn                    // all of Parts at once
)

// Value is an index into History.Values. 0 is the value that objects begin with.
type Value = int32

// Op is an operation.
type Op struct {
	Kind     Kind
	Failed   bool // CAS: it found another value than From
	Thread   int32
	Key      int32
	From, To Value
	Parts    []Op // Txn: reads, writes and appends
	// Times has Return parse.Pending for one that may have taken effect or not.
	Times parse.Interval
	Line  int
}

// Pure reports whether the operation never changes what its object holds.
func (o *Op) Pure() bool {
	for i := range o.Parts {
		if o.Parts[i].Kind != Read {
			return false
		}
	}
	return o.Kind == Read || o.Kind == Txn || o.Kind == CAS && (o.Failed || o.From == o.To)
}

// History is what clients saw, in order of calls. An operation without effect is left out.
type History struct {
	Ops                   []Op
	Threads, Keys, Values []string
	_                     struct{}
}

// Text is an operation in words: 3: cas x 1 2.
func (h *History) Text(o *Op) string { return h.Threads[o.Thread] + ": " + h.act(o) }

func (h *History) act(o *Op) string {
	value := func(v Value) string {
		if v == 0 && h.Values[0] == "" {
			return "nil"
		}
		return h.Values[v]
	}
	switch key := h.Keys[o.Key]; o.Kind {
	case Read:
		return fmt.Sprintf("read %s -> %s", key, value(o.From))
	case Write:
		return fmt.Sprintf("write %s %s", key, value(o.To))
	case CAS:
		text := fmt.Sprintf("cas %s %s %s", key, value(o.From), value(o.To))
		if o.Failed {
			text += " -> failed"
		}
		return text
	case Append:
		return fmt.Sprintf("append %s %s", key, value(o.To))
	}
	parts := make([]string, len(o.Parts))
	for i := range o.Parts {
		parts[i] = h.act(&o.Parts[i])
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
