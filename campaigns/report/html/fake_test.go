package html

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/sim"
)

// fake writes the directory of a campaign whose runs were never executed.
func fake(t testing.TB, file string, head journal.Header, runs func(yield func(*journal.Entry))) *journal.Archive {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a campaign") // to be quoted
	must.Succeed(t, os.MkdirAll(dir, 0o755))
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "campaign.yaml"), []byte(file), 0o644))
	data, err := json.Marshal(&head)
	must.Succeed(t, err)
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "campaign.json"), data, 0o644))
	lines, err := os.Create(filepath.Join(dir, "runs.jsonl"))
	must.Succeed(t, err)
	w := bufio.NewWriter(lines)
	runs(func(e *journal.Entry) {
		text, err := json.Marshal(e)
		must.Succeed(t, err)
		w.Write(append(text, '\n'))
	})
	must.Succeed(t, w.Flush())
	must.Succeed(t, lines.Close())
	a, err := journal.Open(dir)
	must.Succeed(t, err)
	return a
}

// entry is a run that passed; edit makes it another.
func entry(a string, number int, edit func(*journal.Entry)) *journal.Entry {
	e := &journal.Entry{Number: number, ConfigName: a, At: time.Duration(number+1) * time.Second, Result: &run.Result{
		Version: run.FormatVersion, Outcome: sim.Passed, Operations: 100, Elapsed: time.Millisecond,
		Answers: []run.Answer{{Model: "tso", Answer: check.Allowed.String(), Search: time.Millisecond}},
	}}
	if edit != nil {
		edit(e)
	}
	return e
}

// fails makes a run one that failed.
func fails(outcome sim.Outcome, title string) func(*journal.Entry) {
	return func(e *journal.Entry) { e.Outcome, e.Title = outcome, title }
}

// put writes a file into the directory of a campaign.
func put(t testing.TB, a *journal.Archive, name, text string) {
	t.Helper()
	path := filepath.Join(a.Dir, name)
	must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Succeed(t, os.WriteFile(path, []byte(text), 0o644))
}

// reported is the page of an archive.
func reported(t testing.TB, a *journal.Archive, o Options) string {
	t.Helper()
	var out bytes.Buffer
	must.Succeed(t, Write(context.Background(), &out, a, o))
	return out.String()
}

// sample runs the campaign of testdata with a few runs of each configuration,
// and more of what the sets say.
func sample(t testing.TB, sets ...string) *journal.Archive {
	t.Helper()
	path := filepath.Join("testdata", "sample.yaml")
	text, err := os.ReadFile(path)
	must.Succeed(t, err)
	c, err := config.Parse(path, text, append([]string{"reduce=0s"}, sets...))
	must.Succeed(t, err)
	dir := filepath.Join(t.TempDir(), "sample")
	loop := engine.Engine{Dir: dir, Command: strings.Fields("ordeal campaign run sample.yaml")}
	_, err = loop.Run(context.Background(), c)
	must.Succeed(t, err)
	a, err := journal.Open(dir)
	must.Succeed(t, err)
	return a
}
