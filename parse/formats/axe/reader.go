package axe

import (
	"bytes"
	"errors"
	"io"

	"ordeal/parse/formats/internal/trace"
)

// Reader reads the traces of a file one after the other.
type Reader struct {
	lines *trace.Lines
	name  string
	_     struct{}
}

// NewReader reads traces from in. The name stands in error messages.
func NewReader(in io.Reader, name string) *Reader {
	return &Reader{lines: trace.NewLines(in, name), name: name}
}

// Next returns the next trace, and io.EOF after the last one. A trace that is
// malformed, or whose values do not name their writers, has its faults in
// Trace.Err, and the traces after it can still be read; the error of Next is
// only about reading.
func (r *Reader) Next() (Trace, error) {
	t := Trace{Name: r.name}
	var b builder
	for {
		line, err := r.lines.Next()
		if err == io.EOF && t.Line > 0 {
			break
		}
		tooLong := err != nil && errors.Is(err, trace.ErrLineTooLong)
		if err != nil && !tooLong {
			return Trace{}, err
		}
		if comment := bytes.IndexByte(line, '#'); comment >= 0 {
			line = bytes.TrimSpace(line[:comment])
		}
		if len(line) == 0 && !tooLong {
			continue
		}
		if t.Line == 0 {
			t.Line = r.lines.Line
		}
		if string(line) == "check" {
			break
		}
		if err == nil {
			err = b.parse(line, r.lines.Line)
		}
		if err != nil {
			b.Fault(r.lines.Line, err)
		}
	}
	b.transactions()
	t.History, t.Err = b.Finish(r.name, t.Line)
	return t, nil
}
