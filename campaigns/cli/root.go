// Package cli is the ordeal command: one file for each of its commands.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"runtime/pprof"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/parse/formats/litmus"
)

// Main runs the command line args, args[0] being the command's own name, and
// returns the exit status: see summary.ExitOK and its neighbours. The manual has
// the README.md files that help prints. The first SIGINT or SIGTERM asks the
// command to stop; the second ends it at once.
func Main(args []string, manual fs.FS, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	// A reader that went away is an error of writing, not the end.
	signal.Ignore(syscall.SIGPIPE)

	e := newEnv(args, stdin, stdout, stderr)
	root := newRoot(e, manual, commandsFor(args[1:]))
	root.SetArgs(args[1:])
	root.SetIn(stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	err := root.ExecuteContext(ctx)
	if e.stopProfile != nil {
		err = errors.Join(err, e.stopProfile())
	}
	return e.status(root, err)
}

// newEnv is the env of a command. What others have written, as titles, names
// and lines of their files, does nothing to a terminal: both outputs escape it.
func newEnv(args []string, stdin io.Reader, stdout, stderr io.Writer) *env {
	data := &checkedWriter{w: stdout}
	e := &env{
		args: args, stdin: stdin, data: data, stdout: &messages.Escaper{W: data},
		terminal: stderr, stderr: &messages.Escaper{W: stderr},
	}
	if isTerminal(stdout) {
		e.data = e.stdout
	}
	e.written = data
	e.log = slog.New(slog.NewTextHandler(e.stderr, nil))
	return e
}

// env is what the commands share.
type env struct {
	args    []string
	stdin   io.Reader
	stdout  *messages.Escaper
	stderr  *messages.Escaper
	written *checkedWriter // what stdout escapes to
	// data is for results for other programs: programs, traces, reports. It
	// escapes only on a terminal.
	data io.Writer
	// terminal is standard error, for what is drawn.
	terminal    io.Writer
	log         *slog.Logger
	stopProfile func() error
	litmus      *litmus.Test // that the program was read from; nil: none
}

// statusError ends the command with a status. Err is nil where everything is
// said already.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

// usage marks an error as one of the command line or of what it names.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &statusError{summary.ExitUsage, err}
}

// exit ends the command with a status and nothing more to say.
func exit(status int) error {
	if status == summary.ExitOK {
		return nil
	}
	return &statusError{status: status}
}

// status says what is wrong and turns it into an exit status.
func (e *env) status(root *cobra.Command, err error) int {
	_ = e.stdout.Close() // written has the error
	switch werr := e.written.err; {
	case werr == nil:
	case errors.Is(werr, syscall.EPIPE):
		// A reader that has seen enough, as head, needs no message. A command
		// that ended for it has no result.
		if errors.Is(err, syscall.EPIPE) {
			return summary.ExitInfra
		}
	default:
		fmt.Fprintf(e.stderr, "ordeal: write standard output: %v\n", werr)
		return summary.ExitInfra
	}
	if err == nil {
		return summary.ExitOK
	}
	var se *statusError
	if !errors.As(err, &se) {
		// Only cobra itself makes other errors: they are about usage.
		se = &statusError{summary.ExitUsage, err}
	}
	if se.err != nil {
		for msg := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintf(e.stderr, "ordeal: %s\n", msg)
		}
	}
	return se.status
}

// checkedWriter remembers the first error of writing, so that a full disk or
// a closed pipe never goes unnoticed.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	c.err = err
	return n, err
}

// printJSON prints a value as indented JSON.
func (e *env) printJSON(v any) error {
	out := json.NewEncoder(e.stdout)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// constructor makes a command of the root.
type constructor struct {
	name string
	make func(*env) *cobra.Command
}

// commands are the commands of the root in the order of its help.
var commands = []constructor{
	{"gen", newGen},
	{"run", newRun},
	{"explore", newExplore},
	{"check", newCheck},
	{"verify", newVerify},
	{"convert", newConvert},
	{"campaign", newCampaign},
	{"repro", newRepro},
	{"reduce", newReduce},
	{"litmus", newLitmus},
	{"mutate", newMutate},
	{"doctor", newDoctor},
	{"bench", newBench},
	{"models", newModels},
	{"version", newVersion},
}

// commandsFor is what a command line needs: the command that its first word
// names, or else all. To declare the options of all commands takes longer than
// to check a trace of a thousand operations.
func commandsFor(args []string) []constructor {
	for i := range commands {
		if len(args) > 0 && commands[i].name == args[0] {
			return commands[i : i+1]
		}
	}
	return commands
}

// Command is the whole tree of commands, to document and not to run.
func Command() *cobra.Command { return newRoot(new(env), nil, commands) }

func newRoot(e *env, manual fs.FS, below []constructor) *cobra.Command {
	root := &cobra.Command{
		Use:   "ordeal",
		Short: "Test a memory system",
		Long: `Ordeal generates racy multi-threaded programs, runs them on a simulator or on
this machine, and decides which memory models could have produced what happened.

Results go to standard output, progress and messages to standard error.
` + summary.ExitHelp + `
"ordeal help" lists the topics of the manual.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	var profile string
	root.PersistentFlags().StringVar(&profile, "cpuprofile", "", "write a CPU profile to this file")
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return e.startProfile(profile) }
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			var known []string
			cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
			if closest, ok := messages.Closest(unknown.GetSpecifiedName(), known); ok {
				return usage(fmt.Errorf("%w (did you mean --%s?)", err, closest))
			}
		}
		return usage(fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath()))
	})
	root.SetHelpCommand(newHelp(e, root, manual))
	group(root)
	for _, c := range below {
		root.AddCommand(c.make(e))
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	return root
}

// startProfile begins a CPU profile that ends with the command.
func (e *env) startProfile(path string) error {
	if path == "" {
		return nil
	}
	f, err := rundir.CreateOutput(path, rundir.Plain)
	if err != nil {
		return &statusError{summary.ExitInfra, err}
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return &statusError{summary.ExitInfra, errors.Join(err, f.Discard())}
	}
	e.stopProfile = func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}
	return nil
}

// body turns the errors of a command's work into infrastructure errors where
// they have no status; an interrupted command is undecided.
func body(run func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := run(cmd.Context(), args)
		var se *statusError
		if err == nil || errors.As(err, &se) {
			return err
		}
		if cmd.Context().Err() != nil && errors.Is(err, context.Canceled) {
			return &statusError{summary.ExitUndecided, fmt.Errorf("interrupted: %w", err)}
		}
		if isMalformed(err) {
			return usage(err)
		}
		return &statusError{summary.ExitInfra, err}
	}
}

// arguments demands at least low arguments, and at most high where that is
// not negative.
func arguments(low, high int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < low || high >= 0 && len(args) > high {
			return usage(fmt.Errorf("%s: want %s, not %d arguments (see %s --help)", cmd.Name(), what, len(args), cmd.CommandPath()))
		}
		return nil
	}
}
