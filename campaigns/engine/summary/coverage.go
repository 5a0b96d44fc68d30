package summary

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
	"ordeal/sim"
)

// missingShown is the number of transitions that a message lists.
const missingShown = 8

// proveUnreachable finds which transitions of a system were taken by no run though
// explorations of it are complete.
func (s *Summary) proveUnreachable(system string) {
	if !slices.ContainsFunc(s.Rows, func(r Row) bool { return s.explored[r.Config] && s.systems[r.Config] == system }) {
		return
	}
	var reached sim.Coverage
	for i := range s.Rows {
		if r := &s.Rows[i]; s.systems[r.Config] == system {
			reached.Add(r.Coverage)
		}
	}
	missing := reached.Missing()
	for i := range s.Rows {
		if r := &s.Rows[i]; s.systems[r.Config] == system && r.Whole {
			r.Unreachable = missing
		}
	}
}

// Reachable is the coverage without the transitions that are proven unreachable.
func (r *Row) Reachable() sim.Coverage {
	if len(r.Unreachable) == 0 {
		return r.Coverage
	}
	unreachable := sim.Coverage(r.Unreachable)
	return slices.DeleteFunc(slices.Clone(r.Coverage), func(t sim.Transition) bool { return unreachable.Has(&t) })
}

// Reached is how many transitions the runs took, of those that are not proven
// unreachable.
func (r *Row) Reached() (taken, of int) {
	return r.Coverage.Taken(), len(r.Coverage) - len(r.Unreachable)
}

// missing lists the transitions that were never taken and are not proven
// unreachable.
func (r *Row) missing() []sim.Transition {
	return r.Reachable().Missing()
}

// coverage says how much of its protocol the runs of a configuration covered,
// and what they did not; empty without a protocol.
func (r *Row) coverage() string {
	if len(r.Coverage) == 0 {
		return ""
	}
	if !r.Whole {
		return fmt.Sprintf("%s: %s taken, the last new one in run %d.", messages.Unbroken(r.Config), messages.Plural(r.Coverage.Taken(), "transition"), r.LastNew)
	}
	missing := r.missing()
	taken, of := r.Reached()
	text := fmt.Sprintf("%s: %d of %d transitions taken (%.1f %%), the last new one in run %d",
		messages.Unbroken(r.Config), taken, of, 100*float64(taken)/float64(max(of, 1)), r.LastNew)
	if n := len(r.Unreachable); n > 0 {
		text += fmt.Sprintf("; %d more are unreachable in what was explored", n)
	}
	if len(missing) == 0 {
		return text + "."
	}
	var names []string
	for _, t := range missing[:min(len(missing), missingShown)] {
		names = append(names, messages.Unbroken(fmt.Sprintf("%s (%s, %s)", t.Machine, t.State, t.Event)))
	}
	if n := len(missing) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("%d more in %s", n, journal.SummaryJSON))
	}
	return text + "; never: " + strings.Join(names, ", ") + "."
}

// Protocol is what the runs of a campaign covered of a coherence protocol.
type Protocol struct {
	Name    string
	Configs []string
	// Coverage has the rows that some configuration lists, Reachable those of them
	// that are not proven unreachable; Whole says that the protocol has no others.
	Coverage, Reachable sim.Coverage
	Whole               bool
	// Edited says that only configurations with a mutant or an injected bug ran it.
	// Their tables are not the protocol's: they count in no total.
	Edited bool
}

// ProtocolOf names the protocol of a configuration.
func ProtocolOf(c *config.Campaign, cfg *config.Config) string {
	switch {
	case cfg.Machine.SLICC != "":
		return path.Base(cfg.Machine.SLICC)
	case cfg.Machine.Protocol != "":
		return cfg.Machine.Protocol
	}
	return c.SimOf(cfg) + ", " + cfg.Name
}

// Edited reports whether a configuration has another table than its protocol.
func Edited(c *config.Config) bool { return c.Bug != nil || c.Machine.Mutant != "" }

// Protocols adds up the coverage of the configurations of each protocol, in the
// order of the campaign's file, those that are edited last.
func (s *Summary) Protocols(c *config.Campaign) []Protocol {
	var list []Protocol
	for _, edited := range []bool{false, true} {
		for i := range s.Rows {
			row := &s.Rows[i]
			at := slices.IndexFunc(c.Configs, func(x config.Config) bool { return x.Name == row.Config })
			if at < 0 || len(row.Coverage) == 0 || Edited(&c.Configs[at]) != edited {
				continue
			}
			name := ProtocolOf(c, &c.Configs[at])
			k := slices.IndexFunc(list, func(p Protocol) bool { return p.Name == name })
			if k < 0 {
				k = len(list)
				list = append(list, Protocol{Name: name, Edited: edited})
			}
			if p := &list[k]; p.Edited == edited {
				p.Coverage.Add(row.Coverage)
				p.Reachable.Add(row.Reachable())
				p.Configs = append(p.Configs, row.Config)
				p.Whole = p.Whole || row.Whole
			}
		}
	}
	return list
}
