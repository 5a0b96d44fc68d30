package formats

import (
	"errors"
	"fmt"
	"io"

	"ordeal/parse"
	"ordeal/parse/formats/axe"
	"ordeal/parse/formats/checktest"
	"ordeal/parse/formats/dbcop"
	"ordeal/parse/formats/litmus"
	"ordeal/parse/formats/oplog"
)

// ErrOne says that a second history was written in a format that holds one.
var ErrOne = errors.New("the format holds one history")

// Writer writes histories in a format.
type Writer struct {
	// Outcome is what a check-test says of all its executions.
	Outcome checktest.Outcome
	// Test is the name of a litmus test.
	Test string

	format  Format
	out     io.Writer
	several []*parse.History // of a check-test
	count   int
	_       struct{}
}

// NewWriter writes in a format that holds histories, or as a litmus test whose
// condition asks for the execution. The outcome is Permitted and the test is
// called "history" unless the writer's fields say otherwise.
func NewWriter(f Format, out io.Writer) (*Writer, error) {
	switch {
	case f.Name == "native":
		return nil, fmt.Errorf("format %s has two files: NewNative makes them", f.Name)
	case !f.Writes || !f.HoldsHistories() && f.Name != "litmus":
		return nil, fmt.Errorf("no history can be written in format %s", f.Name)
	}
	return &Writer{format: f, out: out, Outcome: checktest.Permitted, Test: "history"}, nil
}

// Write writes a history without what the format cannot express: Losses says
// what that is.
func (w *Writer) Write(h *parse.History) error {
	if w.count++; w.count > 1 && w.format.Holds != Histories {
		return fmt.Errorf("write %s: %w", w.format.Name, ErrOne)
	}
	h = w.format.Without(h)
	switch w.format.Name {
	case "plume":
		return oplog.Write(w.out, h, oplog.Plume)
	case "oplog":
		return oplog.Write(w.out, h, oplog.GEM5)
	case "dbcop":
		return dbcop.WriteText(w.out, h)
	case "dbcop-json":
		return dbcop.WriteJSON(w.out, h, dbcop.Tagged)
	case "dbcop-json-2019":
		return dbcop.WriteJSON(w.out, h, dbcop.Of2019)
	case "dbcop-json-compact":
		return dbcop.WriteJSON(w.out, h, dbcop.Compact)
	case "check-test":
		w.several = append(w.several, h)
		return nil
	case "litmus":
		return litmus.Write(w.out, w.Test, h)
	}
	return axe.WriteAll(w.out, h)
}

// Close writes what is left. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.format.Name == "check-test" {
		return checktest.Write(w.out, w.several, w.Outcome)
	}
	return nil
}
