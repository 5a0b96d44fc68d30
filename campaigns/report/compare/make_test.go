package compare

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// scenario is a campaign that is written and not run, by the results of its runs.
type scenario struct {
	seed   int
	config []string // "{name: …}", as in a campaign's file
	keys   string   // further lines of the file
	tools  map[string]string
	// run sets the result of the i-th run of a configuration; it starts as one that passed
	// in 1 µs an operation. False leaves it out.
	run func(e *journal.Entry, i int) bool
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// writeScenario writes the directory of a scenario.
func writeScenario(t *testing.T, name string, s scenario) *journal.Archive {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	must.Succeed(t, os.MkdirAll(dir, 0o755))
	file := func(name, text string) {
		must.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	text := fmt.Sprintf("name: scenario\nseed: %d\nsim: builtin\n%sconfigs:\n  - %s\n", s.seed, s.keys, strings.Join(s.config, "\n  - "))
	file("campaign.yaml", text)
	if s.tools == nil {
		s.tools = map[string]string{"ordeal": "v1"}
	}
	head, err := json.Marshal(journal.Header{Version: 1, Seed: uint64(s.seed), Tools: s.tools, Started: time.Date(2026, 11, 20, 1, 0, 0, 0, time.UTC)})
	must.Succeed(t, err)
	file("campaign.json", string(head))
	a, err := journal.Open(dir)
	must.Succeed(t, err)
	var lines []byte
	count := make(map[string]int)
	for n := range a.Campaign.Runs() {
		c := a.Config(n)
		e := &journal.Entry{
			Number: n, ConfigName: c.Name, Program: sum(fmt.Sprint("program", s.seed, n)),
			Result: &run.Result{
				Version: 1, Outcome: sim.Passed, LogHash: sum(fmt.Sprint("log", s.seed, n)), Operations: 1000, Elapsed: time.Millisecond,
				Answers: []run.Answer{{Model: "tso", Answer: "allowed", Search: 500 * time.Microsecond}},
			},
		}
		i := count[c.Name]
		count[c.Name]++
		if s.run != nil && !s.run(e, i) {
			continue
		}
		line, err := json.Marshal(e)
		must.Succeed(t, err)
		lines = append(append(lines, line...), '\n')
	}
	file("runs.jsonl", string(lines))
	return a
}

// fail makes a run one that failed.
func fail(e *journal.Entry, title string) {
	e.Outcome, e.Title, e.Kept, e.Answers[0].Answer = sim.Violation, title, true, "forbidden"
}

// compare compares two scenarios.
func compare(t *testing.T, old, new scenario) *Diff {
	t.Helper()
	d, err := Compare(writeScenario(t, "old", old), writeScenario(t, "new", new))
	must.Succeed(t, err)
	return d
}

const (
	plain = "{name: plain, runs: 100}"
	host  = "{name: host, sim: host, runs: 100}"
)

func canary(name string, runs int) string {
	return fmt.Sprintf("{name: %s, runs: %d, threads: 2, ops: 10, rounds: 50, core: tso, core-bugs: [forward-oldest], bug: {about: a fault}}", name, runs)
}
