// Package cli is the ordeal command: one file for each of its commands.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ordeal/campaigns/audit"
	auditcli "ordeal/campaigns/cli/audit"
	"ordeal/campaigns/cli/campaign"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/cli/evaluate"
	"ordeal/campaigns/cli/explain"
	"ordeal/campaigns/cli/schema"
	"ordeal/campaigns/cli/serve"
	"ordeal/campaigns/cli/slicc"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
)

// Main runs the command line args, args[0] being the command's own name, and
// returns the exit status: see summary.ExitOK and its neighbours. The manual has
// the README.md files that help prints. The first SIGINT or SIGTERM asks the
// command to stop, which has two seconds for it; the second ends it at once.
func Main(args []string, manual fs.FS, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	// A reader that went away is an error of writing, not the end.
	signal.Ignore(syscall.SIGPIPE)

	e := command.NewEnv(args, stdin, stdout, stderr)
	e.Stop = ctx.Done()
	root := newRoot(e, manual, commandsFor(args[1:]))
	words, all := helpAll(args[1:])
	if all {
		e.GroupFlags(root, true)
	}
	root.SetArgs(words)
	root.SetIn(stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	ended := make(chan int, 1)
	go func() {
		err := root.ExecuteContext(ctx)
		ended <- e.Finish(errors.Join(err, e.EndProfile()))
	}()
	select {
	case status := <-ended:
		return status
	case <-ctx.Done():
	}
	return await(ended, e, stderr)
}

// A command that was asked to end has ending for it, of which it works busy at most; to one that hardly works,
// as it waits for what never comes, that does not apply. On a machine where others have the processors it has
// longer, up to utmost.
const (
	ending = 1600 * time.Millisecond
	busy   = time.Second
	idle   = 50 * time.Millisecond
	utmost = 20 * time.Second
)

// await returns the exit status of a command that was asked to end, and that of one which is abandoned in a phase
// that does not look for signals: what is recorded is whole at any moment, as for a kill.
func await(ended <-chan int, e *env, stderr io.Writer) int {
	asked, before := time.Now(), audit.ProcessTime()
	for wait := ending; ; wait = ending / 20 {
		select {
		case status := <-ended:
			return status
		case <-time.After(wait):
		}
		worked, passed := audit.ProcessTime()-before, time.Since(asked)
		if worked >= busy || worked <= idle || passed >= utmost {
			fmt.Fprintf(stderr, "ordeal: interrupted, and abandoned %.1f s later: what is recorded stays as it is\n", passed.Seconds())
			return int(e.Abandoned.Load())
		}
	}
}

// helpAll turns --help-all into --help, and reports whether it is there.
func helpAll(args []string) (words []string, all bool) {
	for i, word := range args {
		if word == "--" {
			break
		}
		if word == "--"+command.HelpAll {
			words = slices.Clone(args)
			words[i] = "--help"
			return words, true
		}
	}
	return args, false
}

// env is what the commands share.
type env = command.Env

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
	{"audit", auditcli.New},
	{"slicc", slicc.New},
	{"check", evaluate.NewCheck},
	{"verify", evaluate.NewVerify},
	{"convert", evaluate.NewConvert},
	{"campaign", campaign.New},
	{"serve", serve.New},
	{"repro", newRepro},
	{"explain", explain.New},
	{"reduce", newReduce},
	{"litmus", newLitmus},
	{"mutate", newMutate},
	{"gem5", newGem5},
	{"doctor", newDoctor},
	{"bench", newBench},
	{"models", newModels},
	{"schema", schema.New},
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

// flagFault has the error of a value in the form of all others: the flag, the value,
// what is wrong with it.
func flagFault(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	flag, value, cause := invalid.GetFlag().Name, strconv.Quote(invalid.GetValue()), invalid.Unwrap()
	if strings.Contains(cause.Error(), value) {
		return fmt.Errorf("--%s: %w", flag, cause)
	}
	return fmt.Errorf("--%s %s: %w", flag, value, cause)
}

// setVersion has --version print the version, of every command.
func setVersion(cmd *cobra.Command) {
	cmd.Version = "it"
	for _, sub := range cmd.Commands() {
		setVersion(sub)
	}
}

// Command is the whole tree of commands, to document and not to run.
func Command() *cobra.Command {
	root := newRoot(new(env), nil, commands)
	command.DocumentExits(root)
	return root
}

func newRoot(e *env, manual fs.FS, below []constructor) *cobra.Command {
	root := &cobra.Command{
		Use:   "ordeal",
		Short: "Test a memory system",
		Long: `Ordeal generates racy multi-threaded programs, runs them on a simulator or on
this machine, and decides which memory models could have produced what happened.

Results go to standard output, messages to standard error.
` + summary.ExitHelp() + `
"ordeal help" lists its topics.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	var profile string
	root.PersistentFlags().StringVar(&profile, "cpuprofile", "", "write a CPU profile to this file")
	root.PersistentFlags().Bool("version", false, "print the version")
	root.PersistentFlags().Bool(command.HelpAll, false, "describe all flags of a command")
	root.SetVersionTemplate("{{version}}")
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return e.StartProfile(profile) }
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			var known []string
			cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
			if closest, ok := messages.Closest(unknown.GetSpecifiedName(), known); ok {
				return command.Usage(fmt.Errorf("%w (did you mean --%s?)", err, closest))
			}
		}
		return command.Usage(fmt.Errorf("%w (see %s --help)", flagFault(err), cmd.CommandPath()))
	})
	root.SetHelpCommand(newHelp(e, root, manual))
	command.Group(root)
	for _, c := range below {
		root.AddCommand(c.make(e))
	}
	e.GroupFlags(root, false)
	setVersion(root)
	root.CompletionOptions.HiddenDefaultCmd = true
	return root
}
