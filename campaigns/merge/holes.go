package merge

import (
	"bytes"
	"context"
	"errors"
	"hash"
	"io"
	"os"

	"ordeal/sim/osfile"
)

// small is up to which size a file is written whole, without looking for holes.
const small = 1 << 20

// holes writes a file and leaves out its blocks of zeros, which then take no place.
type holes struct {
	f   *os.File
	end int64
}

var zeros [holeSize]byte

// holeSize is the length of what is left out at once: a block of most file systems.
const holeSize = 4096

func (h *holes) Write(p []byte) (int, error) {
	for n := 0; n < len(p); {
		part := p[n:min(len(p), n+holeSize)]
		if !bytes.Equal(part, zeros[:len(part)]) {
			if _, err := h.f.WriteAt(part, h.end); err != nil {
				return n, err
			}
		}
		n += len(part)
		h.end += int64(len(part))
	}
	return len(p), nil
}

// interruptible is a reader, from a function that reads.
type interruptible func(p []byte) (int, error)

func (read interruptible) Read(p []byte) (int, error) { return read(p) }

// until is a reader until a context is done: a file of zeros may be long.
func until(ctx context.Context, in io.Reader) io.Reader {
	return interruptible(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return in.Read(p)
	})
}

// write writes what a reader of an archive has, of the given size, to a new file.
func write(ctx context.Context, out *os.File, in io.Reader, size int64) error {
	if size <= small {
		_, err := io.Copy(out, in)
		return err
	}
	h := &holes{f: out}
	if _, err := io.Copy(h, until(ctx, in)); err != nil {
		return err
	}
	return out.Truncate(h.end)
}

// errChanged is for a file that became shorter while it was read.
var errChanged = errors.New("it changed during the merge")

// writeFile writes what a file of the given size has to a new file. Holes take no
// place in it and are not read: one of terabytes takes no time. What is not nil of
// sum gets every byte.
func writeFile(ctx context.Context, out, in *os.File, size int64, sum hash.Hash) error {
	all := func(w io.Writer) io.Writer {
		if sum == nil {
			return w
		}
		return io.MultiWriter(w, sum)
	}
	if size <= small {
		_, err := io.Copy(all(out), in)
		return err
	}
	w := &holes{f: out}
	for w.end < size {
		begin, end, err := osfile.NextData(in, w.end)
		if err == io.EOF {
			begin, end = size, size
		} else if err != nil {
			return err
		}
		begin, end = min(begin, size), min(end, size)
		if sum != nil {
			if _, err := io.CopyN(sum, until(ctx, interruptible(zero)), begin-w.end); err != nil {
				return err
			}
		}
		w.end = begin
		if n, err := io.Copy(all(w), until(ctx, io.NewSectionReader(in, begin, end-begin))); err != nil {
			return err
		} else if n < end-begin {
			return errChanged
		}
	}
	return out.Truncate(size)
}

// zero reads zeros without end.
func zero(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
