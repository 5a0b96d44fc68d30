package html

import (
	"cmp"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/check"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
)

type tableView struct {
	Models []string
	Rows   []rowView
	Total  rowView
	More   int // configurations left out
}

type rowView struct {
	Name             string
	Machine          machineRow
	Runs, Operations string
	Outcomes         []outcomeView
	Answers          []answerView
	Rate, Coverage   string
	Covered          int // per mille, -1 if not known
	Missing          string
}

// machineRow is what a configuration tests: its protocol or else its simulator,
// the kind of its cores, and the bugs that are injected.
type machineRow struct {
	Protocol, Core string
	Injected       []string
}

func (d *campaignData) machine(name string) machineRow {
	cfg := d.configs[name].config
	m := machineRow{Protocol: d.archive.Campaign.SimOf(cfg), Core: clip(cmp.Or(cfg.Core, cfg.Agent, cfg.CPU), nameShown)}
	if m.Core == "" && m.Protocol == config.SimBuiltin {
		m.Core = core.TSO.String() // the default
	}
	if cfg.SLICC != "" || cfg.Protocol != "" {
		m.Protocol = clip(summary.ProtocolOf(d.archive.Campaign, cfg), nameShown)
	}
	if cfg.Repair {
		m.Protocol += ", repaired"
	}
	for _, bug := range append([]string{cfg.Mutant}, cfg.CoreBugs...) {
		if bug != "" {
			m.Injected = append(m.Injected, clip(bug, titleShown))
		}
	}
	return m
}

// outcomeView is how many runs had an outcome, and their share in per mille.
type outcomeView struct {
	Name  string
	Runs  int
	Share int
}

// answerView is how many runs a model allows and forbids.
type answerView struct {
	Allowed, Forbidden, Unknown int
	Any, Expected               bool
}

// outcomes are in the order in which they are shown.
var outcomes = []sim.Outcome{sim.Violation, sim.Corrupt, sim.Crash, sim.Deadlock, sim.Livelock, sim.Starvation, sim.Timeout, sim.Infra, sim.Passed}

// table makes the table of configurations without injected bugs.
func (d *campaignData) table() tableView {
	t := tableView{}
	models := d.sum.Models()
	for _, m := range models {
		t.Models = append(t.Models, clip(m, nameShown))
	}
	for i := range d.sum.Rows {
		r := &d.sum.Rows[i]
		switch {
		case r.Canary != nil:
		case len(t.Rows) == rowsShown:
			t.More++
		default:
			v := line(r, models)
			v.Machine = d.machine(r.Config)
			t.Rows = append(t.Rows, v)
		}
	}
	total := d.sum.Tested()
	t.Total = line(&total, models)
	return t
}

// line makes a line of the answers of some models. Rates are of the time spent
// on the configuration itself, by the simulator and by checking.
func line(r *summary.Row, models []string) rowView {
	v := rowView{
		Name: clip(r.Config, nameShown), Runs: messages.Comma(r.Runs), Operations: messages.Comma(r.Operations),
		Rate: "–", Coverage: "–", Covered: -1,
	}
	if spent := (r.Simulated + r.Checked).Seconds(); spent > 0 {
		v.Rate = messages.Rate(float64(r.Operations) / spent)
	}
	for _, o := range outcomes {
		if n := r.Outcomes[o]; n > 0 {
			v.Outcomes = append(v.Outcomes, outcomeView{o.String(), n, 1000 * n / max(r.Runs, 1)})
		}
	}
	for _, m := range models {
		a, ok := r.Answers[m]
		v.Answers = append(v.Answers, answerView{
			a[check.Allowed.String()], a[check.Forbidden.String()], a[check.Unknown.String()], ok, m == r.Expect,
		})
	}
	switch {
	case len(r.Coverage) == 0:
	case r.Whole:
		taken, total := r.Reached()
		v.Coverage = percent(taken, total)
		v.Covered = 1000 * taken / total
		v.Missing = messages.Comma(taken) + " of " + messages.Comma(total) + " transitions taken"
	default:
		v.Coverage = messages.Comma(r.Coverage.Taken()) + " taken"
		v.Missing = "the simulator lists only the transitions that were taken"
	}
	return v
}

type environmentView struct {
	Command string
	Tools   []fact
	File    string
}

func (p *page) environment() environmentView {
	head := &p.data.archive.Header
	var v environmentView
	var words []string
	for _, w := range head.Command {
		words = append(words, messages.Quoted(w))
	}
	v.Command = clip(strings.Join(words, " "), textShown)
	for _, name := range sortedKeys(head.Tools) {
		v.Tools = append(v.Tools, fact{Name: clip(name, nameShown), Value: clip(head.Tools[name], textShown)})
	}
	if !head.Session.Equal(head.Started) && !head.Session.IsZero() {
		v.Tools = append(v.Tools, fact{Name: "resumed", Value: head.Session.UTC().Format(time.DateTime) + " UTC"})
	}
	if text, err := p.files.Read("campaign.yaml", textLimit); err == nil {
		v.File = clip(string(text), fileShown)
	}
	return v
}
