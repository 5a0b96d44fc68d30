package summary

import "ordeal/campaigns/journal"

// Summary counts the runs that ended.
func Read(a *journal.Archive) (*Summary, error) {
	return ReadEach(a, func(*journal.Run) error { return nil })
}

// Summarize is Summary, and tells of each run when it is counted, in the order
// of the journal: reading a long one twice takes twice as long. An error of
// each ends it.
func ReadEach(a *journal.Archive, each func(*journal.Run) error) (*Summary, error) {
	s := NewSummary(a.Campaign, a.Dir)
	s.Started = a.Head.Started
	s.Part(a.Campaign, a.Head.Shard)
	for e, err := range a.Entries() {
		if err != nil {
			return nil, err
		}
		run := a.Ended(e)
		s.Cover(run)
		s.Add(run)
		s.Elapsed = max(s.Elapsed, e.At)
		if err := each(run); err != nil {
			return nil, err
		}
	}
	s.Reductions()
	if a.Head.End != "" {
		s.Elapsed = a.Head.Spent
	}
	s.Interrupted, s.BudgetSpent = a.Head.End == journal.EndInterrupted, a.Head.End == journal.EndBudget
	return s, nil
}
