package compare

import (
	"ordeal/campaigns/config"
	"ordeal/sim"
)

// Changed counts the runs of a configuration that both campaigns made on the
// embedded simulator, with other results in the new one. Runs that ended by
// timeout and models that gave no answer are left out.
type Changed struct {
	Config string `json:"config"`
	// Both counts the runs that both campaigns made; Different those of them
	// with another outcome, title or answer; SameLog the different ones whose log
	// is the same, so that the checker changed; OtherLog those whose log alone
	// differs.
	Both      int `json:"both"`
	Different int `json:"different"`
	SameLog   int `json:"same_log"`
	OtherLog  int `json:"other_log"`
	// Programs counts runs of the same seed and number whose programs differ:
	// the generator changed. They are not among Both.
	Programs int `json:"programs,omitempty"`
	// Example is the first run with another outcome, title or answer, or else
	// the first with another log; nil where only programs changed.
	Example *Example `json:"example,omitempty"`
}

// Example is a run with different results.
type Example struct {
	Number int    `json:"number"`
	Old    Result `json:"old"`
	New    Result `json:"new"`
}

// Result is the result of a run.
type Result struct {
	Dir     string      `json:"dir"` // it may not exist: campaigns keep few
	Outcome sim.Outcome `json:"outcome"`
	Title   string      `json:"title,omitempty"`
	Answers string      `json:"answers,omitempty"` // models and their answers
	Log     string      `json:"log,omitempty"`
}

// changed lists the configurations with runs that changed.
func (p *pair) changed() []Changed {
	list := []Changed{}
	for _, name := range p.names {
		old, new, ok := p.alike(name)
		if !ok || new.sim != config.SimBuiltin {
			continue
		}
		c := Changed{Config: name, Programs: p.redrawn(old, new)}
		p.repeats(old, new, func(x, y *comparedRun) {
			v, w := old.of(x), new.of(y)
			c.Both++
			different := v.outcome != w.outcome || v.title != w.title || v.answers != w.answers && !v.undecided && !w.undecided
			switch {
			case different:
				if c.Different++; x.log == y.log {
					c.SameLog++
				}
			case x.log != y.log:
				c.OtherLog++
			default:
				return
			}
			if c.Example == nil || different && c.Different == 1 {
				c.Example = &Example{Number: int(y.number), Old: p.old.result(x), New: p.new.result(y)}
			}
		})
		if c.Example != nil || c.Programs > 0 {
			list = append(list, c)
		}
	}
	return list
}

// redrawn counts the runs of a configuration for which the generator draws
// another program from the same seed and number.
func (p *pair) redrawn(old, new *configRuns) int {
	n := 0
	p.drawn(old, new, func(x, y *comparedRun) {
		if x.program != y.program {
			n++
		}
	})
	return n
}

func (n *campaign) result(r *comparedRun) Result {
	v := n.verdicts.of(r)
	return Result{Dir: string(n.a.Run(int(r.number))), Outcome: v.outcome, Title: v.title, Answers: v.answers, Log: r.log}
}
