package axe

import (
	"bytes"
	"io"

	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// Operations reads the lines of a trace one by one, without keeping them. The
// relations that a trace may have besides its operations are errors.
type Operations struct{ b builder }

// Parse reads a line that is not blank. Timestamps are not kept. The error is
// io.EOF for the line that ends a trace.
func (o *Operations) Parse(code []byte) (thread int32, op parse.Op, err error) {
	if comment := bytes.IndexByte(code, '#'); comment >= 0 {
		code = bytes.TrimSpace(code[:comment])
	}
	if string(code) == "check" {
		return 0, op, io.EOF
	}
	s := trace.Scanner{Text: code}
	name := s.Name("a thread")
	s.Want(":")
	op = o.b.operation(&s)
	op.Attr |= parse.Attr(names(&s, accessAttrs))
	stamp(&s)
	if s.End(); s.Err != nil {
		return 0, op, s.Err
	}
	return o.b.Threads.Index(name), op, nil
}

// Threads and Locations are their names, by number.
func (o *Operations) Threads() []string   { return o.b.Threads.List }
func (o *Operations) Locations() []string { return o.b.Locations.List }
