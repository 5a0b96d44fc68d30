package parse

import (
	"fmt"

	"ordeal/gen"
	"ordeal/gen/faults"
	"ordeal/gen/wire"
)

// Logged is the values of a whole native log as the run left them. A History has what
// they mean; only here are the results of store-conditionals, and the values of a
// program's operations by number, whatever they became in a History.
type Logged struct {
	// Reads has for each thread what its operations that read (gen.OpKind.Reads)
	// returned, in program order, round after round.
	Reads []wire.Words
	// Final has what each location held at the end; nil if the log does not say.
	Final wire.Words
}

// ReadLogged reads the values of the native log of a run of p for a number of rounds.
// It refuses a log that is malformed or incomplete, and does not ask whether a read can
// have returned its value: see Native.
func ReadLogged(p *gen.Program, rounds int, log []byte) (*Logged, error) {
	var f faults.List
	fs := splitFrames(p, rounds, log, &f)
	if fs.torn != nil {
		f.Add(fmt.Errorf("%w: %w", ErrPartial, fs.torn))
	}
	for t := range p.Threads {
		if got, want := fs.threads[t].Len(), rounds*p.Reads(gen.ThreadID(t)); got != want {
			f.Addf("thread %d: %d values: want %d", t, got, want)
		}
	}
	if got := fs.final.Len(); fs.final != nil && got != len(p.Locations) {
		f.Addf("final values: %d values of %d locations", got, len(p.Locations))
	}
	if err := f.Err(); err != nil {
		return nil, fmt.Errorf("read native log: %w", err)
	}
	return &Logged{Reads: fs.threads, Final: fs.final}, nil
}
