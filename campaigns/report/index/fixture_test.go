package index

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
)

var soak = flag.Bool("soak", false, "more kills")

// nightly is a campaign with a protocol, a canary that is caught, one that
// nothing can show, and cores with a fault that is no canary: findings.
const nightly = `
name: nightly
sim: builtin
seed: 5
workers: 2
configs:
  - {name: clean, runs: 14, threads: 3, ops: 20, locations: 4, rounds: 2, core: tso, protocol: mi}
  - {name: faulty, runs: 12, threads: 3, ops: 30, locations: 3, rounds: 3, core: ooo, protocol: ideal-cached, core-bugs: [load-not-squashed]}
  - name: canary
    runs: 12
    threads: 3
    ops: 30
    locations: 3
    rounds: 3
    core: tso
    core-bugs: [forward-oldest]
    bug: {about: loads get the oldest store of the buffer}
  - name: silent
    runs: 6
    threads: 2
    ops: 10
    locations: 2
    rounds: 2
    core: inorder
    bug: {about: nothing is wrong, equivalent: there is no fault}
`

// runCampaign runs a campaign.
func runCampaign(t testing.TB, dir, text string, sets ...string) {
	t.Helper()
	c, err := config.Parse("nightly.yaml", []byte(text), sets)
	must.Succeed(t, err)
	l := engine.Engine{Dir: dir, Command: []string{"ordeal", "campaign", "run", "it's.yaml"}}
	if _, err := l.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// archive reads a campaign's directory.
func archive(t testing.TB, dir string) *journal.Archive {
	t.Helper()
	a, err := journal.Open(dir)
	must.Succeed(t, err)
	return a
}

// entries are the runs of a campaign.
func entries(t testing.TB, a *journal.Archive) []*journal.Entry {
	t.Helper()
	var list []*journal.Entry
	for e, err := range a.Entries() {
		must.Succeed(t, err)
		list = append(list, e)
	}
	return list
}

// grow makes a campaign of n runs of each configuration, in dir, of the runs of
// a campaign that was run: their lines come again and again, under new numbers.
func grow(t testing.TB, from, dir string, n int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(from, journal.CampaignFile))
	must.Succeed(t, err)
	c, err := config.Parse(journal.CampaignFile, text, []string{fmt.Sprintf("configs.*.runs=%d", n)})
	must.Succeed(t, err)
	must.Succeed(t, os.MkdirAll(dir, 0o755))
	head, err := os.ReadFile(filepath.Join(from, journal.HeaderFile))
	must.Succeed(t, err)
	write(t, filepath.Join(dir, journal.HeaderFile), string(head))
	write(t, filepath.Join(dir, journal.CampaignFile), regexp.MustCompile(`(?m)^( *runs:) \d+$`).ReplaceAllString(string(text), fmt.Sprintf("$1 %d", n)))
	lines := make(map[string][]*journal.Entry)
	for _, e := range entries(t, archive(t, from)) {
		lines[e.ConfigName] = append(lines[e.ConfigName], e)
	}
	journal, err := os.Create(filepath.Join(dir, journal.RunsFile))
	must.Succeed(t, err)
	defer journal.Close()
	used := make(map[string]int)
	for number, at := range c.Schedule() {
		name := c.Configs[at].Name
		e := *lines[name][used[name]%len(lines[name])]
		e.Number, e.At = number, lines[name][0].At*1000
		if used[name] >= len(lines[name]) {
			e.New = nil
		}
		used[name]++
		line, err := json.Marshal(&e)
		must.Succeed(t, err)
		if _, err := journal.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
	}
}

// write writes a file.
func write(t testing.TB, path, text string) {
	t.Helper()
	must.Succeed(t, os.WriteFile(path, []byte(text), 0o644))
}

// rewrite changes the entries of a campaign's journal.
func rewrite(t testing.TB, dir string, f func(*journal.Entry)) {
	t.Helper()
	var text []byte
	for _, e := range entries(t, archive(t, dir)) {
		f(e)
		line, err := json.Marshal(e)
		must.Succeed(t, err)
		text = append(append(text, line...), '\n')
	}
	write(t, filepath.Join(dir, journal.RunsFile), string(text))
}
