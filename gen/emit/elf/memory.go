package elf

import (
	"fmt"

	"ordeal/gen"
	"ordeal/gen/wire"
)

// Addresses. The locations come first in the writable segment, below 2 GiB,
// then the control lines, the stacks and the frames of the log, then the
// locations and frames of further programs.
const (
	imageBase = 0x40_0000
	dataBase  = 0x1000_0000
	pageBytes = 4096
	// controlBytes separates the control lines of threads: two cache lines,
	// since hardware prefetches lines in pairs.
	controlBytes = 128
	// stackBytes is the stack of a thread: return addresses and, where an emulator
	// handles signals for it, a frame of such a signal.
	stackBytes = 4 * pageBytes
)

// The words of a thread's control line. Only their thread writes them.
const (
	// ctlPhase counts the barriers that the thread has reached; phaseDone
	// once it has finished or given up.
	ctlPhase = 0
	// ctlRounds is the number of rounds that the thread has completed, those
	// of earlier programs included.
	ctlRounds = 8
	// ctlFault is the barrier at which the thread gave up; see fault.
	ctlFault = 16
)

// phaseDone exceeds every number of barriers.
const phaseDone = 1 << 62

// Limits of an executable, beside those of gen.Program.
const (
	// MaxTextBytes bounds the code.
	MaxTextBytes = dataBase - imageBase - headerBytes
	// MaxMemoryBytes bounds locations, stacks and log buffers together.
	MaxMemoryBytes = 4 << 30
)

func frameBytes(words int64) int64 { return wire.HeaderBytes + words*gen.WordBytes }

// memory says where everything lies in the writable segment.
type memory struct {
	controls int64  // control line of thread 0; the others follow
	stacks   int64  // stack of thread 0, unused; the others follow
	areas    []area // by program
	end      int64
}

type area struct {
	locations int64 // location 0, aligned to gen.ConflictStride
	final     int64 // the frame of kind Final, all of it zero but for what the run writes
	frames    []int64
	ends      []int64 // ends[t] is the first byte after thread t's frame
}

func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

// newMemory lays out the memory of programs, with frames for LogMemory.
// Payloads start on a page so that a line of a log belongs to one thread.
func newMemory(programs []*gen.Program, rounds int, log Log) (*memory, error) {
	threads := int64(len(programs[0].Threads))
	m := &memory{areas: make([]area, len(programs))}
	next := int64(dataBase)
	take := func(n int64) int64 {
		start := next
		next += roundUp(n, pageBytes)
		return start
	}
	takeFrame := func(words int64) int64 {
		return take(pageBytes+words*gen.WordBytes) + pageBytes - wire.HeaderBytes
	}
	for k, p := range programs {
		a := &m.areas[k]
		a.locations = take(p.Offset(gen.LocID(len(p.Locations))))
		if k == 0 {
			m.controls = take(threads * controlBytes)
			m.stacks = take(threads * stackBytes)
		}
		if log != LogMemory {
			continue
		}
		// One word more: the layout Pairs is copied two words at a time.
		a.final = takeFrame(int64(len(p.Locations)) + 1)
		for t := range p.Threads {
			words := int64(rounds) * int64(p.Reads(gen.ThreadID(t)))
			a.frames = append(a.frames, takeFrame(words))
			a.ends = append(a.ends, a.frames[t]+frameBytes(words))
			// Checked in the loop: with rounds below 2³¹ and a few thousand
			// reads, next cannot have overflowed before it exceeds the limit.
			if size := next - dataBase; size > MaxMemoryBytes {
				return nil, fmt.Errorf("%d rounds of %d reads of thread %d: memory exceeds %d bytes: want fewer rounds",
					rounds, p.Reads(gen.ThreadID(t)), t, int64(MaxMemoryBytes))
			}
		}
	}
	m.end = next
	return m, nil
}

func (m *memory) control(t int) int64 { return m.controls + int64(t)*controlBytes }

func (m *memory) stackTop(t int) int64 { return m.stacks + int64(t+1)*stackBytes }
