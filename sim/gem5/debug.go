package gem5

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/gen/wire"
	"ordeal/sim/osfile"
)

// traceFile is the pipe in OutputDir to which gem5 writes the lines of its debug
// flags, which would fill a disk.
const traceFile = "trace.pipe"

// debugReader reads the lines of gem5's debug flags while a launch runs: the
// values that its threads report, and the traces that give the order of
// stores.
type debugReader struct {
	sums   *sums          // nil with elf.LogMemory
	tracer *tracer        // nil without Options.StoreOrder
	events *protocolTrace // nil unless the launch is recorded
	stuck  *stuck         // nil unless the launch is repeated to find where cores are

	pipe *os.File
	done chan error
}

// readDebug begins to read the debug lines of the launch; nil if it has none.
func (l *launch) readDebug() (*debugReader, error) {
	r := &debugReader{done: make(chan error, 1)}
	programs := programsOf(l.jobs)
	if log := l.channel(); log != elf.LogMemory {
		r.sums = newSums(programs, l.jobs[0].Rounds)
		if log == elf.LogItems {
			r.sums.items = wire.ItemsOf(programs)
		}
	}
	if l.runner.options.StoreOrder {
		r.tracer = newTracer(programs, l.image.Bases)
	}
	if l.recording != nil {
		r.events = newProtocolTrace(programs[0], l.image, l.base(), l.recording.locations, l.recording.record)
	}
	if r.stuck = l.stuck; r.stuck != nil {
		r.stuck.image = l.image
	}
	if r.sums == nil && r.tracer == nil && r.events == nil && r.stuck == nil {
		return nil, nil
	}
	path := l.path(OutputDir, traceFile)
	if err := osfile.MakePipe(path); err != nil {
		return nil, fmt.Errorf("make pipe %s: %w", path, err)
	}
	// Opened for both, it does not wait for gem5, which may never open it.
	var err error
	if r.pipe, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return nil, err
	}
	go func() { r.done <- r.read(r.pipe) }()
	return r, nil
}

// finish ends the reading when gem5 has ended. The error is that of the tracer.
func (r *debugReader) finish() error {
	defer r.pipe.Close()
	if _, err := r.pipe.WriteString("\n" + endOfTrace); err != nil {
		return err
	}
	err := <-r.done
	if r.events != nil && err == nil {
		err = r.events.finish()
	}
	return err
}

// endOfTrace is the line that ends a trace, after an incomplete one of gem5.
const endOfTrace = "ORDEAL end of trace\n"

// read reads the trace to its end, even after an error, as gem5 would block on
// the pipe. It returns the first error but that of the last line, which may be
// incomplete; after it, the tracer gets no more lines.
func (r *debugReader) read(from io.Reader) error {
	const longest = 1 << 16
	lines := bufio.NewReaderSize(from, longest)
	var first, last error
	for {
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF), err == nil && string(line) == endOfTrace:
			return first
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return errors.Join(first, fmt.Errorf("read trace: %w", err))
		}
		if first == nil {
			first = last
		}
		if err == nil {
			err = r.line(line, first == nil)
		}
		if err != nil && first == nil {
			last = fmt.Errorf("read trace: %q: %w", bytes.TrimSpace(line[:min(len(line), 120)]), err)
		}
	}
}

// line takes a line; without tracing, only what the threads report.
func (r *debugReader) line(line []byte, tracing bool) error {
	if r.sums != nil {
		if taken, err := r.sums.line(line); taken {
			return err
		}
	}
	if r.stuck != nil {
		r.stuck.line(line)
	}
	if r.events != nil && tracing {
		if err := r.events.line(line); err != nil {
			return err
		}
	}
	if r.tracer != nil && tracing {
		return r.tracer.line(line)
	}
	return nil
}

// orders are the orders of the stores of each program that came to its end.
func (r *debugReader) orders(programs []*gen.Program, rounds int) ([]storeOrder, error) {
	if r.tracer == nil {
		return nil, nil
	}
	var orders []storeOrder
	for k, order := range r.tracer.orders {
		if err := order.complete(programs[k], rounds); err != nil {
			if k == 0 {
				return nil, err
			}
			break // the launch ended here
		}
		orders = append(orders, order)
	}
	return orders, nil
}
