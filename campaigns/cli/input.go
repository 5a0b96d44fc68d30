package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
	"ordeal/parse/formats"
	"ordeal/parse/formats/events"
)

// trace is one history to evaluate, or what is wrong with it.
type trace struct {
	place   string // where it is: path, or path:line
	many    bool   // its path may hold more than one
	history *parse.History
	err     error
	notes   []string      // what of the file the history leaves out
	models  []model.Model // to evaluate by unless the command line says
	// steps makes the execution that a native log tells; sequence is what was
	// imported: for --serializability.
	steps    func() (*events.Sequence, error)
	sequence *events.Sequence
}

// input finds the traces that paths of the check command name.
type input struct {
	*env
	format, program string
}

// declare adds the flags of the input.
func (in *input) declare(fs *pflag.FlagSet) {
	fs.StringVar(&in.format, "format", "auto", "format of the input: "+strings.Join(executionForms(), ", ")+", or auto")
	fs.StringVar(&in.program, "program", "", "the program of a native log")
}

// faults checks these flags.
func (in *input) faults() error {
	var faults []error
	if f := in.format; in.program != "" && f != "auto" && f != "native" {
		faults = append(faults, fmt.Errorf("--program contradicts --format %s: traces need no program", f))
	}
	if f, forms := in.format, executionForms(); f != "auto" && !slices.Contains(forms, f) {
		faults = append(faults, fmt.Errorf("--format %q: want auto, %s", f, strings.Join(forms, ", ")))
	}
	return errors.Join(faults...)
}

var defaultModels = []model.Model{model.TSO}

// each calls evaluate for every trace of a path. Its error is about reading, or
// evaluate's.
func (in *input) each(path string, evaluate func(*trace) error) error {
	if path == "-" {
		return in.file("standard input", in.stdin, evaluate)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return in.dir(path, evaluate)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return in.file(path, f, evaluate)
}

// dir evaluates a run directory, or all of them in a campaign directory.
func (in *input) dir(path string, evaluate func(*trace) error) error {
	path = rundir.Resolve(path)
	if rundir.Exists(filepath.Join(path, rundir.SpecFile)) {
		return evaluate(in.runDir(rundir.Dir(path)).nonempty())
	}
	entries, err := rundir.ReadDir(path)
	if err != nil {
		return err
	}
	var runs []rundir.Dir
	for _, e := range entries {
		if run := rundir.Dir(path).Sub(e.Name()); rundir.Exists(run.Path(rundir.SpecFile)) {
			runs = append(runs, run)
		}
	}
	if len(runs) == 0 {
		return &statusError{summary.ExitUndecided, fmt.Errorf("%s is no run directory: it holds no %s, nor does a directory in it", path, rundir.SpecFile)}
	}
	for _, run := range runs {
		t := in.runDir(run)
		t.many = true
		if err := evaluate(t.nonempty()); err != nil {
			return err
		}
	}
	return nil
}

// nonempty says of a trace without operations or events that it is empty.
func (t *trace) nonempty() *trace {
	if t.err == nil && (t.history != nil && len(t.history.Ops) == 0 || t.sequence != nil && len(t.sequence.Events) == 0) {
		t.err = fmt.Errorf("%s: %w", t.place, formats.ErrEmpty)
	}
	return t
}

// isMalformed reports whether an error of reading is about the content.
func isMalformed(err error) bool {
	var encoding *formats.EncodingError
	return errors.As(err, &encoding)
}

// readDecoded reads a file in one of the formats.
func readDecoded(path string, open func(string) (*os.File, error)) ([]byte, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(formats.Decode(f))
}

// runDir reads a run directory.
func (in *input) runDir(dir rundir.Dir) *trace {
	t := &trace{place: string(dir), models: defaultModels}
	record, err := dir.Spec()
	if err != nil {
		t.err = err
		return t
	}
	if t.models, t.err = record.Config.Models(); t.err != nil {
		return t
	}
	p, err := dir.Program(record)
	if err != nil {
		t.err = err
		return t
	}
	log, err := dir.Log()
	if err != nil {
		t.err = err
		return t
	}
	t.history, t.err = parse.Native(p, record.Config.Rounds, log)
	t.steps = func() (*events.Sequence, error) { return parse.Execution(p, record.Config.Rounds, log) }
	return t
}

// file evaluates the traces of a file.
func (in *input) file(name string, r io.Reader, evaluate func(*trace) error) error {
	f, r, err := in.detect(name, r)
	if err != nil {
		return err
	}
	return in.read(f, r, name, evaluate)
}

// detect is the format of a file, and its content decoded.
func (in *input) detect(name string, r io.Reader) (formats.Format, io.Reader, error) {
	r = formats.Decode(r)
	if f, ok := formats.ByName(in.format); ok {
		return f, r, nil
	}
	buffered := bufio.NewReaderSize(r, formats.HeadBytes)
	head, err := buffered.Peek(formats.HeadBytes)
	if err != nil && !errors.Is(err, io.EOF) && !isMalformed(err) { // what precedes a malformed part is read
		return formats.Format{}, nil, fmt.Errorf("read %s: %w", name, err)
	}
	if in.program != "" { // only native logs need one
		f, _ := formats.ByName("native")
		return f, buffered, nil
	}
	f, err := formats.Detect(head, err != nil)
	if err != nil {
		return f, nil, usage(fmt.Errorf("%s: %w", name, err))
	}
	return f, buffered, nil
}

// read calls evaluate for the traces of a file of a format.
func (in *input) read(f formats.Format, r io.Reader, name string, evaluate func(*trace) error) error {
	t := &trace{place: name, models: defaultModels}
	switch f.Name {
	case "native", "events":
		data, err := io.ReadAll(r)
		switch {
		case isMalformed(err):
			t.err = fmt.Errorf("read %s: %w", name, err)
		case err != nil:
			return fmt.Errorf("read %s: %w", name, err)
		case f.Name == "events":
			t.sequence, t.err = events.Parse(name, data)
		default:
			if t, err = in.native(name, data); err != nil {
				return err
			}
		}
		return evaluate(t.nonempty())
	case "program", "litmus7-log", "herd7-log":
		return usage(fmt.Errorf("%s is in format %s, which holds no executions", name, f.Name))
	}
	return formats.Read(f, r, name, func(next formats.Trace) error {
		models := defaultModels
		if f.Express.Times {
			models = []model.Model{model.Linearizable}
		}
		return evaluate(&trace{
			place: fmt.Sprintf("%s:%d", name, next.Line), history: next.History, err: next.Err, notes: next.Notes, models: models,
		})
	})
}

// native parses a native log; the rounds stand in its first header.
func (in *input) native(name string, data []byte) (*trace, error) {
	program, open := in.program, os.Open
	if program == "" { // of a run directory, which may come from others
		program, open = filepath.Join(rundir.Resolve(filepath.Dir(name)), rundir.ProgramFile), rundir.Open
	}
	text, err := readDecoded(program, open)
	if errors.Is(err, fs.ErrNotExist) && in.program == "" {
		return nil, usage(fmt.Errorf("%s is a native log and there is no %s beside it: name its program with --program", name, rundir.ProgramFile))
	}
	t := &trace{place: name, models: defaultModels}
	if isMalformed(err) {
		t.err = fmt.Errorf("read %s: %w", program, err)
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := gen.Parse(program, text)
	if err != nil {
		t.err = err
		return t, nil
	}
	frame, err := wire.Next(data)
	if err != nil && !errors.Is(err, wire.ErrTornPayload) {
		t.err = fmt.Errorf("%s: no whole frame header", name)
		return t, nil
	}
	rounds := frame.Rounds
	if rounds < 1 || rounds > uint64(p.MaxRounds()) {
		t.err = fmt.Errorf("%s: frame header names %d rounds, the program has at most %d", name, rounds, p.MaxRounds())
		return t, nil
	}
	t.history, t.err = parse.Native(p, int(rounds), data)
	t.steps = func() (*events.Sequence, error) { return parse.Execution(p, int(rounds), data) }
	return t, nil
}
