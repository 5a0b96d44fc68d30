package litmus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/sim"
)

// checkTimeout bounds the check of a run that is kept.
const checkTimeout = time.Minute

// keep writes the run directory of run number n, which can be repeated and
// checked again, and explains why the model forbids its history.
func (x *experiment) keep(ctx context.Context, n int, p *gen.Program, res *sim.Result) (dir, witness string, err error) {
	runDir, err := x.directory()
	if err != nil {
		return "", "", err
	}
	if x.tools == nil {
		x.tools = run.ToolVersions(ctx, x.runner, &x.config)
	}
	cfg := x.config
	cfg.Name, cfg.Runs, cfg.Expect, cfg.Classify = "litmus", 1, x.model.Name, nil
	cfg.Programs = config.DefaultPrograms()
	cfg.Threads, cfg.Locations, cfg.Rounds, cfg.Sync = len(p.Threads), len(p.Locations), x.size.repetitions, "round"
	record := &run.Spec{
		Campaign: "litmus " + x.test.Name, Seed: x.o.Seed, Number: n, Sim: x.o.Sim, Config: cfg, Timeout: config.Duration(x.o.Timeout),
		Memory: x.o.Memory, LogSize: x.o.LogSize, Command: x.o.Command, Tools: x.tools, Started: time.Now(),
	}
	if err := runDir.Create(p, record); err != nil {
		return "", "", err
	}
	done, err := run.Evaluate(ctx, p, x.size.repetitions, res, run.CheckOptions{
		Models: []model.Model{x.model}, Options: check.Options{Timeout: checkTimeout},
	})
	if err != nil {
		return "", "", err
	}
	if err := runDir.Finish(done); err != nil {
		return "", "", err
	}
	var text bytes.Buffer
	for i := range done.Verdicts {
		switch v := &done.Verdicts[i]; v.Answer {
		case check.Forbidden:
			if err := check.Explain(&text, done.History, x.model, v); err != nil {
				return "", "", err
			}
		case check.Allowed:
			// Two procedures that share no code disagree: one is wrong.
			fmt.Fprintf(&text, "The outcome is none that %s allows, by enumeration, but the checker allows the history: one of them is wrong.\n", x.model.Name)
		default:
			fmt.Fprintf(&text, "The checker has not decided about the history: %s.\n", v.Reason)
		}
	}
	return string(runDir), text.String(), nil
}

// directory makes a new directory, named after the test.
func (x *experiment) directory() (run.Dir, error) {
	if err := run.MkdirAll(x.o.Dir); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		// A test's name is no path.
		dir := filepath.Join(x.o.Dir, fmt.Sprintf("%s-%d", filepath.Base(filepath.Clean("/"+x.test.Name)), n))
		err := run.Mkdir(dir)
		if !errors.Is(err, fs.ErrExist) {
			return run.Dir(dir), err
		}
	}
}
