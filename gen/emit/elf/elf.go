// Package elf turns programs into machine code of x86-64, AArch64 and RV64GC:
// freestanding static ELF executables, written without an assembler, a compiler or
// a libc, that run unchanged on Linux and, those of x86-64, in gem5's SE mode.
package elf

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"ordeal/gen"
)

// Sync says how the threads proceed from round to round.
type Sync uint8

// The values of Sync. SyncUnknown means SyncFree.
const (
	SyncUnknown Sync = iota
	// SyncFree runs the rounds of each thread back to back.
	SyncFree
	// SyncRound lines all threads up at a barrier before each round, or each
	// Every-th.
	SyncRound
)

// Log says how the values that reads return leave the executable.
type Log uint8

// The values of Log. LogUnknown means LogMemory.
const (
	LogUnknown Log = iota
	// LogMemory collects them in memory and writes them to standard output in
	// frames of package wire.
	LogMemory
	// LogPseudo keeps them in registers and reports them by gem5's
	// pseudo-instruction m5_sum at the end of each round; see wire.SumValues.
	// Nothing but the program's own accesses, the instructions and a control line
	// of each thread, written once a round, goes through the caches. The executable
	// ends by m5_exit or m5_fail, and runs on gem5 only.
	LogPseudo
	// LogItems is LogPseudo with work_begin in place of m5_sum, for gem5 without
	// debug lines; see wire.ItemBits. It takes about four times the instructions.
	LogItems
)

// Defaults of Options.
const (
	DefaultSpin   = 1 << 22
	DefaultSettle = 10_000
)

// Options are the options of Emit. Only Rounds must be given; with the zero value
// of the others an executable runs on hardware and on simulators.
type Options struct {
	// Rounds is how often the whole program is executed, 1 to MaxRounds.
	Rounds int
	// Sync is how threads proceed from round to round; 0 means SyncFree.
	Sync Sync
	// Every has SyncRound wait only before each Every-th round, a power of
	// two; 0 means before every round. SyncFree ignores it.
	Every int
	// Log is how values leave the executable; 0 means LogMemory.
	Log Log
	// Spin is after how many polls a barrier gives up on a thread that
	// completes no round meanwhile, 1 to MaxInt32; 0 means DefaultSpin. The
	// delays of the longest round are added. A poll takes about 20 ns on
	// hardware and some ten simulated cycles.
	Spin int
	// Settle is how many iterations of a pause loop precede each write, so
	// that a simulator that reads memory functionally finds no line in a
	// transient state; 0 means DefaultSettle, -1 none.
	Settle int
	// Jitter is a bound on the iterations of a pseudo-random delay before
	// each round of each thread, rounded up to a power of two; 0 means none.
	Jitter int
	// Seed is that of these delays; without them it changes nothing.
	Seed uint64
	// Lfence is after how many operations of a round each thread has an LFENCE, which
	// adds no order to those of TSO: no later instruction begins before the loads
	// before it have completed. 0 means none. Executables of x86-64 have it alone.
	Lfence int
	// Lead is how many of the rounds come first, without the operations of Late:
	// these are, for each program and each of its threads, indices in ascending
	// order. What their loads return in these rounds is not defined. Late needs an
	// executable of x86-64.
	Lead int
	Late [][][]int
	// Yield lets waiting threads call sched_yield, which simulators may lack.
	// Where threads outnumber cores it makes barriers ten to a hundred times
	// faster.
	Yield bool
	_     struct{}
}

// The largest Rounds and Jitter.
const (
	MaxRounds = math.MaxInt32
	MaxJitter = 1 << 20
)

func (o Options) withDefaults() (Options, error) {
	var faults []error
	bound := func(name string, v, low, high int) {
		if v < low || v > high {
			faults = append(faults, fmt.Errorf("emit elf: %s %d: want %d to %d", name, v, low, high))
		}
	}
	if o.Spin == 0 {
		o.Spin = DefaultSpin
	}
	switch o.Settle {
	case 0:
		o.Settle = DefaultSettle
	case -1:
		o.Settle = 0
	}
	if o.Sync == SyncUnknown {
		o.Sync = SyncFree
	}
	if o.Log == LogUnknown {
		o.Log = LogMemory
	}
	if o.Every == 0 {
		o.Every = 1
	}
	bound("rounds", o.Rounds, 1, MaxRounds)
	bound("spin", o.Spin, 1, math.MaxInt32)
	bound("settle", o.Settle, 0, math.MaxInt32)
	bound("jitter", o.Jitter, 0, MaxJitter)
	bound("lfence", o.Lfence, 0, math.MaxInt32)
	bound("lead", o.Lead, 0, max(o.Rounds-1, 0))
	if o.Every < 1 || o.Every > MaxRounds || bits.OnesCount(uint(o.Every)) != 1 {
		faults = append(faults, fmt.Errorf("emit elf: every %d: want a power of two", o.Every))
	}
	if o.Log > LogItems {
		faults = append(faults, fmt.Errorf("emit elf: unknown log %d", o.Log))
	}
	if o.Sync > SyncRound {
		faults = append(faults, fmt.Errorf("emit elf: unknown sync %d", o.Sync))
	}
	return o, errors.Join(faults...)
}

// Emit returns an executable that runs p for opts.Rounds rounds and writes
// a log (see package wire) to standard output, one frame per write call: one of
// kind Thread for each thread, in order, then one of kind Final. It needs
// nothing from its environment but the system calls clone, write, exit and
// exit_group. With LogPseudo and LogItems it writes nothing and reports the values by
// pseudo-instructions, the final ones at the end.
//
// Emit fails for a program that is not valid for that many rounds
// (gen.Program.ValidateRounds), for bad options, and for one whose code or
// memory exceeds MaxTextBytes or MaxMemoryBytes.
func Emit(p *gen.Program, opts Options) ([]byte, error) {
	image, err := EmitBatch([]*gen.Program{p}, opts)
	if err != nil {
		return nil, err
	}
	return image.File, nil
}

// LogBytes is the size of the whole log of a run of p that ends well.
func LogBytes(p *gen.Program, rounds int) int64 {
	n := frameBytes(int64(len(p.Locations)))
	for t := range p.Threads {
		n += frameBytes(int64(rounds) * int64(p.Reads(gen.ThreadID(t))))
	}
	return n
}
