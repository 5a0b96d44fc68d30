// Package oplog reads and writes histories as one line "r(…)" or "w(…)" for each
// operation, with four fields. There are two dialects:
//
//	r(key,value,session,txn)     Plume (Liu et al., OOPSLA 2024)
//	r(var,value,thread,id)       logs of runs under gem5, as in the work on
//	                             gradual consistency checking (Zennou et al.,
//	                             CAV 2019)
//
// The operations of a session or thread stand in program order; those of
// different ones may interleave in any way. Locations start at 0, and the
// values written to one location are unique and not 0.
//
// In Plume's dialect all fields are decimal numbers. The lines of a
// transaction stand together as far as its session goes; transaction -1 is
// one that was aborted, whose operations are left out. A first transaction
// that does nothing but write 0 is the initial state, and left out too.
//
// In gem5's dialect locations and threads are numbers or names (letters,
// digits, "_"), and the ids of a thread's operations increase.
package oplog

import "math"

// Dialect says what the fields of a line mean.
type Dialect uint8

// The dialects.
const (
	Plume Dialect = iota
	GEM5
)

// MaxValue is the largest value that can be written: Plume reads signed
// numbers.
const MaxValue = math.MaxInt64
