package progress

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// TestRead reads a campaign of 100 runs in its first session, and since ten minutes
// one each second; of the last five minutes every second run is a finding.
func TestRead(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c, err := config.Parse("c.yaml", []byte("{name: night, sim: builtin, configs: [{name: a, runs: 1000, protocol: mi}]}"), nil)
	must.Succeed(t, err)
	dir := filepath.Join(t.TempDir(), "night")
	w, err := journal.Create(dir, c, journal.Header{Version: run.FormatVersion, Seed: 1, Spent: time.Hour, Session: now.Add(-10 * time.Minute)})
	must.Succeed(t, err)
	for number := range 700 {
		e := w.NewEntry(number)
		e.Result = &run.Result{Outcome: sim.Passed, Operations: 10}
		e.At = time.Hour + time.Duration(number-99)*time.Second - time.Millisecond
		if number < 100 {
			e.At = time.Minute
		} else if number >= 400 && number%2 == 0 {
			e.Result.Outcome, e.Result.Title = sim.Crash, "it broke"
		}
		must.Succeed(t, w.Append(e))
	}
	read := func(running bool) *Status {
		a, err := journal.Open(dir)
		must.Succeed(t, err)
		s, err := Read(a, running, now)
		must.Succeed(t, err)
		return s
	}
	s := read(true)
	if s.State != Running || s.Runs != 700 || s.Planned != 1000 || s.Operations != 7000 || s.Spent != 70*time.Minute {
		t.Errorf("%+v", s)
	}
	if s.Rate != 1 || s.OperationRate != 10 || s.Left != 5*time.Minute || !s.Failing || s.Complete {
		t.Errorf("%v runs/s, %v operations/s, %v left, failing %v, complete %v", s.Rate, s.OperationRate, s.Left, s.Failing, s.Complete)
	}
	var text bytes.Buffer
	must.Succeed(t, s.WriteText(&text, 80, "ordeal"))
	for _, want := range []string{
		": running\n700 of 1,000 runs █", " 70.0 %, 5m00s left\n", "speed     1.0 runs/s, 10.0 operations/s, 1h10m spent\n",
		"outcomes  550 passed, 150 crash\n", "found     1 finding, last 1s ago: crash: it broke; run 698 of a\n", "finding   crash: it broke; 150 runs, run 400 first",
		"report    ordeal campaign report ",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	s = read(false)
	text.Reset()
	must.Succeed(t, s.WriteText(&text, 80, "ordeal"))
	if s.State != Killed || s.Rate != 0 || s.Left != 0 || strings.Contains(text.String(), "left") || !strings.Contains(text.String(), "\nresume    ordeal campaign resume ") {
		t.Errorf("killed: %s, %v runs/s, %v left\n%s", s.State, s.Rate, s.Left, &text)
	}
}
