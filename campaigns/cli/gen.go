package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/gen"
	"ordeal/gen/emit/csrc"
	"ordeal/gen/emit/elf"
	"ordeal/gen/emit/litmus"
)

func newGen(e *env) *cobra.Command {
	g := generate{env: e, programs: config.DefaultPrograms()}
	cmd := &cobra.Command{
		Use:   "gen",
		Short: "Generate a program from a seed, in any output form",
		Long: `Generate a random program. The same seed and flags give the same program,
byte for byte, on every machine. The forms are

  text     Ordeal's own, which run reads
  elf      a static x86-64 Linux executable that writes its log to standard
           output
  c        C11 with POSIX threads
  litmus   herd7 and litmus7`,
		Example: `  ordeal gen --seed 7 --threads 4 --ops 200 --locations 8 --emit elf -o a.elf
  ordeal gen --seed 7 | ordeal run -`,
		Args: command.Arguments(0, 0, "flags only"),
	}
	fs := cmd.Flags()
	fs.Uint64Var(&g.seed, "seed", 1, "seed of the program")
	fs.IntVar(&g.number, "number", 0, "number of the program among those of the seed")
	command.Declare(cmd, &g.programs)
	fs.StringVar(&g.emit, "emit", "text", "output form: text, elf, c or litmus")
	fs.StringVarP(&g.output, "output", "o", "-", "output file; - is standard output")
	command.Common(cmd, "seed", "threads", "ops", "rounds", "locations", "mix", "layout", "shapes", "isa", "emit", "output")
	cmd.RunE = command.Body(func(ctx context.Context, _ []string) error {
		if err := g.contradictions(fs.Changed); err != nil {
			return command.Usage(err)
		}
		return g.run()
	})
	return cmd
}

// generate is the gen command.
type generate struct {
	*env
	programs     config.Programs
	seed         uint64
	number       int
	emit, output string
}

// contradictions reports the flags that were given and mean nothing beside
// the others.
func (g *generate) contradictions(given func(flag string) bool) error {
	var faults []error
	if given("rounds") && (g.emit == "text" || g.emit == "litmus") {
		faults = append(faults, fmt.Errorf("--rounds contradicts --emit %s: this form has no rounds", g.emit))
	}
	if given("sync") && g.emit != "elf" {
		faults = append(faults, fmt.Errorf("--sync contradicts --emit %s: only elf has it", g.emit))
	}
	if given("max-delay") && g.programs.Delays == 0 {
		faults = append(faults, fmt.Errorf("--max-delay contradicts --delays 0"))
	}
	return errors.Join(faults...)
}

func (g *generate) run() error {
	if err := g.programs.Validate(); err != nil {
		return command.Usage(err)
	}
	p, err := g.programs.Program(g.seed, g.number)
	if err != nil {
		return command.Usage(err)
	}
	data, mode, err := g.form(p)
	if err != nil {
		return command.Usage(err)
	}
	if g.output == "-" {
		if g.emit == "elf" && g.OnTerminal() {
			return command.Usage(fmt.Errorf("--emit elf: an executable does not belong on a terminal: name a file with -o"))
		}
		_, err := g.Data.Write(data)
		return err
	}
	return run.WriteOutput(g.output, data, mode)
}

// form is the program in the output form, and the mode of a file that holds
// it.
func (g *generate) form(p *gen.Program) ([]byte, fs.FileMode, error) {
	switch g.emit {
	case "text":
		return p.Text(), run.Plain, nil
	case "elf":
		data, err := elf.Emit(p, g.programs.EmitOptions())
		return data, run.Executable, err
	}
	var b bytes.Buffer
	var err error
	switch g.emit {
	case "c":
		err = csrc.Emit(&b, p, g.programs.Rounds)
	case "litmus":
		err = litmus.Emit(&b, litmus.TestName(fmt.Sprintf("ordeal-%d-%d", g.seed, g.number), p), p, nil)
	default:
		err = fmt.Errorf("--emit %q: want text, elf, c or litmus", g.emit)
	}
	return b.Bytes(), run.Plain, err
}
