package evaluate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/parse/formats"
)

// NewConvert makes the convert command.
func NewConvert(e *command.Env) *cobra.Command {
	c := convert{Env: e, input: Input{Env: e, Format: "auto"}}
	cmd := &cobra.Command{
		Use:   "convert --to FORMAT [FILE|-]",
		Short: "Turn executions, programs and results into another format",
		Long: `Read a file in one format and write what it says in another. --list shows the
formats, and what of an execution each can express. The format of the file is
found out by its content unless --from names it; - or no FILE is standard input,
and a run directory is its log.

What is lost on the way is said on standard error. What a model may evaluate by is
not dropped unless --lossy says so: fences, atomicity of read-modify-writes
(which become a read and a write), final memory, the order of writes, and
dependencies, which timestamps become. Transactions and names are no matter of
models: they are lost where a format has no words for them. What cannot be
expressed at all, such as values too large, is refused.

Executions go between all formats of histories. A litmus test is the execution
that its condition asks for, if the condition tells what every read returns;
between litmus and program it is the program alone. A native log becomes events
if it tells when stores were committed; --to native writes program.txt and
log.bin into the directory that -o names. A malformed file is refused,
and so is what the other format cannot hold.`,
		Example: `  ordeal convert --to plume trace.axe -o history.txt
  ordeal convert --from oplog --to litmus run.log
  ordeal convert --to axe sb.litmus | ordeal check --model sc,tso -
  ordeal convert --list`,
		Args: command.Arguments(0, 1, "one FILE, or - for standard input"),
	}
	fs := cmd.Flags()
	fs.StringVar(&c.input.Format, "from", "auto", "format of the file, or auto")
	fs.StringVar(&c.to, "to", "", "format to write")
	fs.StringVarP(&c.output, "output", "o", "-", "output file, or directory of a native log; - is standard output")
	fs.BoolVar(&c.lossy, "lossy", false, "drop what the format cannot express, even if models may evaluate differently without it")
	fs.IntVar(&c.trace, "trace", 0, "convert only this execution of the file, counted from 1; 0 means all")
	fs.StringVar(&c.input.Program, "program", "", "the program of a native log")
	fs.BoolVar(&c.list, "list", false, "list the formats")
	cmd.RunE = command.Body(func(_ context.Context, args []string) error { return c.run(args) })
	return cmd
}

// convert is the convert command.
type convert struct {
	*command.Env
	input       Input
	to, output  string
	lossy, list bool
	trace       int
	target      formats.Format
	out         bytes.Buffer  // nothing is written before all is well
	native      *nativeWriter // with --to native, instead of out
}

func (c *convert) run(args []string) error {
	if c.list {
		if len(args) > 0 || c.to != "" {
			return command.Usage(errors.New("--list contradicts a FILE and --to: it only lists the formats"))
		}
		_, err := c.Stdout.Write([]byte(formats.Table()))
		return err
	}
	if err := c.prepare(); err != nil {
		return command.Usage(err)
	}
	path := "-"
	if len(args) > 0 {
		path = args[0]
	}
	in, name, size := c.Input(c.Stdin), "standard input", int64(0)
	if path != "-" {
		open := c.Open
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			path, open = filepath.Join(run.Resolve(path), run.LogFile), command.OpenRecord
		}
		f, info, err := open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		in, name, size = f, path, info.Size()
	}
	if err := c.convert(run.Within(run.AvailableMemory(), in, size), name); err != nil {
		return err
	}
	if c.native != nil {
		return c.native.save(c.output)
	}
	if c.output == "-" {
		_, err := c.Data.Write(c.out.Bytes())
		return err
	}
	return run.WriteOutput(c.output, c.out.Bytes(), run.Plain)
}

// prepare checks the flags.
func (c *convert) prepare() error {
	var faults []error
	known := formats.NamesOf(formats.Matching(nil))
	if c.input.Format != "auto" && !slices.Contains(known, c.input.Format) {
		faults = append(faults, fmt.Errorf("--from: unknown format %q%s", c.input.Format, messages.Hint(c.input.Format, append(known, "auto"))))
	}
	if !slices.Contains(known, c.to) {
		faults = append(faults, fmt.Errorf("--to %q: want %s", c.to, strings.Join(known, ", ")))
	}
	c.target, _ = formats.ByName(c.to)
	if c.to == "native" && c.output == "-" && !c.list {
		faults = append(faults, fmt.Errorf("--to native needs a directory: name it with -o"))
	}
	if c.trace < 0 {
		faults = append(faults, fmt.Errorf("--trace %d: want a number from 1, or 0 for all", c.trace))
	}
	return errors.Join(faults...)
}

// convert reads all and writes it to c.out.
func (c *convert) convert(in io.Reader, name string) error {
	from, in, err := c.input.detect(name, in)
	if err != nil {
		return err
	}
	toHistory := c.target.HoldsHistories() || c.to == "litmus" && from.HoldsHistories()
	switch {
	case toHistory && (from.HoldsHistories() || from.Name == "litmus"):
		return c.histories(from, in, name)
	case c.target.Holds == formats.Program && from.Holds == formats.Program:
		return c.program(from, in, name)
	case c.target.Holds == formats.Results && from.Holds == formats.Results:
		return c.results(in, name)
	case c.to == "events" && (from.Name == "native" || from.Name == "events"):
		return c.events(from, in, name)
	}
	return command.Usage(fmt.Errorf("convert %s: %s cannot become %s: %s", name, from.Name, c.to, reason(from, c.target)))
}

// reason says why there is no way from one format to another.
func reason(from, to formats.Format) string {
	switch {
	case from.Holds == formats.Program && to.Holds != formats.Program:
		return "a program is no execution: run it (ordeal run)"
	case from.Holds == formats.Sequence:
		return "events have no values"
	case from.Holds == formats.Results:
		return "final states are no executions"
	case to.Holds == formats.Sequence:
		return "only native logs tell when stores were committed"
	case to.Holds == formats.Results:
		return "an execution is no count of final states"
	}
	return "an execution is no program: convert it to litmus, whose condition tells what reads return"
}

// say prints a message about a place.
func (c *convert) say(place, format string, args ...any) {
	fmt.Fprintf(c.Stderr, "%s: %s\n", place, fmt.Sprintf(format, args...))
}

// testName is the name of a test made of a file.
func testName(file string) string {
	base := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || strings.ContainsRune("_+-.", r)) {
			return r
		}
		return '-'
	}, base)
	if strings.Trim(name, "-.") == "" {
		return "history"
	}
	return name
}
