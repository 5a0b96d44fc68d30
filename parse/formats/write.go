package formats

import (
	"errors"
	"fmt"
	"io"

	"ordeal/parse"
	"ordeal/parse/formats/litmus"
)

// ErrOne says that a second history was written in a format that holds one.
var ErrOne = errors.New("the format holds one history")

// Writer writes histories in a format.
type Writer struct {
	// Test is the name of a litmus test.
	Test string

	format Format
	out    io.Writer
	count  int
	_      struct{}
}

// NewWriter writes in a format that holds histories, or as a litmus test whose
// condition asks for the execution. The test is called
// "history" unless the writer's field says otherwise.
func NewWriter(f Format, out io.Writer) (*Writer, error) {
	if f.write == nil {
		return nil, fmt.Errorf("no history can be written in a file of format %s", f.Name)
	}
	return &Writer{format: f, out: out, Test: "history"}, nil
}

// Write writes a history without what the format cannot express: Losses says
// what that is.
func (w *Writer) Write(h *parse.History) error {
	if w.count++; w.count > 1 && w.format.Holds != Histories {
		return fmt.Errorf("write %s: %w", w.format.Name, ErrOne)
	}
	return w.format.write(w, w.format.Without(h))
}

// to writes with a function that needs nothing of the Writer but its output.
func to(write func(io.Writer, *parse.History) error) func(*Writer, *parse.History) error {
	return func(w *Writer, h *parse.History) error { return write(w.out, h) }
}

func (w *Writer) litmus(h *parse.History) error { return litmus.Write(w.out, w.Test, h) }
