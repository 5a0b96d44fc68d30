package journal

import (
	"strconv"

	"ordeal/campaigns/config"
	"ordeal/sim"
)

// Retention decides which run directories stay: some of each kind.
type Retention struct {
	campaign *config.Campaign
	tallies  map[string]*tally // by kind
}

// NewRetention returns the Retention of a campaign without runs.
func NewRetention(c *config.Campaign) *Retention {
	return &Retention{campaign: c, tallies: make(map[string]*tally)}
}

// MayKeep reports whether the directory of a run would stay now.
func (r *Retention) MayKeep(e *Entry) bool {
	kind, limit := kindOf(r.campaign, e)
	t := r.tallies[kind]
	if t == nil {
		t = new(tally)
	}
	return t.early(e.ConfigName, limit) || t.better(e.Example(), limit)
}

// Keep decides whether the directory of a run stays, and which it replaces: the
// number of a run that stayed until now, nil for none.
func (r *Retention) Keep(e *Entry) (keep bool, replaces *int) {
	kind, limit := kindOf(r.campaign, e)
	if r.tallies[kind] == nil {
		r.tallies[kind] = new(tally)
	}
	return r.tallies[kind].Keep(e.Example(), e.ConfigName, limit)
}

// mayReplace reports whether a run of a campaign can replace another: one finding
// has examples of different worth.
func mayReplace(c *config.Campaign) bool {
	if c.Keep == config.KeepAll || c.KeepPerFinding < 2 {
		return false
	}
	if c.Audit != nil {
		return true
	}
	sizes := make(map[string]int)
	for i := range c.Configs {
		cfg := &c.Configs[i]
		system, size := cfg.System(c.SimOf(cfg)), ExampleOf(0, cfg, false).Operations
		if before, ok := sizes[system]; cfg.Batch > 1 || ok && before != size {
			return true
		}
		sizes[system] = size
	}
	return false
}

// tally counts the runs of a kind. Half of the limit are the first runs, the
// others the first ones of different configurations and the best example; for a
// limit of 1 it is the first. The best example gives way to a better one. Parts
// of a campaign that each keep by this rule have what the whole would keep.
type tally struct {
	runs    int
	configs map[string]bool
	best    *Example
	extra   bool // best stays only because it is the best
	_       struct{}
}

// unlimited keeps all runs of a kind.
const unlimited = -1

// early reports whether a run is among those that stay since they are the first
// ones: at most limit-1 where limit is above 1, since the configuration of the
// first run counts.
func (t *tally) early(cfg string, limit int) bool {
	return limit == unlimited || t.runs < (limit+1)/2 || !t.configs[cfg] && len(t.configs) < limit/2
}

// better reports whether a run is a better example than those before, other than
// by its number: runs are recorded out of order after a merge of parts.
func (t *tally) better(x Example, limit int) bool {
	if t.best != nil {
		x.Number = t.best.Number
	}
	return limit > 1 && (t.best == nil || x.Better(t.best))
}

// Keep counts a run, and decides whether it stays among limit of its kind, and
// which run it replaces.
func (t *tally) Keep(x Example, cfg string, limit int) (keep bool, replaces *int) {
	early, better := t.early(cfg, limit), t.better(x, limit)
	if better {
		if t.extra {
			replaces = &t.best.Number
		}
		t.best, t.extra = &x, !early
	}
	t.runs++
	if t.configs == nil {
		t.configs = make(map[string]bool)
	}
	t.configs[cfg] = true
	return early || better, replaces
}

// kindOf says what a run is an example of, and how many examples stay: all of
// those that could not be executed or were not decided, some of each finding,
// one of each configuration and verdict that passed.
func kindOf(c *config.Campaign, e *Entry) (kind string, limit int) {
	switch {
	case e.Outcome == sim.Infra:
		return "", unlimited
	case e.Config.Canary() && e.Failed():
		kind, limit = e.ConfigName+" caught="+strconv.FormatBool(e.Caught()), 1
	case e.Undecided():
		return "", unlimited
	case e.Failed():
		kind, limit = e.Outcome.String()+" "+e.FindingTitle()+" "+e.Config.System(c.SimOf(e.Config)), c.KeepPerFinding
		if e.Counterexample > 0 {
			kind += " explored" // a path and a program are no examples of each other
		}
	case e.Config.Canary():
		kind, limit = "", 0
	default:
		kind, limit = e.ConfigName, 1
		for _, a := range e.Answers {
			kind += " " + a.Model + "=" + a.Answer
		}
	}
	if c.Keep == config.KeepAll {
		limit = unlimited
	}
	return kind, limit
}
