package elf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"ordeal/gen"
	"ordeal/gen/wire"
)

// Salvage builds the log of a run that has not come to its end from the
// memory of its process, which runs Emit(p, opts): a frame of kind Thread for
// each thread with the rounds that it has completed, as the executable would have
// written it when giving up. The offsets of memory are virtual addresses, as
// in Linux's /proc/PID/mem. The process need not be stopped.
func Salvage(p *gen.Program, opts Options, memory io.ReaderAt) ([]byte, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	m, err := newMemory([]*gen.Program{p}, opts.Rounds)
	if err != nil {
		return nil, fmt.Errorf("salvage log: %w", err)
	}
	frames := wire.NewWriter(p, opts.Rounds)
	var log []byte
	for t := range p.Threads {
		word := make([]byte, gen.WordBytes)
		if _, err := memory.ReadAt(word, m.control(t)+ctlRounds); err != nil {
			return nil, fmt.Errorf("salvage log: control line of thread %d: %w", t, err)
		}
		rounds := binary.LittleEndian.Uint64(word)
		if rounds > uint64(opts.Rounds) {
			return nil, fmt.Errorf("salvage log: thread %d completed %d rounds of %d", t, rounds, opts.Rounds)
		}
		payload := make([]byte, int64(rounds)*int64(p.Reads(gen.ThreadID(t)))*gen.WordBytes)
		n, err := memory.ReadAt(payload, m.areas[0].frames[t]+wire.HeaderBytes)
		if err != nil && !(errors.Is(err, io.EOF) && n == len(payload)) {
			return nil, fmt.Errorf("salvage log: values of thread %d: %w", t, err)
		}
		log = frames.Append(log, wire.Thread, uint32(t), payload)
	}
	return log, nil
}
