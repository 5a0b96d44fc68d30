package evaluate

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/litmus"
	"ordeal/campaigns/run"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
	"ordeal/parse/formats"
	"ordeal/parse/formats/dbcop"
	"ordeal/parse/formats/events"
	format "ordeal/parse/formats/litmus"
	"ordeal/parse/objects"
)

// Trace is one history to evaluate, or what is wrong with it.
type Trace struct {
	Place   string // where it is: path, or path:line
	Many    bool   // its path may hold more than one
	History *parse.History
	Err     error
	Notes   []string // what of the file the history leaves out
	// Objects are those of formats.Trace; Err says then why there is no History.
	Objects *objects.History
	// Test is one whose condition asks for no single execution; Err says why.
	Test   *litmus.Test
	Models []model.Model // to evaluate by unless the command line says
	// Steps makes the execution that a native log tells; Sequence is what was
	// imported: for --serializability.
	Steps    func() (*events.Sequence, error)
	Sequence *events.Sequence
}

// Input finds the traces that paths of the check command name.
type Input struct {
	*command.Env
	Format  string // by name, or auto
	Program string // file of the program of a native log
	// results reads a log of final states; nil: they are no input.
	results func(name string, r io.Reader) error
	// Memory is how many bytes what is read may take; 0 means no limit.
	Memory int64
}

// declare adds the flags of the input.
func (in *Input) declare(fs *pflag.FlagSet) {
	fs.StringVar(&in.Format, "format", "auto", "format of the input: "+strings.Join(ExecutionForms(), ", ")+", or auto")
	fs.StringVar(&in.Program, "program", "", "the program of a native log")
}

// faults checks these flags.
func (in *Input) faults() error {
	var faults []error
	if f := in.Format; in.Program != "" && f != "auto" && f != "native" {
		faults = append(faults, fmt.Errorf("--program contradicts --format %s: traces need no program", f))
	}
	if f, forms := in.Format, ExecutionForms(); f != "auto" && !slices.Contains(forms, f) {
		faults = append(faults, fmt.Errorf("--format: unknown format %q%s", f, messages.Hint(f, append(forms, "auto"))))
	}
	return errors.Join(faults...)
}

// DefaultModels are those that traces are checked by which name none.
var DefaultModels = []model.Model{model.TSO}

// Each calls evaluate for every trace of a path. Its error is about reading, or
// evaluate's.
func (in *Input) Each(path string, evaluate func(*Trace) error) error {
	if path == "-" {
		return in.file("standard input", run.Within(in.Memory, in.Input(in.Stdin), 0), evaluate)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return in.dir(path, evaluate)
	}
	f, info, err := in.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return in.file(path, run.Within(in.Memory, f, info.Size()), evaluate)
}

// dir evaluates a run directory, or all of them in a campaign directory.
func (in *Input) dir(path string, evaluate func(*Trace) error) error {
	path = run.Resolve(path)
	if run.Exists(filepath.Join(path, run.SpecFile)) {
		return evaluate(in.runDir(run.Dir(path)).nonempty())
	}
	entries, err := run.ReadDir(path)
	if err != nil {
		return err
	}
	var runs []run.Dir
	for _, e := range entries {
		if sub := run.Dir(path).Sub(e.Name()); run.Exists(sub.Path(run.SpecFile)) {
			runs = append(runs, sub)
		}
	}
	if logs, _ := filepath.Glob(filepath.Join(path, "*.log")); len(runs) == 0 && len(logs) > 0 {
		return in.logs(path, logs, evaluate)
	}
	if len(runs) == 0 {
		return command.Undecided(fmt.Errorf("%s is no run directory: it holds no %s, nor does a directory in it", path, run.SpecFile))
	}
	for _, dir := range runs {
		t := in.runDir(dir)
		t.Many = true
		if err := evaluate(t.nonempty()); err != nil {
			return err
		}
	}
	return nil
}

// logs evaluates a directory of Cobra's logs, one of each client.
func (in *Input) logs(path string, logs []string, evaluate func(*Trace) error) error {
	var files []io.Reader
	for _, log := range logs {
		f, _, err := in.Open(log)
		if err != nil {
			return err
		}
		defer f.Close()
		files = append(files, formats.Decode(f))
	}
	return in.file(path, run.Within(in.Memory, dbcop.JoinCobra(files...), 0), evaluate)
}

// nonempty says of a trace without operations or events that it is empty.
func (t *Trace) nonempty() *Trace {
	if t.Err == nil && (t.History != nil && len(t.History.Ops) == 0 || t.Sequence != nil && len(t.Sequence.Events) == 0) {
		t.Err = fmt.Errorf("%s: %w", t.Place, formats.ErrEmpty)
	}
	return t
}

// decoded reads a file in one of the formats.
func (in *Input) decoded(path string, open func(string) (io.ReadCloser, fs.FileInfo, error)) ([]byte, error) {
	f, info, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(formats.Decode(run.Within(in.Memory, f, info.Size())))
}

// runDir reads a run directory.
func (in *Input) runDir(dir run.Dir) *Trace {
	t := &Trace{Place: string(dir), Models: DefaultModels}
	record, err := dir.Spec()
	if err != nil {
		t.Err = err
		return t
	}
	models, err := record.Config.Models()
	if err != nil {
		t.Err = err
		return t
	}
	t.Models = models
	p, err := dir.Program(record)
	if err != nil {
		t.Err = err
		return t
	}
	log, err := dir.Log()
	if err != nil {
		t.Err = err
		return t
	}
	t.History, t.Err = parse.Native(p, record.Config.Rounds, log)
	t.Steps = func() (*events.Sequence, error) { return parse.Execution(p, record.Config.Rounds, log) }
	return t
}

// file evaluates the traces of a file.
func (in *Input) file(name string, r io.Reader, evaluate func(*Trace) error) error {
	f, r, err := in.detect(name, r)
	if err == nil {
		err = in.read(f, r, name, evaluate)
	}
	if unrecognized := (*formats.UnrecognizedError)(nil); errors.As(err, &unrecognized) {
		return evaluate(&Trace{Place: name, Err: fmt.Errorf("%s:1: %w", name, unrecognized), Models: DefaultModels})
	}
	if memory := (*run.ReadingError)(nil); errors.As(err, &memory) {
		return evaluate(&Trace{Place: name, Err: memory, Models: DefaultModels})
	}
	return err
}

// detect is the format of a file, and its content decoded.
func (in *Input) detect(name string, r io.Reader) (formats.Format, io.Reader, error) {
	r = formats.Decode(r)
	if f, ok := formats.ByName(in.Format); ok {
		return f, r, nil
	}
	buffered := bufio.NewReaderSize(r, formats.HeadBytes)
	head, err := buffered.Peek(formats.HeadBytes)
	if err != nil && !errors.Is(err, io.EOF) && !command.IsMalformed(err) { // what precedes a malformed part is read
		return formats.Format{}, nil, fmt.Errorf("read %s: %w", name, err)
	}
	if in.Program != "" { // only native logs need one
		f, _ := formats.ByName("native")
		return f, buffered, nil
	}
	f, err := formats.Detect(head, err != nil)
	if err != nil {
		return f, nil, command.Usage(fmt.Errorf("%s: %w", name, err))
	}
	return f, buffered, nil
}

// read calls evaluate for the traces of a file of a format.
func (in *Input) read(f formats.Format, r io.Reader, name string, evaluate func(*Trace) error) error {
	t := &Trace{Place: name, Models: DefaultModels}
	switch f.Name {
	case "native", "events":
		data, err := io.ReadAll(r)
		switch {
		case command.IsMalformed(err):
			t.Err = fmt.Errorf("read %s: %w", name, err)
		case err != nil:
			return fmt.Errorf("read %s: %w", name, err)
		case f.Name == "events":
			t.Sequence, t.Err = events.Parse(name, data)
		default:
			if t, err = in.native(name, data); err != nil {
				return err
			}
		}
		return evaluate(t.nonempty())
	case "litmus7-log", "herd7-log":
		if in.results != nil {
			return in.results(name, r)
		}
		return command.Usage(fmt.Errorf("%s is in format %s, which holds no executions", name, f.Name))
	case "litmus":
		t.Place = name + ":1"
		data, err := io.ReadAll(r)
		if t.Err = err; command.IsMalformed(err) {
			return evaluate(t)
		} else if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		test, err := format.Parse(name, data)
		if t.Err = err; err != nil {
			return evaluate(t)
		}
		own := litmus.DefaultModels(test.Program.ISA)
		if t.Models, err = config.ParseModels(own[len(own)-1]); err != nil {
			return err
		}
		if t.History, t.Err = test.History(); t.Err != nil {
			t.Test = &litmus.Test{Test: test, File: name}
		}
		return evaluate(t.nonempty())
	case "program":
		return command.Usage(fmt.Errorf("%s is in format %s, which holds no executions", name, f.Name))
	}
	return formats.Read(f, r, name, func(next formats.Trace) error {
		models := DefaultModels
		if f.Express.Times {
			models = []model.Model{model.Linearizable}
		}
		return evaluate(&Trace{
			Place: fmt.Sprintf("%s:%d", name, next.Line), History: next.History, Err: cmp.Or(next.Err, next.Repeated), Notes: next.Notes, Models: models,
			Objects: next.Objects,
		})
	})
}

// native parses a native log; the rounds stand in its first header.
func (in *Input) native(name string, data []byte) (*Trace, error) {
	program, open := in.Program, in.Open
	if program == "" { // of a run directory, which may come from others
		program, open = filepath.Join(run.Resolve(filepath.Dir(name)), run.ProgramFile), command.OpenRecord
	}
	text, err := in.decoded(program, open)
	if errors.Is(err, fs.ErrNotExist) && in.Program == "" {
		return nil, command.Usage(fmt.Errorf("%s is a native log and there is no %s beside it: name its program with --program", name, run.ProgramFile))
	}
	t := &Trace{Place: name, Models: DefaultModels}
	if command.IsMalformed(err) {
		t.Err = fmt.Errorf("read %s: %w", program, err)
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := gen.Parse(program, text)
	if err != nil {
		t.Err = err
		return t, nil
	}
	frame, err := wire.Next(data)
	if err != nil && !errors.Is(err, wire.ErrTornPayload) {
		t.Err = fmt.Errorf("%s: no whole frame header", name)
		return t, nil
	}
	rounds := frame.Rounds
	if rounds < 1 || rounds > uint64(p.MaxRounds()) {
		t.Err = fmt.Errorf("%s: frame header names %d rounds, the program has at most %d", name, rounds, p.MaxRounds())
		return t, nil
	}
	t.History, t.Err = parse.Native(p, int(rounds), data)
	t.Steps = func() (*events.Sequence, error) { return parse.Execution(p, int(rounds), data) }
	return t, nil
}
