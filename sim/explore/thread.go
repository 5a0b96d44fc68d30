package explore

import (
	"encoding/binary"
	"errors"
	"fmt"

	"ordeal/gen"
	"ordeal/sim/builtin/core"
)

// instruction is an operation of a thread and where it accesses memory.
type instruction struct {
	gen.Op
	line, word int
}

func (in *instruction) isRMW() bool { return in.Kind.Reads() && in.Kind.Writes() }

// progress is how far an operation is.
type progress uint8

const (
	unissued progress = iota
	issued
	performed
)

// thread runs a program's thread as a core of some kind does, operation by
// operation in any order that the core may choose; see package core. An
// operation retires as soon as it can: later is no different, for a load that is
// squashed meanwhile could as well have been issued later.
type thread struct {
	kind core.Kind
	code []instruction

	// What the thread has done, by operation.
	steps  []progress
	values []uint64 // that were read
	// rounds has a bit that changes when a load is squashed, so that the answer to
	// the access of before is recognised.
	rounds []uint8
}

func newThread(kind core.Kind, code []instruction) *thread {
	n := len(code)
	return &thread{kind: kind, code: code, steps: make([]progress, n), values: make([]uint64, n), rounds: make([]uint8, n)}
}

// encode appends what the thread has done.
func (t *thread) encode(dst []byte) []byte {
	for k := range t.code {
		dst = append(dst, byte(t.steps[k])<<1|t.rounds[k])
		if t.steps[k] == performed && t.code[k].Kind.Reads() {
			dst = binary.AppendUvarint(dst, t.values[k])
		}
	}
	return dst
}

var errThread = errors.New("encoded thread: truncated")

// load makes what the thread has done what encode wrote, and gives the rest.
func (t *thread) load(text []byte) ([]byte, error) {
	for k := range t.code {
		if len(text) == 0 {
			return nil, errThread
		}
		t.steps[k], t.rounds[k], t.values[k] = progress(text[0]>>1), text[0]&1, 0
		text = text[1:]
		if t.steps[k] == performed && t.code[k].Kind.Reads() {
			v, n := binary.Uvarint(text)
			if n <= 0 {
				return nil, errThread
			}
			t.values[k], text = v, text[n:]
		}
	}
	return text, nil
}

// retired is the number of operations that have left the window, in order.
func (t *thread) retired() int {
	for k := range t.code {
		switch in := &t.code[k]; {
		case in.Kind == gen.FullFence:
			if !t.drained(k) {
				return k
			}
		case in.Kind == gen.Store && t.kind != core.InOrder, in.Kind == gen.Delay:
		case t.steps[k] != performed:
			return k
		}
	}
	return len(t.code)
}

// drained reports whether all stores before operation k have performed.
func (t *thread) drained(k int) bool {
	for j := range t.code[:k] {
		if t.code[j].Kind.Writes() && t.steps[j] != performed {
			return false
		}
	}
	return true
}

// finished reports whether everything has been done.
func (t *thread) finished() bool { return t.retired() == len(t.code) && t.drained(len(t.code)) }

// mayIssue reports whether an access may start. A load may also be forwarded
// the value of a store; see source.
func (t *thread) mayIssue(k int) bool {
	in := &t.code[k]
	if t.steps[k] != unissued || !in.Kind.Reads() && !in.Kind.Writes() {
		return false
	}
	retired := t.retired()
	switch {
	case in.isRMW():
		return retired == k && t.drained(k)
	case in.Kind == gen.Load && t.kind == core.OOO:
		for j := retired; j < k; j++ {
			if before := &t.code[j]; before.Kind == gen.FullFence || before.isRMW() {
				return false
			}
		}
		return true
	case in.Kind == gen.Load, t.kind == core.InOrder:
		return retired == k
	case t.kind == core.PSO:
		return retired > k && t.source(k) < 0
	}
	return retired > k && t.drained(k)
}

// source is the youngest store before operation k to its location that has not
// performed, which a load reads from; -1 if there is none.
func (t *thread) source(k int) int {
	for j := k - 1; j >= 0; j-- {
		if in := &t.code[j]; in.Kind == gen.Store && in.Loc == t.code[k].Loc && t.steps[j] != performed {
			return j
		}
	}
	return -1
}

// perform is the instant of an access.
func (t *thread) perform(k int, word *uint64) {
	in := &t.code[k]
	t.steps[k] = performed
	if in.Kind.Reads() {
		t.values[k] = *word
	}
	switch in.Kind {
	case gen.Store, gen.Exchange:
		*word = uint64(in.Value)
	case gen.FetchAdd:
		*word += uint64(in.Value * gen.AddUnit)
	}
}

// evict squashes loads when the core loses a line: of all loads in the window but
// the oldest, the first that was issued to the line, and all later ones.
func (t *thread) evict(line int) {
	if t.kind != core.OOO {
		return
	}
	oldest, squash := true, false
	for k := t.retired(); k < len(t.code); k++ {
		if t.code[k].Kind != gen.Load {
			continue
		}
		squash = squash || !oldest && t.steps[k] != unissued && t.code[k].line == line
		oldest = false
		if squash && t.steps[k] != unissued {
			if t.steps[k] == issued {
				t.rounds[k] ^= 1
			}
			t.steps[k] = unissued
		}
	}
}

// reads are the values that the thread has read, in the order of the program.
func (t *thread) reads() []gen.Value {
	var list []gen.Value
	for k := range t.code {
		if t.code[k].Kind.Reads() {
			list = append(list, gen.Value(t.values[k]))
		}
	}
	return list
}

func (t *thread) text(k int) string {
	in := &t.code[k]
	verb := map[gen.OpKind]string{gen.Load: "loads", gen.Store: "stores", gen.Exchange: "exchanges", gen.FetchAdd: "adds to"}[in.Kind]
	return fmt.Sprintf("operation %d %s line %d word %d", k, verb, in.line, in.word)
}
