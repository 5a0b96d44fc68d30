// Package porcupine reads histories of clients of a register, or of many, with
// the times of calls and returns, as users of the linearizability checker
// Porcupine (github.com/anishathalye/porcupine) have them: an operation a line in
// JSON, or the events of a Jepsen log or of maps in EDN notation.
//
//	{"client":0, "input":{"op":"put","key":"x","value":7}, "call":10, "output":null, "return":25}
//	INFO  jepsen.util - 0	:invoke	:write	7
//	{:process 0, :type :invoke, :f :put, :key "x", :value "7"}
//
// The keys of JSON may be written as Go's encoding/json writes
// porcupine.Operation ("ClientId", "Input", …; case does not matter). Operations
// are read (get, load), write (put, store) and cas, a compare-and-set, with "from"
// and "to", or a value [from, to]; its output is whether it succeeded. A read
// has the value returned as "output", or in it. An operation without "return", or
// of which an event log has no end, or :info, is pending.
//
// A pending write may have taken effect or not. A pending compare-and-set took
// effect if what it writes was read, and is left out otherwise; pending reads are
// left out, as is what failed.
//
// Each client is a thread, or several where its operations overlap: client 3, 3_2
// and so on. Times are those of the file, or for events the numbers of lines.
package porcupine

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
	"ordeal/parse/objects"
)

// Missed says what a text has not of the notations; nil if it begins as one does.
func Missed(text []byte) error {
	line := trace.FirstLine(text, ";")
	if bytes.HasPrefix(line, []byte("[")) || bytes.HasPrefix(line, []byte("(")) { // a vector or list
		line = trace.FirstLine(text[bytes.Index(text, line)+1:], ";")
	}
	if bytes.HasPrefix(line, []byte("#")) { // a tag
		line = line[max(0, bytes.IndexByte(line, '{')):]
	}
	if isEvent(line) || bytes.HasPrefix(bytes.ToLower(bytes.Join(bytes.Fields(line), nil)), []byte(`{"client`)) {
		return nil
	}
	return errors.New(`want {"client": …, {:process … or INFO … jepsen`)
}

func isEvent(line []byte) bool {
	if bytes.HasPrefix(line, []byte("{")) {
		return isMap(line) || bytes.Contains(line, []byte(`"process"`))
	}
	_, _, is := isLogged(line)
	return is || isLog(line)
}

// isLog reports whether a line is one of Jepsen's log.
func isLog(line []byte) bool {
	return bytes.Contains(line, []byte("INFO")) && bytes.Contains(line, []byte("jepsen"))
}

// Result is what a file says.
type Result struct {
	Objects *objects.History
	// History is the same where every value read names its writer; else it is nil, and
	// Repeated says why.
	History  *parse.History
	Repeated error
	Notes    []string // what of the file is left out
	_        struct{}
}

// Read reads a history from in; name stands in error messages. The error is about reading,
// or joins all faults, each with name and line.
func Read(in io.Reader, name string) (*Result, error) {
	r := reader{open: map[string]int{}}
	if err := r.trace.ReadAllLines(in, name, r.line); err != nil {
		return nil, err
	}
	if err := r.maps.end(); err != nil {
		r.trace.Fault(r.maps.line, err)
	}
	if err := r.trace.Err(name); err != nil {
		return nil, err
	}
	result := &Result{Objects: r.objects()}
	r.values()
	result.Notes = r.notes()
	if result.Repeated = r.trace.Err(name); result.Repeated == nil {
		r.threads()
		result.History, result.Repeated = r.trace.Finish(name, 1)
	}
	return result, nil
}

// kind is what an operation does.
type kind uint8

const (
	read kind = iota + 1
	write
	cas
	add // to the end of the value
	txn
	acquire // a lock: a cas
	release
)

// outcome is how an operation ended.
type outcome uint8

const (
	pending outcome = iota
	ok
	failed
)

// nothing is the value of a key that was not written.
const nothing = ""

// operation is a call and its return. Values are as in the text; nothing is that
// of null, nil and "".
type operation struct {
	client   string
	key      string
	from, to string      // read: from is what it returned
	parts    []operation // of a txn
	time     parse.Interval
	line     int
	kind     kind
	verb     kind // as written
	outcome  outcome
	compared bool // of a cas that failed: since it found another value
}

type reader struct {
	trace trace.Builder
	ops   []operation
	open  map[string]int // of an event log: process → its operation under way

	logs bool // lines of a log have been read: others are of no interest
	maps splitter
	text notation
	now  int64 // the time of the last event

	lost struct{ reads, failed, cas, others int }
}

// line reads a line: one of a log, an operation in JSON, or a part of maps.
func (r *reader) line(code []byte, line int) error {
	if r.maps.depth == 0 && !r.maps.inVector {
		switch c := code[0]; {
		case r.logs && (c == '{' || c == '[' || c == '(' || c == '#'):
			return nil // what a log prints between its lines
		case c == '{' && !isMap(code) && !isEvent(code):
			return r.operation(code, line)
		case bytes.IndexByte([]byte("{[(;#])"), c) < 0 && (isEvent(code) || r.logs):
			r.logs = true
			return r.event(code, line)
		}
	}
	return r.maps.split(code, line, func(text []byte, line int) {
		read := r.event
		if !isEvent(text) {
			read = r.operation
		}
		if err := read(text, line); err != nil {
			r.trace.Fault(line, err)
		}
	})
}

// isMap reports whether a text begins as a map of EDN, not as an object of JSON.
func isMap(text []byte) bool {
	rest, is := bytes.CutPrefix(text, []byte("{"))
	return is && bytes.HasPrefix(bytes.TrimSpace(rest), []byte(":"))
}

// place is a key and a value.
type place struct{ key, value string }

// values checks that each value of a key is written once, leaves out operations
// of which it is not known whether, or known that they did not, take effect, and
// gives the others numbers for values.
func (r *reader) values() {
	reads := map[place]bool{}
	for i := range r.ops {
		if op := &r.ops[i]; op.kind == read && op.outcome == ok || op.kind == cas && op.outcome == ok {
			reads[place{op.key, op.from}] = true
		}
	}
	for again := true; again; { // a pending cas that took effect read what another one wrote
		again = false
		for i := range r.ops {
			op := &r.ops[i]
			if op.kind == cas && op.outcome == pending && reads[place{op.key, op.to}] && !reads[place{op.key, op.from}] {
				reads[place{op.key, op.from}], again = true, true
			}
		}
	}
	written := map[place]int{}
	for i := range r.ops {
		op := &r.ops[i]
		if op.kind == add || op.kind == txn {
			r.trace.Faultf(op.line, "%s: only a register that is written as a whole tells from whom reads read", map[kind]string{add: "append", txn: "transaction"}[op.kind])
		}
		if op.kind == read || op.kind > cas || op.outcome == failed || op.outcome == pending && op.kind == cas && !reads[place{op.key, op.to}] {
			continue
		}
		at := place{op.key, op.to}
		switch first := written[at]; {
		case op.to == nothing:
			r.trace.Faultf(op.line, "writes nothing, the initial value, to %s", op.key)
		case first > 0:
			r.trace.Faultf(op.line, "writes %s to %s, as line %d does: reads would not name their writer", op.to, op.key, first)
		default:
			written[at] = op.line
		}
	}
	r.ops = slices.DeleteFunc(r.ops, func(op operation) bool { return r.leavesOut(&op, written, reads) })
	for i := range r.ops {
		op := &r.ops[i]
		if at := (place{op.key, op.from}); op.kind != write && op.from != nothing && written[at] == 0 && op.from != "0" {
			r.trace.Faultf(op.line, "reads %s from %s, which no operation writes there", op.from, op.key)
		}
	}
}

func (r *reader) leavesOut(op *operation, written map[place]int, reads map[place]bool) bool {
	switch {
	case op.kind == read && op.outcome != ok:
		r.lost.reads++
	case op.kind == write && op.outcome == failed:
		r.lost.failed++
	case op.kind == cas && op.outcome == failed:
		if _, is := written[place{op.key, op.from}]; is || op.from == nothing || op.from == "0" {
			r.trace.Faultf(op.line, "a cas from %s of %s failed: what it read instead is not known", cmp.Or(op.from, "nothing"), op.key)
		}
		r.lost.failed++
	case op.kind == cas && op.outcome == pending && !reads[place{op.key, op.to}]:
		r.lost.cas++
	default:
		return false
	}
	return true
}

func (r *reader) notes() []string {
	var notes []string
	add := func(n int, what string) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(r.lost.reads, "reads without an answer")
	add(r.lost.failed, "operations that failed")
	add(r.lost.cas, "pending compare-and-sets whose value was not read")
	add(r.lost.others, "events of processes that are no clients (as :nemesis)")
	return notes
}
