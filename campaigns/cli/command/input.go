package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ordeal/campaigns/run"
)

// Open opens an input that the user names, as os.Open. A FIFO waits for its writer,
// as <(...) in a shell has one, and reading from it for what is written; both end
// when the command is to stop. In a record only a regular file is opened.
func (e *Env) Open(path string) (io.ReadCloser, fs.FileInfo, error) {
	if run.InRecord(path) {
		return OpenRecord(filepath.Join(run.Resolve(filepath.Dir(path)), filepath.Base(path)))
	}
	if _, err := os.Stat(path); err != nil {
		return nil, nil, err
	}
	f, err := Await(e, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, nil, err
	}
	// What was opened, which may be another file by now.
	info, err := f.Stat()
	if err != nil || info.Mode().IsRegular() {
		return f, info, err
	}
	return struct {
		io.Reader
		io.Closer
	}{e.Input(f), f}, info, nil
}

// OpenRecord opens a file of a record, which may be anybody's, as run.Open.
func OpenRecord(path string) (io.ReadCloser, fs.FileInfo, error) {
	f, err := run.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	return f, info, err
}

// Input reads from r, which may have nothing to read for long, until the command is
// to stop.
func (e *Env) Input(r io.Reader) io.Reader { return &input{env: e, r: r} }

type input struct {
	env  *Env
	r    io.Reader
	buf  []byte // that r reads into
	rest []byte // of it
	err  error  // that came with the rest
}

const inputBuffer = 1 << 16

func (in *input) Read(p []byte) (int, error) {
	if len(in.rest) == 0 && in.err == nil {
		if in.buf == nil {
			in.buf = make([]byte, inputBuffer)
		}
		n, err := Await(in.env, func() (int, error) { return in.r.Read(in.buf) })
		if in.err = err; errors.Is(err, context.Canceled) {
			return 0, err // r may still read into the buffer
		}
		in.rest = in.buf[:n]
	}
	n := copy(p, in.rest)
	if in.rest = in.rest[n:]; len(in.rest) > 0 {
		return n, nil
	}
	return n, in.err
}

// Await calls load, which reads what the user names and may wait for ever, and does
// not wait for its end when the command is to stop. Load goes on then, so that it
// writes to nothing that others use.
func Await[T any](e *Env, load func() (T, error)) (T, error) {
	type loaded struct {
		value T
		err   error
	}
	done := make(chan loaded, 1)
	go func() {
		value, err := load()
		done <- loaded{value, err}
	}()
	select {
	case l := <-done:
		return l.value, l.err
	case <-e.Stop:
		var none T
		return none, fmt.Errorf("read input: %w", context.Canceled)
	}
}
