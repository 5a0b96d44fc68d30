package elf

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"ordeal/gen"
)

// Image is an executable and where things lie in its memory.
type Image struct {
	// File is the ELF file.
	File []byte
	// Start and End bound the writable segment, in virtual addresses.
	Start, End int64
	// Bases holds, for each program, the address of its location 0; the
	// others lie at gen.Program.Offset from it.
	Bases []int64
	// Places are in the order of their addresses.
	Places  []Place
	codeEnd int64 // the first address after the code
	_       struct{}
}

// EmitBatch returns an executable that runs programs one after the other,
// each like Emit: the threads are started once, meet before each program, and
// thread 0 writes its log before the next one begins. Each program has
// locations of its own, which start at zero. A run that gives up at a barrier
// writes the log of the program it was in, as far as it got, and ends with an
// exit code: so the programs with a complete log passed, the first without
// one is where it happened, and the later ones were not run.
//
// All programs need the same number of threads. The rounds of all of them
// together must not exceed MaxRounds.
func EmitBatch(programs []*gen.Program, opts Options) (*Image, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := validateBatch(programs, opts); err != nil {
		return nil, fmt.Errorf("emit elf: %w", err)
	}
	m, err := newMemory(programs, opts.Rounds, opts.Log)
	if err != nil {
		return nil, fmt.Errorf("emit elf: %w", err)
	}
	e := newEmitter(programs, opts, m)
	e.program()
	if n := int64(len(e.Bytes())); n > MaxTextBytes {
		return nil, fmt.Errorf("emit elf: %d bytes of code: want at most %d", n, MaxTextBytes)
	}
	image := &Image{File: file(e.machine, programs[0].ISA, m), Start: dataBase, End: m.end, Places: e.placesOf(), codeEnd: e.here()}
	for _, a := range m.areas {
		image.Bases = append(image.Bases, a.locations)
	}
	return image, nil
}

// validateBatch reports everything that keeps programs from being a batch.
func validateBatch(programs []*gen.Program, opts Options) error {
	if len(programs) == 0 {
		return errors.New("no program")
	}
	rounds := opts.Rounds
	var faults []error
	for k, p := range programs {
		err := p.ValidateRounds(rounds)
		if err == nil {
			err = cmp.Or(p.CoresOnly(), validateOther(p, len(programs), opts.Log))
		}
		if err == nil && len(p.Threads) != len(programs[0].Threads) {
			err = fmt.Errorf("%d threads, the first program has %d: want the same number", len(p.Threads), len(programs[0].Threads))
		}
		if err != nil && len(programs) > 1 {
			err = fmt.Errorf("program %d of %d: %w", k+1, len(programs), err)
		}
		faults = append(faults, err)
	}
	if rounds > math.MaxInt32/len(programs) {
		faults = append(faults, fmt.Errorf("%d programs of %d rounds: want at most %d rounds together", len(programs), rounds, math.MaxInt32))
	}
	return errors.Join(faults...)
}
