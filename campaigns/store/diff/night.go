package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/sim"
)

// night is what there is to know of one campaign.
type night struct {
	a          *journal.Archive
	configs    map[string]*kind
	runs       map[int]*ended // by number
	operations int
}

// kind is a configuration, and what its runs came to.
type kind struct {
	*config.Config
	sim      string
	system   string
	settings Settings
	runs     []*ended // in order of their numbers
	findings map[key]*sightings
	table    []taken // of the protocol
	places   map[place]int
}

// key tells findings apart.
type key struct {
	outcome       sim.Outcome
	title, system string
}

// sightings are the runs of a configuration that show a finding.
type sightings struct {
	runs, alone, recurred int
	first                 int // the lowest number
	dir                   rundir.Dir
}

// place names a transition.
type place struct{ machine, state, event string }

// taken counts the runs that took a transition.
type taken struct {
	place
	runs int
}

// ended is a run that ended.
type ended struct {
	number            int
	config            string
	program, log      string
	outcome           sim.Outcome
	title             string
	answers           string // models and answers, as in Result
	undecided         bool
	finding, caught   bool
	operations        int
	simulated, judged time.Duration
}

// read reads a campaign.
func read(a *journal.Archive) (*night, error) {
	n := &night{a: a, configs: make(map[string]*kind), runs: make(map[int]*ended)}
	for i := range a.Campaign.Configs {
		cfg := &a.Campaign.Configs[i]
		s, err := SettingsOf(a.Campaign, cfg)
		if err != nil {
			return nil, err
		}
		n.configs[cfg.Name] = &kind{Config: cfg, sim: a.Campaign.SimOf(cfg), system: a.System(cfg), settings: s, findings: make(map[key]*sightings), places: make(map[place]int)}
	}
	known := make(map[string]string) // texts that many runs share
	for e, err := range a.Entries() {
		if err != nil {
			return nil, fmt.Errorf("read campaign %s: %w", a.Dir, err)
		}
		run := a.Ended(e)
		r := &ended{
			number: e.Number, config: e.Config, program: e.Program, log: e.Log, outcome: e.Outcome, title: shared(known, e.Title), undecided: e.Undecided(), finding: run.Finding(), caught: run.Caught(),
			operations: e.Operations, simulated: e.Elapsed,
		}
		var answers []string
		for _, x := range e.Answers {
			r.judged += x.Search + x.Evidence
			answers = append(answers, x.Model+" "+x.Answer)
		}
		r.answers = shared(known, strings.Join(answers, ", "))
		n.runs[r.number] = r
		n.operations += r.operations
		n.configs[e.Config].add(r, e, run.Dir)
	}
	for _, k := range n.configs {
		slices.SortFunc(k.runs, func(a, b *ended) int { return cmp.Compare(a.number, b.number) })
	}
	return n, nil
}

// shared is one copy of a text.
func shared(known map[string]string, text string) string {
	if s, ok := known[text]; ok {
		return s
	}
	known[text] = text
	return text
}

// add counts a run.
func (k *kind) add(r *ended, e *journal.Entry, dir rundir.Dir) {
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
		f = &sightings{first: r.number, dir: dir}
		k.findings[x] = f
	}
	f.runs++
	if r.number < f.first {
		f.first, f.dir = r.number, dir
	}
	if e.Alone != nil {
		f.alone++
		if e.Alone.Recurs {
			f.recurred++
		}
	}
}

// key is the finding that a run of the configuration is of, by the title that
// summaries give it.
func (k *kind) key(r *ended) key {
	title := r.title
	if k.Bug != nil {
		title = fmt.Sprintf("negative control %s fails: %s", k.Name, title)
	}
	return key{r.outcome, title, k.system}
}

// took is the number of runs that took a transition.
func (k *kind) took(p place) int {
	if at, ok := k.places[p]; ok {
		return k.table[at].runs
	}
	return 0
}
