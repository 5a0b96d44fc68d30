package elf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"ordeal/gen"
	"ordeal/gen/wire"
)

// LogFromMemory builds the log of an unfinished run of Emit(p, opts), with LogMemory, from the
// memory of its process: a frame of kind Thread for each thread with the rounds
// that it has completed. The offsets of memory are virtual addresses, as in
// Linux's /proc/PID/mem. The process need not be stopped.
func LogFromMemory(p *gen.Program, opts Options, memory io.ReaderAt) ([]byte, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	m, err := newMemory([]*gen.Program{p}, opts.Rounds, LogMemory)
	if err != nil {
		return nil, fmt.Errorf("read log from memory: %w", err)
	}
	frames := wire.NewWriter(p, opts.Rounds)
	var log []byte
	for t := range p.Threads {
		word := make([]byte, gen.WordBytes)
		if _, err := memory.ReadAt(word, m.control(t)+ctlRounds); err != nil {
			return nil, fmt.Errorf("read log from memory: control line of thread %d: %w", t, err)
		}
		rounds := binary.LittleEndian.Uint64(word)
		if rounds > uint64(opts.Rounds) {
			return nil, fmt.Errorf("read log from memory: thread %d completed %d rounds of %d", t, rounds, opts.Rounds)
		}
		payload := make([]byte, int64(rounds)*int64(p.Reads(gen.ThreadID(t)))*gen.WordBytes)
		n, err := memory.ReadAt(payload, m.areas[0].frames[t]+wire.HeaderBytes)
		if err != nil && !(errors.Is(err, io.EOF) && n == len(payload)) {
			return nil, fmt.Errorf("read log from memory: values of thread %d: %w", t, err)
		}
		log = frames.Append(log, wire.Thread, uint32(t), payload)
	}
	return log, nil
}
