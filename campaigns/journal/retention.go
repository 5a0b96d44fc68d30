package journal

import (
	"strconv"

	"ordeal/campaigns/config"
	"ordeal/sim"
)

// Retention decides which run directories stay: the first of each kind stays.
type Retention struct {
	keep config.Keep
	kept map[string]bool // kinds of which a run stays
}

// NewRetention returns the Retention of a campaign without runs.
func NewRetention(keep config.Keep) *Retention {
	return &Retention{keep: keep, kept: make(map[string]bool)}
}

// MayKeep reports whether the directory of a run would stay now.
func (r *Retention) MayKeep(e *Entry) bool {
	kind, always := Kind(r.keep, e)
	return always || kind != "" && !r.kept[kind]
}

// Keep decides whether the directory of a run stays.
func (r *Retention) Keep(e *Entry) bool {
	keep := r.MayKeep(e)
	if kind, _ := Kind(r.keep, e); kind != "" {
		r.kept[kind] = true
	}
	return keep
}

// Kind says whether the directory of a run stays: always, or only that of the
// first run of a kind, or never if kind is empty.
func Kind(keep config.Keep, e *Entry) (kind string, always bool) {
	switch {
	case e.Outcome == sim.Infra:
		return "", true
	case e.Config.Canary() && e.Failed():
		return e.ConfigName + " caught=" + strconv.FormatBool(e.Caught()), keep == config.KeepAll
	case keep == config.KeepAll || e.Outcome != sim.Passed || e.Undecided():
		return "", true
	case e.Config.Canary():
		return "", false
	}
	kind = e.ConfigName
	for _, a := range e.Answers {
		kind += " " + a.Model + "=" + a.Answer
	}
	return kind, false
}
