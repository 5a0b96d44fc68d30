package run

import (
	"fmt"
	"io"
	"runtime"
	"runtime/metrics"

	"github.com/dustin/go-humanize"

	"ordeal/check/search"
)

// Reading a history takes at its end readingPeak times what it took before: the
// operations of all threads are copied into one list, and the values that were
// written are indexed.
const readingPeak = 3

// ownHeap is what a process has in its heap before it reads.
const ownHeap = 4 << 20

// readingStep is how much text is read between two looks at the heap.
const readingStep = 1 << 20

// ReadingError is the error of a reader of Within: a file for whose contents
// there is not enough memory.
type ReadingError struct {
	Need  uint64 // estimated bytes
	Whole bool   // of the whole file, not only of what was read
	Limit int64
}

// Error begins as that of a check that would take too much.
func (e *ReadingError) Error() string {
	about := "more than"
	if e.Whole {
		about = "about"
	}
	return fmt.Sprintf("%v: %s %s needed to read it, %s allowed", search.ErrMemory, about, humanize.IBytes(e.Need), humanize.IBytes(uint64(e.Limit)))
}

// Within reads a file of the given size, 0 if that is not known, as long as its
// contents, with what else the process keeps, fit into limit bytes when they
// are a history. Else its error is a *ReadingError. A limit of 0 is none.
func Within(limit int64, in io.Reader, size int64) io.Reader {
	if limit <= 0 {
		return in
	}
	return &withinReader{in: in, size: size, limit: limit, inUse: heapInUse, collect: runtime.GC}
}

type withinReader struct {
	in                      io.Reader
	size, limit             int64
	read, looked, collected int64
	inUse                   func() uint64 // bytes of objects, dead ones too
	collect                 func()
}

// Read reads from the reader.
func (r *withinReader) Read(p []byte) (int, error) {
	if r.read-r.looked >= readingStep {
		r.looked = r.read
		if err := r.look(); err != nil {
			return 0, err
		}
	}
	n, err := r.in.Read(p)
	r.read += int64(n)
	return n, err
}

// look compares what the heap holds with the limit. Dead objects are collected
// before they count, but not again until a sixteenth more was read.
func (r *withinReader) look() error {
	most := uint64(r.limit/readingPeak + ownHeap)
	if r.inUse() <= most || r.read-r.collected < r.read/16 {
		return nil
	}
	r.collected = r.read
	r.collect()
	live := r.inUse()
	if live <= most {
		return nil
	}
	err := &ReadingError{Need: readingPeak * live, Limit: r.limit}
	if r.size > r.read {
		err.Whole = true
		err.Need = uint64(float64(err.Need) * float64(r.size) / float64(r.read))
	}
	return err
}

// heapInUse is what objects take in the heap, with those not collected yet.
func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
