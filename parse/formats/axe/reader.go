package axe

import (
	"bytes"
	"io"

	"ordeal/parse"
	"ordeal/parse/formats/internal/gather"
)

// MaxLineBytes bounds a line of a trace.
const MaxLineBytes = gather.MaxLineBytes

// Reader reads the traces of a file one after the other.
type Reader struct {
	lines *gather.Lines
	name  string
	_     struct{}
}

// NewReader reads traces from in. The name stands in error messages.
func NewReader(in io.Reader, name string) *Reader {
	return &Reader{lines: gather.NewLines(in, name), name: name}
}

// Next returns the next trace, and io.EOF after the last one. A trace that is
// malformed, or whose values do not name their writers, has its faults in
// Trace.Err, and the traces after it can still be read; the error of Next is
// only about reading.
func (r *Reader) Next() (Trace, error) {
	t := Trace{Name: r.name}
	var gathered trace
	for {
		line, atEnd, err := r.lines.Next()
		if err != nil {
			return Trace{}, err
		}
		if code := content(line); len(code) > 0 {
			if t.Line == 0 {
				t.Line = r.lines.Line
			}
			if string(code) == "check" {
				break
			}
			if len(line) >= MaxLineBytes {
				gathered.Fault(r.lines.Line, gather.ErrLineTooLong)
			} else if err := gathered.parse(code, r.lines.Line); err != nil {
				gathered.Fault(r.lines.Line, err)
			}
		}
		if atEnd {
			if t.Line == 0 {
				return Trace{}, io.EOF
			}
			break
		}
	}
	t.History, t.Err = gathered.finish(r.name, t.Line)
	return t, nil
}

// finish makes a history of what was gathered. The line is the trace's first.
func (t *trace) finish(name string, line int) (*parse.History, error) {
	t.transactions()
	return t.Finish(name, line)
}

// content is a line without comment and surrounding space.
func content(line []byte) []byte {
	if i := bytes.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	return bytes.TrimSpace(line)
}
