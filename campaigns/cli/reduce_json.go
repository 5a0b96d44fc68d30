package cli

import (
	"strings"

	"ordeal/campaigns/cli/evaluate"
	"ordeal/campaigns/reduction"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/minimal"
	"ordeal/check/model"
	"ordeal/parse/formats/axe"
	"ordeal/sim"
)

// jsonReduced is what reduce --json prints of a run.
type jsonReduced struct {
	Outcome sim.Outcome `json:"outcome"`
	Title   string      `json:"title,omitempty"`
	Model   string      `json:"model,omitempty"` // that forbids the history
	// Before and After are operations, rounds counted.
	Before  int `json:"before"`
	After   int `json:"after"`
	Threads int `json:"threads"`
	Rounds  int `json:"rounds"`
	// Programs were tried in Runs runs, for Elapsed seconds; Minimal says that no part
	// can be left out.
	Programs int     `json:"programs"`
	Runs     int     `json:"runs"`
	Elapsed  float64 `json:"elapsed_s"`
	Minimal  bool    `json:"minimal"`
	// Hits of Tries runs under other seeds failed in the same way.
	Hits    int     `json:"hits"`
	Tries   int     `json:"tries"`
	Program string  `json:"program"` // as gen prints it
	Dir     run.Dir `json:"dir"`
}

func newJSONReduced(r *reduction.Result, dir run.Dir) *jsonReduced {
	return &jsonReduced{
		Outcome: r.Identity.Outcome, Title: r.Identity.Title, Model: r.Identity.Model, Before: r.Before, After: r.After,
		Threads: r.Threads, Rounds: r.Rounds, Programs: r.Candidates, Runs: r.Runs, Elapsed: r.Elapsed.Seconds(),
		Minimal: r.Minimal, Hits: r.Hits, Tries: r.Tries, Program: string(r.Program.Text()), Dir: dir,
	}
}

// jsonReducedTrace is what it prints of a trace: the operations that the model needs to
// forbid it, in the notation of Axe, and why.
type jsonReducedTrace struct {
	Trace   string `json:"trace"`
	Model   string `json:"model"`
	Before  int    `json:"before"`
	After   int    `json:"after"`
	Checks  int    `json:"checks"`
	History string `json:"history"`
	Why     string `json:"why"`
}

func (r *reduceCommand) printTraceJSON(t *evaluate.Trace, m model.Model, res *minimal.Result) error {
	var history, why strings.Builder
	if err := axe.Write(&history, res.History); err != nil {
		return err
	}
	if err := check.Explain(&why, res.History, m, &res.Verdict); err != nil {
		return err
	}
	return r.PrintJSON(jsonReducedTrace{t.Place, m.Name, len(t.History.Ops), len(res.History.Ops), res.Checked, history.String(), why.String()})
}
