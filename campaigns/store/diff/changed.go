package diff

import (
	"ordeal/campaigns/config"
	"ordeal/sim"
)

// Changed are the runs of a configuration that both campaigns made on the
// embedded simulator, and that went otherwise in the new one. Runs that the
// clock ended, and models that gave no answer, are left out.
type Changed struct {
	Config string `json:"config"`
	// Both counts the runs that both campaigns made. Otherwise counts those of
	// them with another outcome, title or answer; Judged those of them whose log
	// is the same, so that it is the judging that changed; Course those that
	// came to the same, but by another log.
	Both      int `json:"both"`
	Otherwise int `json:"otherwise"`
	Judged    int `json:"judged"`
	Course    int `json:"course"`
	// Programs counts runs of the same seed and number whose programs differ:
	// the generator changed. They are not among Both.
	Programs int `json:"programs,omitempty"`
	// Example is the first run with another outcome, title or answer, or else
	// the first with another log; nil where only programs changed.
	Example *Example `json:"example,omitempty"`
}

// Example is a run that went otherwise.
type Example struct {
	Number int    `json:"number"`
	Old    Result `json:"old"`
	New    Result `json:"new"`
}

// Result is what came of a run.
type Result struct {
	Dir     string      `json:"dir"` // which need not exist: campaigns keep few
	Outcome sim.Outcome `json:"outcome"`
	Title   string      `json:"title,omitempty"`
	// Answers lists models and their answers.
	Answers string `json:"answers,omitempty"`
	Log     string `json:"log,omitempty"`
}

// changed lists the configurations with runs that changed.
func (p *pair) changed() []Changed {
	list := []Changed{}
	for _, name := range p.names {
		old, new, ok := p.alike(name)
		if !ok || new.sim != config.SimBuiltin {
			continue
		}
		c := Changed{Config: name, Programs: p.redrawn(new)}
		told := false // the example is of another outcome, title or answer
		p.repeats(old, new, func(x, y *ended) {
			if x.clocked() || y.clocked() {
				return
			}
			c.Both++
			otherwise := x.outcome != y.outcome || x.title != y.title || x.answers != y.answers && !x.undecided && !y.undecided
			switch {
			case otherwise:
				if c.Otherwise++; x.log == y.log {
					c.Judged++
				}
			case x.log != y.log:
				c.Course++
			default:
				return
			}
			if c.Example == nil || otherwise && !told {
				c.Example = &Example{Number: y.number, Old: p.old.result(x), New: p.new.result(y)}
			}
			told = told || otherwise
		})
		if c.Example != nil || c.Programs > 0 {
			list = append(list, c)
		}
	}
	return list
}

// redrawn counts the runs of a configuration whose seed and number are drawn to
// other programs than before.
func (p *pair) redrawn(new *kind) int {
	n := 0
	if p.old.a.Campaign.Seed != p.new.a.Campaign.Seed {
		return n
	}
	for _, y := range new.runs {
		if x := p.old.runs[y.number]; x != nil && x.config == y.config && x.program != y.program {
			n++
		}
	}
	return n
}

// clocked tells whether the clock ended a run.
func (r *ended) clocked() bool { return r.outcome == sim.Timeout }

func (n *night) result(r *ended) Result {
	return Result{Dir: string(n.a.Run(r.number)), Outcome: r.outcome, Title: r.title, Answers: r.answers, Log: r.log}
}
