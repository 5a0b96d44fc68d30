// Package command is what the commands of ordeal share: their environment and
// exit statuses, flags made of declared options, groups of commands, and what is
// executed of a record.
package command

import (
	"errors"
	"io"
	"log/slog"
	"runtime/pprof"
	"sync/atomic"
	"syscall"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/progress"
	"ordeal/campaigns/run"
)

// Env is the environment of a command.
type Env struct {
	Args   []string // of the process, its own name first
	Stdin  io.Reader
	Stdout *messages.Escaper
	Stderr *messages.Escaper
	// Data is for results for other programs: programs, traces, reports. It
	// escapes only on a terminal.
	Data io.Writer
	// Terminal is standard error, for what is drawn.
	Terminal io.Writer
	// Stop is closed when the command is to stop; nil: never.
	Stop <-chan struct{}
	// Abandoned is the exit status of a command that does not end when it is to stop.
	Abandoned atomic.Int32
	// Unwritten is the status of a command whose result could not be written to standard output.
	Unwritten   int
	Log         *slog.Logger
	written     *checkedWriter // what Stdout escapes to
	stopProfile func() error
}

// NewEnv is the environment of a command. What others have written, as titles, names
// and lines of their files, does nothing to a terminal: both outputs escape it.
func NewEnv(args []string, stdin io.Reader, stdout, stderr io.Writer) *Env {
	data := &checkedWriter{w: stdout}
	e := &Env{
		Args: args, Stdin: stdin, Data: data, Stdout: &messages.Escaper{W: data},
		Terminal: stderr, Stderr: &messages.Escaper{W: stderr}, Unwritten: summary.ExitInfra,
	}
	e.Abandoned.Store(summary.ExitUndecided)
	if progress.IsTerminal(stdout) {
		e.Data = e.Stdout
	}
	e.written = data
	e.Log = slog.New(slog.NewTextHandler(e.Stderr, nil))
	return e
}

// OnTerminal reports whether standard output is a terminal.
func (e *Env) OnTerminal() bool { return progress.IsTerminal(e.written.w) }

// checkedWriter remembers the first error of writing, so that a full disk never goes
// unnoticed. A reader that has seen enough, as head, is no error: what is written
// after that goes nowhere, and the command ends as it would otherwise.
type checkedWriter struct {
	w    io.Writer
	err  error
	gone bool // the reader
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	switch {
	case c.err != nil:
		return 0, c.err
	case c.gone:
		return len(p), nil
	}
	n, err := c.w.Write(p)
	if c.gone = errors.Is(err, syscall.EPIPE); c.gone {
		return len(p), nil
	}
	c.err = err
	return n, err
}

// StartProfile begins a CPU profile, if a file is named, that EndProfile ends.
func (e *Env) StartProfile(path string) error {
	if path == "" {
		return nil
	}
	f, err := run.CreateOutput(path, run.Plain)
	if err != nil {
		return Infra(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return Infra(errors.Join(err, f.Discard()))
	}
	e.stopProfile = func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}
	return nil
}

// EndProfile writes the profile of StartProfile.
func (e *Env) EndProfile() error {
	if e.stopProfile == nil {
		return nil
	}
	return e.stopProfile()
}
