package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/parse/formats"
)

// StatusError ends the command with a status. Err is nil where everything is
// said already.
type StatusError struct {
	Status int
	Err    error
}

func (e *StatusError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Status)
	}
	return e.Err.Error()
}

func (e *StatusError) Unwrap() error { return e.Err }

// Usage marks an error as one of the command line or of what it names, unless the
// command was interrupted.
func Usage(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return withStatus(summary.ExitUsage, err)
}

// Undecided marks an error as the reason why there is no answer.
func Undecided(err error) error { return withStatus(summary.ExitUndecided, err) }

// Infra marks an error as one of the machine or of a tool.
func Infra(err error) error { return withStatus(summary.ExitInfra, err) }

func withStatus(status int, err error) error {
	if err == nil {
		return nil
	}
	return &StatusError{status, err}
}

// Exit ends the command with a status and nothing more to say.
func Exit(status int) error {
	if status == summary.ExitOK {
		return nil
	}
	return &StatusError{Status: status}
}

// Found ends a command that has printed its result with a status. What failed besides, as a file that could not be
// written, does not hide a finding.
func (e *Env) Found(status int, failed error) error {
	if status != summary.ExitFinding || failed == nil {
		return cmp.Or(failed, Exit(status))
	}
	return &StatusError{status, failed}
}

// Finish says what is wrong and turns it into the exit status of the process.
func (e *Env) Finish(err error) int {
	_ = e.Stdout.Close() // written has the error
	if werr := e.written.err; werr != nil {
		fmt.Fprintf(e.Stderr, "ordeal: write standard output: %v\n", werr)
		return e.Unwritten
	}
	if err == nil {
		return summary.ExitOK
	}
	var se *StatusError
	if !errors.As(err, &se) {
		// Only cobra itself makes other errors: they are about usage.
		se = &StatusError{summary.ExitUsage, err}
	}
	if se.Err != nil {
		for msg := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintf(e.Stderr, "ordeal: %s\n", msg)
		}
	}
	return se.Status
}

// Body turns the errors of a command's work into infrastructure errors where
// they have no status; an interrupted command is undecided.
func Body(run func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := run(cmd.Context(), args)
		var se *StatusError
		if err == nil || errors.As(err, &se) {
			return err
		}
		if cmd.Context().Err() != nil && errors.Is(err, context.Canceled) {
			return Undecided(fmt.Errorf("interrupted: %w", err))
		}
		if IsMalformed(err) {
			return Usage(err)
		}
		return Infra(err)
	}
}

// IsMalformed reports whether an error of reading is about the content.
func IsMalformed(err error) bool {
	var encoding *formats.EncodingError
	return errors.As(err, &encoding)
}

// Arguments demands at least low arguments, and at most high where that is
// not negative.
func Arguments(low, high int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < low || high >= 0 && len(args) > high {
			return Usage(fmt.Errorf("%s: want %s, not %s (see %s --help)", cmd.Name(), what, messages.Plural(len(args), "argument"), cmd.CommandPath()))
		}
		return nil
	}
}
