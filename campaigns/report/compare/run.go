package compare

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

type campaign struct {
	a          *journal.Archive
	configs    map[string]*configRuns
	runs       int
	operations int
	verdicts   *verdicts
	words      map[string]string
	line       []byte        // room for the answers of a run
	room       []comparedRun // for the next runs
}

type configRuns struct {
	*config.Config
	sim      string
	system   string
	settings Settings
	*verdicts
	runs     []*comparedRun // in order of their numbers
	findings map[summary.FindingKey]*Occurrences
	table    []taken         // the transitions of the protocol that runs took
	places   map[sim.Row]int // indexes of table
	at       []int           // indexes of table, by index of a run's coverage; -1 for none yet
}

// taken counts the runs that took a transition.
type taken struct {
	sim.Row
	runs int
}

// run is a recorded run, small and without pointers: a campaign may have
// millions. Only runs of one number are compared, and half of a program's hash
// tells two apart.
type comparedRun struct {
	log                hash
	program            [16]byte
	number             int32  // at most config.MaxRuns
	verdict            uint32 // of verdicts
	operations         int
	simulated, checked time.Duration
}

// block is how many runs have their room at once.
const block = 1024

// verdict is what many runs have in common.
type verdict struct {
	outcome   sim.Outcome
	title     string
	answers   string // models and answers, as in Result
	undecided bool
	caught    bool
	finding   summary.FindingKey // zero unless the run belongs to a finding
}

// verdicts holds each verdict of a campaign once.
type verdicts struct {
	list  []verdict
	index map[verdict]uint32
}

func (s *verdicts) add(v verdict) uint32 {
	at, ok := s.index[v]
	if !ok {
		at = uint32(len(s.list))
		s.list, s.index[v] = append(s.list, v), at
	}
	return at
}

// of is the verdict of a run.
func (s *verdicts) of(r *comparedRun) *verdict { return &s.list[r.verdict] }

func read(a *journal.Archive) (*campaign, error) {
	n := &campaign{a: a, configs: make(map[string]*configRuns), verdicts: &verdicts{index: make(map[verdict]uint32)}, words: make(map[string]string)}
	for i := range a.Campaign.Configs {
		cfg := &a.Campaign.Configs[i]
		s, err := SettingsOf(a.Campaign, cfg)
		if err != nil {
			return nil, err
		}
		n.configs[cfg.Name] = &configRuns{Config: cfg, sim: a.Campaign.SimOf(cfg), system: a.System(cfg), settings: s, verdicts: n.verdicts, findings: make(map[summary.FindingKey]*Occurrences), places: make(map[sim.Row]int)}
	}
	for e, err := range a.Passing() {
		if err != nil {
			return nil, fmt.Errorf("read campaign %s: %w", a.Dir, err)
		}
		if len(n.room) == 0 {
			n.room = make([]comparedRun, block)
		}
		r := &n.room[0]
		n.room = n.room[1:]
		*r = comparedRun{number: int32(e.Number), log: hashOf(e.LogHash), operations: e.Operations, simulated: e.Elapsed}
		program := hashOf(e.Program)
		copy(r.program[:], program[:])
		n.line = n.line[:0]
		for i := range e.Answers {
			x := &e.Answers[i]
			r.checked += x.Search + x.Evidence
			if i > 0 {
				n.line = append(n.line, ", "...)
			}
			n.line = append(append(append(n.line, x.Model...), ' '), x.Answer...)
		}
		v := verdict{outcome: e.Outcome, title: e.FindingTitle(), answers: n.word(n.line), undecided: e.Undecided(), caught: e.Caught()}
		if e.Finding() {
			v.finding = summary.KeyOf(e, n.configs[e.ConfigName].system)
		}
		r.verdict = n.verdicts.add(v)
		n.runs++
		n.operations += r.operations
		n.configs[e.ConfigName].count(r, e, e.Dir)
	}
	for _, k := range n.configs {
		slices.SortFunc(k.runs, func(a, b *comparedRun) int { return cmp.Compare(a.number, b.number) })
	}
	return n, nil
}

// word is the one copy of a text.
func (n *campaign) word(text []byte) string {
	known, ok := n.words[string(text)]
	if !ok {
		known = string(text)
		n.words[known] = known
	}
	return known
}

func (k *configRuns) count(r *comparedRun, e *journal.Entry, dir run.Dir) {
	k.runs = append(k.runs, r)
	for i := range e.Coverage {
		t := &e.Coverage[i]
		if !t.Taken() || e.Covered == nil {
			continue
		}
		for len(k.at) <= i {
			k.at = append(k.at, -1)
		}
		if k.at[i] < 0 { // the journal of a campaign has one order for all runs of a configuration
			k.at[i] = k.index(t.Row)
		}
		k.table[k.at[i]].runs++
	}
	x := k.of(r).finding
	if x == (summary.FindingKey{}) {
		return
	}
	f := k.findings[x]
	if f == nil {
		f = &Occurrences{}
		k.findings[x] = f
	}
	one := Occurrences{Runs: 1, Number: e.Number, First: string(dir), Failure: e.Failure.Failure}
	if e.Alone != nil {
		one.Alone = 1
		if e.Alone.Recurs {
			one.Recurs = 1
		}
	}
	f.add(&one)
}

// index is the index of a transition in the table.
func (k *configRuns) index(p sim.Row) int {
	at, ok := k.places[p]
	if !ok {
		at = len(k.table)
		k.places[p] = at
		k.table = append(k.table, taken{Row: p})
	}
	return at
}

func (k *configRuns) took(p sim.Row) int {
	if at, ok := k.places[p]; ok {
		return k.table[at].runs
	}
	return 0
}
