package formats

import (
	"errors"
	"fmt"
	"io"

	"ordeal/parse"
	"ordeal/parse/formats/axe"
	"ordeal/parse/formats/litmus"
	"ordeal/parse/formats/porcupine"
	"ordeal/parse/objects"
)

// Trace is one execution of a file.
type Trace struct {
	Line    int            // of its first line, from 1
	History *parse.History // nil where Err is not, or Repeated
	// Objects is the history with the values as they are, of a format with times.
	// Repeated says why there is no History: a value does not name its writer.
	Objects  *objects.History
	Repeated error
	Err      error    // what is wrong with it: "name:line: …"
	Notes    []string // what of the file the history leaves out
	_        struct{}
}

// ErrEmpty says that there is nothing to check: a file without executions, or
// an execution without operations.
var ErrEmpty = errors.New("no operations: there is nothing to check")

// Read calls each for every execution of a file in a format that holds
// histories, or a litmus test whose condition determines one; at least once.
// The name stands in error messages. The error is about reading, or each's;
// what is wrong with the text or its encoding (see Decode), and that there is
// nothing in it, is in Trace.Err. Native logs need their program: parse.Native
// reads them.
func Read(f Format, in io.Reader, name string, each func(Trace) error) error {
	if f.read == nil {
		return fmt.Errorf("read %s: a file of format %s holds no histories", name, f.Name)
	}
	count := 0
	var failed error // of each
	err := f.read(in, name, func(t Trace) error {
		count++
		if t.Err == nil && t.empty() {
			t.History, t.Err = nil, fmt.Errorf("%s:%d: %w", name, t.Line, ErrEmpty)
		}
		failed = each(t)
		return failed
	})
	var encoding *EncodingError
	switch {
	case failed != nil:
		return failed
	case errors.As(err, &encoding):
		return each(Trace{Line: 1, Err: err})
	case err == nil && count == 0:
		return each(Trace{Line: 1, Err: fmt.Errorf("%s:1: %w", name, ErrEmpty)})
	}
	return err
}

// empty reports whether there is nothing to check.
func (t *Trace) empty() bool {
	return (t.History == nil || len(t.History.Ops) == 0) && (t.Objects == nil || len(t.Objects.Ops) == 0)
}

func readObjects(in io.Reader, name string, each func(Trace) error) error {
	source := &observed{in: in}
	r, err := porcupine.Read(source, name)
	if source.err != nil {
		return err
	}
	t := Trace{Line: 1, Err: err}
	if err == nil {
		t.History, t.Objects, t.Repeated, t.Notes = r.History, r.Objects, r.Repeated, r.Notes
	}
	return each(t)
}

func one(read func(io.Reader, string) (*parse.History, []string, error)) func(io.Reader, string, func(Trace) error) error {
	return func(in io.Reader, name string, each func(Trace) error) error {
		source := &observed{in: in}
		t := Trace{Line: 1}
		t.History, t.Notes, t.Err = read(source, name)
		if source.err != nil {
			return t.Err
		}
		return each(t)
	}
}

func whole(parseBytes func(data []byte, name string) (*parse.History, []string, error)) func(io.Reader, string) (*parse.History, []string, error) {
	return func(in io.Reader, name string) (*parse.History, []string, error) {
		data, err := io.ReadAll(in)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", name, err)
		}
		return parseBytes(data, name)
	}
}

// observed keeps the error of a reader, other than its end, apart from what is
// wrong with the text.
type observed struct {
	in  io.Reader
	err error
}

// Read reads from the reader.
func (o *observed) Read(p []byte) (int, error) {
	n, err := o.in.Read(p)
	if err != nil && err != io.EOF {
		o.err = err
	}
	return n, err
}

func readAxe(in io.Reader, name string, each func(Trace) error) error {
	traces := axe.NewReader(in, name)
	for {
		next, err := traces.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := each(Trace{Line: next.Line, History: next.History, Err: next.Err}); err != nil {
			return err
		}
	}
}

func readLitmus(data []byte, name string) (*parse.History, []string, error) {
	test, err := litmus.Parse(name, data)
	if err != nil {
		return nil, nil, err
	}
	h, err := test.History()
	return h, nil, err
}
