package gem5

import (
	"fmt"
	"os"
	"syscall"

	"ordeal/gen"
)

// traceFile is the pipe in OutputDir to which gem5 writes its trace, which
// would fill a disk.
const traceFile = "trace.pipe"

// orderReader reads the trace of a launch while it runs.
type orderReader struct {
	programs []*gen.Program
	rounds   int
	tracer   *tracer
	pipe     *os.File
	done     chan error
}

func (l *launch) readOrder() (*orderReader, error) {
	path := l.path(OutputDir, traceFile)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, fmt.Errorf("make pipe %s: %w", path, err)
	}
	// Opened for both, it does not wait for gem5, which may never open it.
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	programs := programsOf(l.jobs)
	r := &orderReader{
		programs: programs, rounds: l.jobs[0].Rounds, pipe: pipe,
		tracer: newTracer(programs, l.image.Bases), done: make(chan error, 1),
	}
	go func() { r.done <- r.tracer.read(pipe) }()
	return r, nil
}

// finish ends the reading when gem5 has ended, and returns the order of the
// stores of each program that came to its end; none for a nil reader.
func (r *orderReader) finish() ([]storeOrder, error) {
	if r == nil {
		return nil, nil
	}
	defer r.pipe.Close()
	if _, err := r.pipe.WriteString("\n" + endOfTrace); err != nil {
		return nil, err
	}
	if err := <-r.done; err != nil {
		return nil, err
	}
	var orders []storeOrder
	for k, order := range r.tracer.orders {
		if err := order.complete(r.programs[k], r.rounds); err != nil {
			if k == 0 {
				return nil, err
			}
			break // the launch ended here
		}
		orders = append(orders, order)
	}
	return orders, nil
}
