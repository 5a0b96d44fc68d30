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

// Trace is one execution of a file.
type Trace struct {
	Line    int            // of its first line, from 1
	History *parse.History // nil where Err is not
	Err     error          // what is wrong with it: "name:line: …"
	Notes   []string       // what of the file the history leaves out
	_       struct{}
}

// Read calls each for every execution of a file in a format that holds
// histories, or a litmus test whose condition tells one. The name stands in
// error messages. The error is about reading, or each's; what is wrong with
// the text is in Trace.Err. Native logs need their program: parse.Native reads
// them.
func Read(f Format, in io.Reader, name string, each func(Trace) error) error {
	var whole []byte
	if f.Name == "check-test" || f.Name == "litmus" || f.isJSON() {
		var err error
		if whole, err = io.ReadAll(in); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
	t := Trace{Line: 1}
	var reading error
	in = &observed{in: in, err: &reading}
	switch {
	case f.Name == "axe":
		return readAxe(in, name, each)
	case f.Name == "check-test":
		return readCheckTest(whole, name, each)
	case f.Name == "plume":
		t.History, t.Notes, t.Err = oplog.Read(in, name, oplog.Plume)
	case f.Name == "oplog":
		t.History, t.Notes, t.Err = oplog.Read(in, name, oplog.GEM5)
	case f.Name == "dbcop":
		t.History, t.Notes, t.Err = dbcop.ReadText(in, name)
	case f.isJSON():
		t.History, t.Notes, t.Err = dbcop.ReadJSON(whole, name)
	case f.Name == "litmus":
		test, err := litmus.Parse(name, whole)
		if err == nil {
			t.History, err = test.History()
		}
		t.Err = err
	default:
		return fmt.Errorf("read %s: a file of format %s holds no histories", name, f.Name)
	}
	if reading != nil {
		return t.Err
	}
	return each(t)
}

func (f *Format) isJSON() bool {
	return f.Name == "dbcop-json" || f.Name == "dbcop-json-2019" || f.Name == "dbcop-json-compact"
}

// observed notes the error of a reader, other than its end, so that it can be
// told from what is wrong with the text.
type observed struct {
	in  io.Reader
	err *error
}

// Read reads from the reader.
func (o *observed) Read(p []byte) (int, error) {
	n, err := o.in.Read(p)
	if err != nil && err != io.EOF {
		*o.err = err
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

func readCheckTest(data []byte, name string, each func(Trace) error) error {
	test, err := checktest.Parse(name, data)
	if err != nil {
		return each(Trace{Line: 1, Err: err})
	}
	for _, a := range test.Alternatives {
		notes := append(a.Notes, fmt.Sprintf("the outcome %s", test.Outcome))
		if err := each(Trace{Line: a.Line, History: a.History, Err: a.Err, Notes: notes}); err != nil {
			return err
		}
	}
	return nil
}
