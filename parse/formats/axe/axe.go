// Package axe reads and writes histories in the notation of Axe (Naylor,
// Moore and Mujumdar, FMCAD 2016), which is also the textual form of
// histories in Ordeal. A file holds any number of traces:
//
//	# Store buffering, and an exchange.
//	0: M[0] := 1                    a write
//	0: sync                         a full fence
//	0: M[1] == 0                    a read
//	1: { M[1] == 0; M[1] := 1 }     an atomic read-modify-write
//	1: M[0] == 0 @ 10:20            requested at 10, answered at 20
//	final M[1] == 1                 the value at the end
//	check                           ends a trace
//
// The operations of a thread stand in program order; those of different
// threads may interleave in any way. Locations start at 0, and the values
// written to one location are unique and not 0, so that a read's value names
// the write it reads from. "v0" is another spelling of M[0], and "< … >", as in
// Axe's manual, of "{ … }". "#" begins a comment. The last trace of a file may
// lack its "check".
//
// Timestamps are dependencies: an operation depends on each read of its thread
// whose response came before the operation's request. Only models with
// dependencies look at them; the others order these pairs anyway. The times of
// the requests of a thread ascend, a response comes after its request, and
// writes have none; times of different threads are not compared.
//
// Eight extensions serve the models that Axe does not have, and the other
// parts of a history:
//
//	0: stbar                        a store-store fence (SPARC V8)
//	0: membar LL LS                 a fence of components (SPARC V9): LoadLoad,
//	                                LoadStore, StoreLoad, StoreStore
//	0: isync                        an instruction barrier (Arm's ISB)
//	0: nop                          orders nothing: a store-conditional that failed
//	0: M[1] == 0 acquire            an operation with attributes: acquire,
//	                                acquirepc, release, conditional (parse.Attr)
//	dep 0: 3 -> 5                   thread 0's 5th line depends on its 3rd, a
//	                                read; lines count from 1, fences included
//	dep 0: 3 -> 5 addr data         the same, of known kinds: addr, data, ctrl,
//	                                pair (parse.DepKind)
//	tx 0: 2 -> 4                    its 2nd to 4th lines are a transaction
//	order M[0]: 1 3 2               the order in which the writes to a location
//	                                reached memory: of all locations, or of none
//
// and thread and location names may be any words of letters, digits and "_".
package axe

import "ordeal/parse"

// Trace is one trace of a file.
type Trace struct {
	// Name is the file's name, as given to NewReader.
	Name string
	// Line is the number of the trace's first line, from 1.
	Line int
	// History is the trace's history; nil when Err is not.
	History *parse.History
	// Err says what is wrong with the trace, as "name:line: …".
	Err error
	_   struct{}
}

// fenceNames are the components of fences as membar spells them, in order of
// their bits.
var fenceNames = [4]string{"LL", "LS", "SL", "SS"}

// accessAttrs are the attributes of accesses; isync is an operation here.
var accessAttrs = parse.AttrNames[:4]
