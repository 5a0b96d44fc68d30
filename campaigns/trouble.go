package campaigns

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"ordeal/sim"
)

// maxInfra is how many runs in a row, by their numbers, may fail for reasons
// that are not the tested system's before the campaign gives up.
const maxInfra = 10

// quarantineDir holds the directories of runs that could not be made or
// judged, each with a reasonFile.
const quarantineDir = "quarantine"

// reasonFile says why something is in quarantine.
const reasonFile = "reason.txt"

// panicked is a panic as an error.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

// guarded calls f; a panic is an error.
func guarded(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &panicked{value, debug.Stack()}
		}
	}()
	return f()
}

// troubled is what came of a run that could not be made, judged or written.
// Before is what was known until then, nil if nothing.
func troubled(err error, before *Case) *Case {
	c := &Case{Judgement: Judgement{Version: RecordVersion, Outcome: sim.Infra, Title: troubleTitle(err), Detail: err.Error()}}
	if before != nil && before.Outcome != sim.OutcomeUnknown {
		c.RawLog, c.Coverage, c.Elapsed, c.Log = before.RawLog, before.Coverage, before.Elapsed, before.Log
		if before.Outcome != sim.Passed {
			c.Detail += fmt.Sprintf("\nbefore that: %s: %s", before.Outcome, before.Title)
		}
	}
	return c
}

// troubleTitle names trouble in a line without paths.
func troubleTitle(err error) string {
	var p *panicked
	var errno syscall.Errno
	switch {
	case errors.As(err, &p):
		first, _, _ := strings.Cut(fmt.Sprint(p.value), "\n")
		return "ordeal panics: " + first
	case errors.As(err, &errno):
		return "cannot write the run directory: " + errno.Error()
	case errors.Is(err, errUsed):
		return "cannot write the run directory: " + errUsed.Error()
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

// tolerate tells of a run that could not be made, and says whether the campaign
// goes on.
func (r *running) tolerate(run *Run) error {
	if run.Outcome != sim.Infra {
		r.infra = 0
		return nil
	}
	r.infra++
	r.tell("trouble: run %d: %s, in %s", run.Number, run.Title, run.Dir)
	why, _, _ := strings.Cut(run.Detail, "\n")
	switch {
	case r.c.OnTrouble == TroubleStop:
		return fmt.Errorf("stopping at run %d, which could not be made or judged, as on-trouble says: %s: %s", run.Number, run.Title, why)
	case r.infra == maxInfra:
		return fmt.Errorf("giving up after %d runs in a row that could not be made or judged, the last of them run %d: %s: %s", maxInfra, run.Number, run.Title, why)
	}
	return nil
}

// quarantine moves the directory of a run there, with the reason.
func (r *running) quarantine(number int, reason string) (RunDir, error) {
	dir, err := setAside(string(r.dir(number)), filepath.Join(r.Dir, quarantineDir))
	if err != nil {
		return r.dir(number), err
	}
	if err := os.Remove(dir.path(endedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	return dir, writeFile(dir.path(reasonFile), []byte(strings.TrimSpace(reason)+"\n"), false)
}
