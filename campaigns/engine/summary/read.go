package summary

import (
	"errors"
	"io/fs"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
)

// Read is the summary of the runs that are recorded.
func Read(a *journal.Archive) (*Summary, error) {
	return ReadEach(a, func(*journal.Entry) error { return nil })
}

// Recorded is the summary that a campaign wrote at its end, or else that of Read.
// Directories in it are as the campaign named them.
func Recorded(a *journal.Archive) (*Summary, error) {
	if a.Header.End == "" {
		return Read(a)
	}
	s := new(Summary)
	err := run.ReadJSON(a.Path(journal.SummaryJSON), s)
	if errors.Is(err, fs.ErrNotExist) {
		return Read(a)
	}
	return s, err
}

// ReadEach is Read, and calls each with every run when it is counted, in the
// order of the journal. An error of each ends it. A run is valid during the call.
func ReadEach(a *journal.Archive, each func(*journal.Entry) error) (*Summary, error) {
	return Follow(a).Read(each)
}

// Follower reads the runs of a campaign as they are recorded.
type Follower struct {
	archive *journal.Archive
	cursor  *journal.Cursor
	sum     *Summary
}

// Follow begins before the first run.
func Follow(a *journal.Archive) *Follower {
	s := New(a.Campaign, a.Dir, a.Header.Shard, a.Header.Started)
	s.UseTools(a.Header.Tools)
	return &Follower{archive: a, cursor: new(journal.Cursor).Passing(), sum: s}
}

// Summary is that of the runs that were read.
func (f *Follower) Summary() *Summary { return f.sum }

// Offset is the number of bytes of the journal that were read.
func (f *Follower) Offset() int64 { return f.cursor.Offset }

// Read counts the runs that were recorded since the last call, as ReadEach does. The
// summary is that of all runs; the next call changes it.
func (f *Follower) Read(each func(*journal.Entry) error) (*Summary, error) {
	s, head := f.sum, &f.archive.Header
	for e, err := range f.archive.EntriesAfter(f.cursor) {
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
	if head.End != "" {
		s.Elapsed = head.Spent
	}
	s.Interrupted, s.BudgetSpent = head.End == journal.EndInterrupted, head.End == journal.EndBudget
	return s, nil
}
