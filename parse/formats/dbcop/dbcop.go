// Package dbcop reads and writes the histories of DBCop (Biswas and Enea,
// OOPSLA 2019): sessions of transactions of reads and writes. Its text form
// has a transaction in brackets and lines of dashes between sessions:
//
//	// comments stand on lines of their own
//	[x:=1 y==?] [y==2]      writes 1 to x and reads the initial value of y
//	---
//	[y:=2]!                 "!": not committed
//
// Its JSON form is an array of sessions, alone or as "data" of an object:
//
//	{"params": {…}, "info": "…", "start": "…", "end": "…", "data": [
//	  [{"events": [{"Write": {"variable": 0, "version": 1}},
//	               {"Read": {"variable": 1, "version": null}}], "committed": true}],
//	  [{"events": [], "committed": false}]]}
//
// Locations start at 0, and the values written to one location are unique and
// not 0. What is not committed is left out. A first transaction that does
// nothing but write 0 is the initial state, and left out too. Sessions have no
// names but their numbers, from 0.
package dbcop

import (
	"fmt"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

type builder struct {
	trace.Builder
	sessions int
	thread   int32   // of the open session
	events   []event // of the open transaction
	begun    bool    // a transaction was committed
	zeros    int     // writes of the initial transaction
}

// event is an operation and its place.
type event struct {
	op    parse.Op
	place int
}

func (b *builder) session() {
	b.thread = b.Thread(fmt.Append(nil, b.sessions))
	b.sessions++
}

func (b *builder) add(write bool, variable []byte, value gen.Value, place int) {
	op := parse.Op{Kind: parse.Read, Loc: b.Locations.Index(variable), RF: parse.NoOp, Read: value}
	if write {
		op.Kind, op.Read, op.Write = parse.Write, 0, value
	}
	b.events = append(b.events, event{op, place})
}

func (b *builder) end(committed bool) {
	if committed && b.initial() {
		b.zeros = len(b.events)
		b.events = b.events[:0]
	}
	b.begun = b.begun || committed
	first := b.Len(b.thread)
	for _, e := range b.events {
		if committed {
			b.Add(b.thread, e.op, e.place)
			continue
		}
		b.Abort(e.op, e.place)
	}
	// One of a single operation needs no mention.
	if last := b.Len(b.thread); last > first+1 {
		b.Transaction(b.thread, first, last)
	}
	b.events = b.events[:0]
}

// initial reports whether the open transaction is the first one and writes
// nothing but 0.
func (b *builder) initial() bool {
	if b.begun {
		return false
	}
	for _, e := range b.events {
		if e.op.Kind != parse.Write || e.op.Write != 0 {
			return false
		}
	}
	return true
}

func (b *builder) finish(name string) (*parse.History, []string, error) {
	h, err := b.Finish(name, 1)
	if err != nil {
		return nil, nil, err
	}
	return h, b.Notes(b.zeros), nil
}
