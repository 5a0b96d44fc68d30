package axe

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLineBytes bounds a line of a trace.
const MaxLineBytes = 1 << 16

// Reader reads the traces of a file one after the other.
type Reader struct {
	in    *bufio.Reader
	name  string
	line  int // lines read so far
	trace trace
	_     struct{}
}

// NewReader reads traces from in. The name stands in error messages.
func NewReader(in io.Reader, name string) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, MaxLineBytes), name: name}
}

// Next returns the next trace, and io.EOF after the last one. A trace that is
// malformed, or whose values do not name their writers, has its faults in
// Trace.Err, and the traces after it can still be read; the error of Next is
// only about reading.
func (r *Reader) Next() (Trace, error) {
	r.trace.reset()
	t := Trace{Name: r.name}
	for {
		line, err := r.readLine()
		if err != nil && err != io.EOF {
			return Trace{}, fmt.Errorf("read %s:%d: %w", r.name, r.line, err)
		}
		atEnd := err == io.EOF
		if code := content(line); len(code) > 0 {
			if t.Line == 0 {
				t.Line = r.line
			}
			if string(code) == "check" {
				break
			}
			if len(line) >= MaxLineBytes {
				r.trace.fault(r.line, errLineTooLong)
			} else if err := r.trace.parse(code, r.line); err != nil {
				r.trace.fault(r.line, err)
			}
		}
		if atEnd {
			if t.Line == 0 {
				return Trace{}, io.EOF
			}
			break
		}
	}
	t.History, t.Err = r.trace.finish(r.name, t.Line)
	return t, nil
}

var errLineTooLong = errors.New("line is too long")

// readLine returns the next line, without its end unless it is too long, and
// io.EOF with the last one.
func (r *Reader) readLine() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if len(line) > 0 {
		r.line++
	}
	if err != bufio.ErrBufferFull {
		return line, err
	}
	for err == bufio.ErrBufferFull { // drop the rest; nothing of it is used
		_, err = r.in.ReadSlice('\n')
	}
	return line, err
}

// content is a line without comment and surrounding space.
func content(line []byte) []byte {
	if i := bytes.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	return bytes.TrimSpace(line)
}
