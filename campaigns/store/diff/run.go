package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unique"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/sim"
)

type campaign struct {
	a          *journal.Archive
	configs    map[string]*configRuns
	runs       map[int]*run // by number
	operations int
}

type configRuns struct {
	*config.Config
	sim      string
	system   string
	settings Settings
	runs     []*run // in order of their numbers
	findings map[key]*Occurrences
	table    []taken       // the transitions of the protocol that runs took
	places   map[place]int // indexes of table
}

type key struct {
	outcome       sim.Outcome
	title, system string
}

// place is a transition without counts.
type place struct{ machine, state, event string }

// taken counts the runs that took a transition.
type taken struct {
	place
	runs int
}

// run is a recorded run.
type run struct {
	number             int
	config             string
	program, log       string
	outcome            sim.Outcome
	title              string
	answers            string // models and answers, as in Result
	undecided          bool
	finding, caught    bool
	operations         int
	simulated, checked time.Duration
}

func read(a *journal.Archive) (*campaign, error) {
	n := &campaign{a: a, configs: make(map[string]*configRuns), runs: make(map[int]*run)}
	for i := range a.Campaign.Configs {
		cfg := &a.Campaign.Configs[i]
		s, err := SettingsOf(a.Campaign, cfg)
		if err != nil {
			return nil, err
		}
		n.configs[cfg.Name] = &configRuns{Config: cfg, sim: a.Campaign.SimOf(cfg), system: a.System(cfg), settings: s, findings: make(map[key]*Occurrences), places: make(map[place]int)}
	}
	for e, err := range a.Entries() {
		if err != nil {
			return nil, fmt.Errorf("read campaign %s: %w", a.Dir, err)
		}
		r := &run{
			number: e.Number, config: e.ConfigName, program: e.Program, log: e.LogHash, outcome: e.Outcome, title: unique.Make(e.FindingTitle()).Value(),
			undecided: e.Undecided(), finding: e.Finding(), caught: e.Caught(), operations: e.Operations, simulated: e.Elapsed,
		}
		var answers []string
		for _, x := range e.Answers {
			r.checked += x.Search + x.Evidence
			answers = append(answers, x.Model+" "+x.Answer)
		}
		r.answers = unique.Make(strings.Join(answers, ", ")).Value()
		n.runs[r.number] = r
		n.operations += r.operations
		n.configs[e.ConfigName].add(r, e, e.Dir)
	}
	for _, k := range n.configs {
		slices.SortFunc(k.runs, func(a, b *run) int { return cmp.Compare(a.number, b.number) })
	}
	return n, nil
}

func (k *configRuns) add(r *run, e *journal.Entry, dir rundir.Dir) {
	k.runs = append(k.runs, r)
	for i := range e.Coverage {
		t := &e.Coverage[i]
		if t.Count == 0 || e.Covered == nil {
			continue
		}
		p := place{t.Machine, t.State, t.Event}
		at, ok := i, i < len(k.table) && k.table[i].place == p
		if !ok {
			if at, ok = k.places[p]; !ok {
				at = len(k.table)
				k.places[p] = at
				k.table = append(k.table, taken{place: p})
			}
		}
		k.table[at].runs++
	}
	if !r.finding {
		return
	}
	x := k.key(r)
	f := k.findings[x]
	if f == nil {
		f = &Occurrences{}
		k.findings[x] = f
	}
	one := Occurrences{Runs: 1, Number: r.number, First: string(dir)}
	if e.Alone != nil {
		one.Alone = 1
		if e.Alone.Recurs {
			one.Recurs = 1
		}
	}
	f.add(&one)
}

// key is the finding of a run, with the title that it has in summaries.
func (k *configRuns) key(r *run) key {
	title := r.title
	if k.Bug != nil {
		title = fmt.Sprintf("negative control %s fails: %s", k.Name, title)
	}
	return key{r.outcome, title, k.system}
}

func (k *configRuns) took(p place) int {
	if at, ok := k.places[p]; ok {
		return k.table[at].runs
	}
	return 0
}
