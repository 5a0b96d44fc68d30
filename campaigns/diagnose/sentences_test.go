package diagnose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/sim/trace"
)

// atomics is the witness of an atomic operation of thread 1 beside a store of thread 0.
func atomics(events []trace.Event) *Cause {
	p := &gen.Program{Locations: []string{"x"}}
	return Find(p, &Witness{Operations: []Operation{
		{Letter: "a", Thread: 1, Loc: 0, Reads: true, Writes: true, Written: 1},
		{Letter: "b", Thread: 0, Loc: 0, Writes: true, Written: 8},
	}}, lineOf, events, nil)
}

// finals is a store of 1 to x whose location is 0 at the end.
func finals(events []trace.Event) *Cause {
	p := &gen.Program{Locations: []string{"x"}}
	return Find(p, &Witness{
		Operations: []Operation{{Letter: "a", Thread: 0, Loc: 0, Writes: true, Written: 1}}, Finals: []Final{{Loc: 0, Value: 0}},
	}, lineOf, events, nil)
}

// forwards is (b) store y, (c) load y from it, (d) load x of thread 1.
func forwards(events []trace.Event) *Cause {
	p := &gen.Program{Locations: []string{"x", "y"}}
	return Find(p, &Witness{Operations: []Operation{
		{Letter: "a", Thread: 0, Loc: 0, Writes: true, Written: 1},
		{Letter: "b", Thread: 1, Number: 0, Loc: 1, Writes: true, Written: 7},
		{Letter: "c", Thread: 1, Number: 1, Loc: 1, Reads: true, Read: 7},
		{Letter: "d", Thread: 1, Number: 2, Loc: 0, Reads: true},
	}}, lineOf, events, nil)
}

// carried is a message with the line, which holds a value.
func carried(at, arrives int64, from, to string, value gen.Value) trace.Event {
	data := new([gen.LineBytes / gen.WordBytes]gen.Value)
	data[0] = value
	return trace.Event{Kind: trace.Message, At: at, Arrives: arrives, Place: from, To: to, Line: lineX, Name: "DATA", Data: data}
}

// TestSentences has for each sentence a run of which it is true, and one that differs in little of
// which it is false and where it must not be said.
func TestSentences(t *testing.T) {
	const lower = "Directory 0"
	notice := func(at int64) trace.Event {
		return trace.Event{Kind: trace.Notice, At: at, Place: reader, Line: lineX, Thread: 1}
	}
	first, second, sc := load(30, 0, 0, 0), load(60, 0, 8, 0), load(60, 0, 8, 0)
	second.Reads, second.Writes, second.Written = false, true, 1
	sc.Reads, sc.Writes, sc.Written = false, true, 1
	ofSibling := store(40, 8, 0)
	own := store(50, 7, 0)
	own.Thread, own.Place, own.Loc, own.Line = 1, "core 1", 1, lineY
	ownX := store(45, 9, 0) // by the thread of the atomic operation itself
	ownX.Thread, ownX.Place = 1, "core 1"
	otherY := store(20, 2, 1)
	otherY.Line, otherY.Loc = lineY, 1
	whole := []trace.Event{transition(10, writer, "I", "Store", "IM", true), transition(30, writer, "IM", "Data", "M", false), store(30, 1, 0)}
	with := func(list []trace.Event, more ...trace.Event) []trace.Event {
		return append(list[:len(list):len(list)], more...)
	}
	staleBy := func(inv ...trace.Event) []trace.Event {
		list := with([]trace.Event{transition(10, reader, "I", "Load", "IS", true)}, inv...)
		return with(list, transition(30, writer, "SM", "Ack_all", "M", false), store(30, 1, 0),
			transition(40, reader, "IS_I", "Data", "I", false), load(40, 0, 0, 1), load(50, 1, 2, 0))
	}
	inv := transition(20, reader, "IS", "Inv", "IS_I", false)
	for _, c := range []struct {
		text            string // of the sentence, without what differs
		of              func([]trace.Event) *Cause
		isTrue, isFalse []trace.Event
	}{
		// A value that is written again is the latest again.
		{": stale, ", find, staleBy(inv), []trace.Event{store(5, 3, 0), store(8, 0, 1), load(40, 0, 0, 1), load(50, 1, 2, 0)}},
		// A load that its own store serves does not perform when that store does.
		{": too early, ", forwards, []trace.Event{load(10, 0, 0, 2), store(30, 1, 0), load(50, 1, 7, 1)}, []trace.Event{load(10, 0, 0, 2), store(30, 1, 0), own}},
		{"or before, from its own store", func(list []trace.Event) *Cause {
			p := &gen.Program{Locations: []string{"x", "y"}}
			return Find(p, &Witness{Operations: []Operation{
				{Letter: "b", Thread: 0, Loc: 1, Writes: true, Written: 9},
				{Letter: "c", Thread: 1, Number: 1, Loc: 0, Reads: true, Read: 5},
				{Letter: "d", Thread: 1, Number: 2, Loc: 1, Reads: true, Read: 7},
			}}, lineOf, list, nil)
		}, []trace.Event{own, {Kind: trace.Access, At: 55, Place: "core 0", Line: lineY, Loc: 1, Writes: true, Written: 9}, load(60, 0, 5, 1)},
			[]trace.Event{load(50, 1, 7, 2), {Kind: trace.Access, At: 55, Place: "core 0", Line: lineY, Loc: 1, Writes: true, Written: 9}, load(60, 0, 5, 1)}},
		// Data that arrive change the line as well, but are no invalidation.
		{"the invalidation went to ", find, staleBy(inv), staleBy(carried(15, 20, lower, reader, 0), transition(20, reader, "IS", "Data", "S", false))},
		{"the invalidation went to L1Cache 1 (S, Inv) → I at tick 20", find, []trace.Event{
			carried(15, 20, lower, reader, 0), transition(10, reader, "I", "Load", "IS", true), transition(20, reader, "IS", "Data", "S", false), load(20, 0, 0, 1),
			transition(20, reader, "S", "Inv", "I", false), store(30, 1, 0), load(50, 1, 2, 0), // in the tick of the data
		}, staleBy(inv)},
		// A notice in another transition of the same request counts for stale reads, too.
		{"the core is not notified", find, staleBy(inv), staleBy(transition(18, reader, "IS", "Snp", "BUSY", false), notice(18), transition(20, reader, "BUSY", "Final", "I", false))},
		{"the core is notified", find, staleBy(inv, notice(20)), staleBy(inv)},
		{"no request of others had changed the line in the controller that served (", find, staleBy(), staleBy(inv)},
		{", since its core asked for it at tick ", find, staleBy(), []trace.Event{transition(40, reader, "S", "Hit", "S", false), store(5, 1, 0), load(40, 0, 0, 1)}},
		{"the trace does not have the transition that served (", find, []trace.Event{store(5, 1, 0), load(40, 0, 0, 1)}, staleBy()},
		{": no store of the trace wrote that", func(list []trace.Event) *Cause {
			w := &Witness{Operations: []Operation{{Letter: "a", Thread: 1, Loc: 0, Reads: true, Read: 5}}}
			return Find(&gen.Program{Locations: []string{"x"}}, w, lineOf, list, nil)
		}, []trace.Event{load(9, 0, 5, 0)}, []trace.Event{store(8, 5, 0), load(9, 0, 5, 0)}},
		{": the cause is not known", find, []trace.Event{load(5, 1, 2, 0), load(10, 0, 0, 1), store(30, 1, 0)}, staleBy(inv)},
		{"the trace has no access of ", find, []trace.Event{load(5, 1, 2, 0), load(10, 0, 0, 1), store(30, 1, 0)}, []trace.Event{load(10, 0, 0, 1), store(30, 1, 0), otherY, load(50, 1, 2, 0)}},
		{"each read has the latest value when it performs", find, []trace.Event{otherY, load(25, 1, 2, 0), load(28, 0, 0, 1), store(30, 1, 0)}, staleBy(inv)},
		{", or that of an earlier store of its own thread", forwards, []trace.Event{load(10, 0, 0, 2), own, store(60, 1, 0)}, []trace.Event{load(10, 0, 0, 2), own, load(55, 1, 7, 1), store(60, 1, 0)}},
		{": the order of the accesses is not that of the program", find, []trace.Event{otherY, load(25, 1, 2, 0), load(28, 0, 0, 1), store(30, 1, 0)},
			[]trace.Event{store(10, 1, 0), otherY, load(25, 1, 2, 0), load(28, 0, 1, 1)}},
		{", and no access performs before an earlier one of its thread: the trace does not show the cause", forwards,
			[]trace.Event{own, load(55, 0, 0, 2), store(60, 1, 0)}, []trace.Event{load(10, 0, 0, 2), own, store(60, 1, 0)}},
		// A load that its own store serves performs before that.
		{", which precedes it in the program and performs at tick ", find, []trace.Event{otherY, load(25, 1, 2, 0), load(28, 0, 0, 1), store(30, 1, 0)},
			[]trace.Event{store(5, 1, 0), otherY, load(25, 1, 2, 0), load(28, 0, 1, 1)}},
		{"the final value of ", finals, with(whole, transition(70, writer, "M", "Replacement", "I", false)), with(whole, store(80, 0, 1))},
		// The value may go to a cache that is asked for none.
		{": it gives up the line, and no message carries ", finals, with(whole, transition(70, writer, "M", "Replacement", "I", false)),
			with(whole, transition(70, writer, "M", "Fwd", "I", false), carried(71, 80, writer, "L1Cache 2", 1), transition(80, "L1Cache 2", "IM", "Data", "I", false))},
		{", and what is found after that is older", finals, with(whole, transition(70, writer, "M", "Fwd", "I", false), carried(71, 80, writer, lower, 1), transition(80, lower, "M", "Data", "I", false)),
			with(whole, transition(70, writer, "M", "Replacement", "I", false))},
		{", which serves the store: what the controller sends is older", finals,
			with(whole, carried(71, 80, writer, lower, 0), transition(80, lower, "M", "Data", "I", false), carried(90, 95, lower, reader, 0), transition(95, reader, "IS", "Data", "S", false), transition(99, reader, "S", "Load", "S", true)),
			with(whole, transition(99, writer, "M", "Load", "M", true))},
		{", which serves the store: no message brings an older one", finals, with(whole, transition(99, writer, "M", "Load", "M", true)),
			with(whole, transition(70, writer, "M", "Replacement", "I", false))},
		// What its own thread writes between does not separate it.
		{" is not atomic: it reads ", atomics, []trace.Event{first, store(40, 8, 0), second}, []trace.Event{first, ownX, second}},
		{"the line is taken between the two accesses in ", atomics, []trace.Event{transition(30, reader, "IM", "Data", "M", false), first, transition(35, reader, "M", "Fwd_GETX", "I", false), store(40, 8, 0), second},
			[]trace.Event{transition(30, reader, "IM", "Data", "M", false), first, store(40, 8, 0), second}},
		// Cores that share a controller take the line from each other by their own requests.
		{"no request of others changed the line in the controller that served the read", atomics, []trace.Event{transition(30, reader, "IM", "Data", "M", false), first, store(40, 8, 0), second},
			[]trace.Event{transition(30, reader, "IM", "Data", "M", false), first, transition(40, reader, "M", "C0_Store", "M0", true), ofSibling, sc}},
		{"the trace does not have the transition that served the read", atomics, []trace.Event{first, store(40, 8, 0), second}, []trace.Event{transition(30, reader, "IM", "Data", "M", false), first, store(40, 8, 0), second}},
	} {
		says := func(events []trace.Event) (string, bool) {
			said := strings.Join(c.of(events).Sentences(), "\n")
			return said, strings.Contains(said, c.text)
		}
		if said, ok := says(c.isTrue); !ok {
			t.Errorf("%q is true, and not said:\n%s", c.text, said)
		}
		if said, ok := says(c.isFalse); ok {
			t.Errorf("%q is false, and said:\n%s", c.text, said)
		}
		tested[c.text] = true
	}
	requireAllTested(t)
}

var tested = map[string]bool{}

// requireAllTested requires each text of at least four words that a sentence is made of to have
// been tested.
func requireAllTested(t *testing.T) {
	for _, name := range []string{"cause.go", "loss.go", "torn.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if fn, ok := n.(*ast.FuncDecl); ok && fn.Name.Name == "mark" {
				return false // notes in pictures
			}
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(lit.Value)
			words := slices.DeleteFunc(strings.Fields(text), func(w string) bool { return strings.Contains(w, "%") || w == "→" })
			if len(words) < 4 {
				return true
			}
			for fragment := range tested {
				if strings.Contains(text, fragment) || strings.Contains(fragment, text) {
					return true
				}
			}
			t.Errorf("%s: no test of %q", name, text)
			return true
		})
	}
}
