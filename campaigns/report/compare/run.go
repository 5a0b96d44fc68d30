package compare

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/sim"
)

type campaign struct {
	a        *journal.Archive
	sum      *summary.Summary
	configs  map[string]*configRuns
	verdicts *verdicts
}

// configRuns is a configuration: what its summary counts, and each of its runs.
type configRuns struct {
	*config.Config
	row      *summary.Row
	sim      string
	system   string
	settings Settings
	*verdicts
	runs []comparedRun // in order of their numbers
}

// comparedRun is a recorded run, small: a campaign may have millions. Only runs of one
// number are compared, and a hash of its program's hash tells two apart.
type comparedRun struct {
	log                string
	program            uint64
	number             int32  // at most config.MaxRuns
	verdict            uint32 // of verdicts
	operations         int
	simulated, checked time.Duration
}

// programs makes the hashes of the programs of runs.
var programs = maphash.MakeSeed()

// verdict is what many runs have in common.
type verdict struct {
	outcome   sim.Outcome
	title     string
	answers   string // models and answers, as in Result
	undecided bool
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
	f := summary.Follow(a)
	n := &campaign{a: a, sum: f.Summary(), configs: make(map[string]*configRuns), verdicts: &verdicts{index: make(map[verdict]uint32)}}
	for i := range a.Campaign.Configs {
		cfg := &a.Campaign.Configs[i]
		s, err := SettingsOf(a.Campaign, cfg)
		if err != nil {
			return nil, err
		}
		n.configs[cfg.Name] = &configRuns{Config: cfg, row: &n.sum.Rows[i], sim: a.Campaign.SimOf(cfg), system: a.System(cfg), settings: s, verdicts: n.verdicts}
	}
	if _, err := f.Read(func(e *journal.Entry) error { n.add(e); return nil }); err != nil {
		return nil, fmt.Errorf("read campaign %s: %w", a.Dir, err)
	}
	for _, k := range n.configs {
		slices.SortFunc(k.runs, func(a, b comparedRun) int { return cmp.Compare(a.number, b.number) })
	}
	return n, nil
}

// add notes a run.
func (n *campaign) add(e *journal.Entry) {
	k := n.configs[e.ConfigName]
	r := comparedRun{number: int32(e.Number), log: e.LogHash, program: maphash.String(programs, e.Program), operations: e.Operations, simulated: e.Elapsed}
	var answers []string
	for _, x := range e.Answers {
		r.checked += x.Search + x.Evidence
		answers = append(answers, x.Model+" "+x.Answer)
	}
	v := verdict{outcome: e.Outcome, title: e.FindingTitle(), answers: strings.Join(answers, ", "), undecided: e.Undecided()}
	if e.Finding() {
		v.finding = summary.KeyOf(e, k.system)
	}
	r.verdict = n.verdicts.add(v)
	k.runs = append(k.runs, r)
}
