package summary

import "ordeal/campaigns/journal"

// Read is the summary of the runs that are recorded.
func Read(a *journal.Archive) (*Summary, error) {
	return ReadEach(a, func(*journal.Entry) error { return nil })
}

// ReadEach is Read, and calls each with every run when it is counted, in the
// order of the journal. An error of each ends it. A run is valid during the call.
func ReadEach(a *journal.Archive, each func(*journal.Entry) error) (*Summary, error) {
	s := New(a.Campaign, a.Dir, a.Header.Shard, a.Header.Started)
	s.AddTools(&a.Header)
	for e, err := range a.Passing() {
		if err != nil {
			return nil, err
		}
		s.Add(e)
		s.Elapsed = max(s.Elapsed, e.At)
		if err := each(e); err != nil {
			return nil, err
		}
	}
	s.ReadReductions()
	if a.Header.End != "" {
		s.Elapsed = a.Header.Spent
	}
	s.Interrupted, s.BudgetSpent = a.Header.End == journal.EndInterrupted, a.Header.End == journal.EndBudget
	return s, nil
}
