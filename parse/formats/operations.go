package formats

import (
	"errors"
	"fmt"
	"io"

	"ordeal/parse"
	"ordeal/parse/formats/axe"
	"ordeal/parse/formats/internal/trace"
	"ordeal/parse/formats/oplog"
)

// Operations reads the operations of a file one by one, without looking for the
// writers of what they read, and without keeping them.
type Operations struct {
	lines *trace.Lines
	name  string
	file  interface {
		// Parse reads a line that is not blank; the error is io.EOF for one
		// that ends the operations, and trace.ErrLeftOut for one without any.
		Parse(code []byte) (thread int32, op parse.Op, err error)
		Threads() []string
		Locations() []string
	}
}

// Streams are the names of the formats whose operations can be read one by one.
func Streams() []string { return []string{"axe", "plume", "oplog"} }

// NewOperations reads from in, decoded (see Decode); name stands in error
// messages. The format is one of Streams.
func NewOperations(f Format, in io.Reader, name string) (*Operations, error) {
	o := &Operations{lines: trace.NewLines(in, name), name: name}
	switch f.Name {
	case "axe":
		o.file = new(axe.Operations)
	case "oplog":
		o.file = oplog.NewOperations(oplog.GEM5)
	case "plume":
		o.file = oplog.NewOperations(oplog.Plume)
	default:
		return nil, fmt.Errorf("%s: the operations of a file of format %s cannot be read as it grows", name, f.Name)
	}
	return o, nil
}

// Next is the next operation, of a thread with a number from 0, and its line. The
// error is io.EOF at the end, and names the line if it is about the text.
func (o *Operations) Next() (thread int32, op parse.Op, line int, err error) {
	for {
		code, err := o.lines.Next()
		if errors.Is(err, trace.ErrLineTooLong) {
			err = fmt.Errorf("%s:%d: %w", o.name, o.lines.Line, err)
		}
		if err != nil {
			return 0, parse.Op{}, 0, err
		}
		if len(code) == 0 || trace.IsComment(code) {
			continue
		}
		thread, op, err = o.file.Parse(code)
		if err == trace.ErrLeftOut {
			continue
		}
		if err != nil && err != io.EOF {
			err = fmt.Errorf("%s:%d: %w", o.name, o.lines.Line, err)
		}
		return thread, op, o.lines.Line, err
	}
}

// Threads and Locations are their names, by number.
func (o *Operations) Threads() []string   { return o.file.Threads() }
func (o *Operations) Locations() []string { return o.file.Locations() }
