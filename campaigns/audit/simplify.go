package audit

import (
	"context"
	"slices"

	"ordeal/campaigns/config"
	"ordeal/sim"
)

// simplifyRuns bounds the runs that simplify makes.
const simplifyRuns = 16

// simplify takes from the machine of a new finding what it shows without: several
// conditions at a time, then fewer, as delta debugging does (Zeller and Hildebrandt,
// TSE 2002). A run that has not failed in twice the events of the one that did is
// taken for one that does not fail.
func (x *simulation) simplify(ctx context.Context, f *Finding, job sim.Job, events uint64) (cost uint64, err error) {
	plain, kept := peculiarities(f.Machine)
	runs := 0
	for part := len(kept); part > 0 && runs < simplifyRuns; part /= 2 {
		for at := 0; at < len(kept) && runs < simplifyRuns; {
			end := min(at+part, len(kept))
			rest := slices.Concat(kept[:at], kept[end:])
			m := with(plain, rest)
			m.StepBudget = 2*events + eventsPerOp
			on, err := x.runner(&m)
			if err != nil {
				at = end // the others need it
				continue
			}
			runs++
			res, spent, err := run(ctx, on, job, &m)
			cost += spent
			if err != nil {
				return cost, err
			}
			if !res.Failed() || res.FindingTitle() != f.Title {
				at = end
				continue
			}
			kept, f.Detail = rest, res.Detail
		}
	}
	f.Machine = with(plain, kept)
	f.Conditions = conditions(&f.Machine)
	return cost, nil
}

// A peculiarity is something that gem5's configurations do not have; it gives it to
// a machine.
type peculiarity func(m *config.Machine)

// peculiarities are those of a machine, and plain is the machine without them.
func peculiarities(m config.Machine) (plain config.Machine, list []peculiarity) {
	for _, p := range m.SetParameter {
		list = append(list, func(m *config.Machine) { m.SetParameter = append(m.SetParameter, p) })
	}
	m.SetParameter = nil
	if m.Reorder == "all" {
		m.Reorder = ""
		list = append(list, func(m *config.Machine) { m.Reorder = "all" })
	}
	if n := m.TBEs; fewTransactions(&m) {
		m.TBEs = 0
		list = append(list, func(m *config.Machine) { m.TBEs = n })
	}
	return m, list
}

// with is a machine with some of its peculiarities.
func with(plain config.Machine, list []peculiarity) config.Machine {
	for _, p := range list {
		p(&plain)
	}
	return plain
}
