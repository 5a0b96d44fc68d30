package campaigns

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// Archive is the directory of a campaign, running or ended, as others read it:
// reports, indexes, merges. Its run directories and its journal are the truth.
type Archive struct {
	Dir      string
	Campaign *Campaign
	Head     Head
	schedule []int
	_        struct{}
}

// Open opens the directory of a campaign.
func Open(dir string) (*Archive, error) {
	path := filepath.Join(dir, campaignFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("open campaign: %w", err)
	}
	a := &Archive{Dir: dir}
	if a.Campaign, err = Parse(path, text, nil); err != nil {
		return nil, fmt.Errorf("open campaign: %w", err)
	}
	if err := readJSON(filepath.Join(dir, headFile), &a.Head); err != nil {
		return nil, fmt.Errorf("open campaign: %w", err)
	}
	a.schedule = a.Campaign.Schedule()
	return a, nil
}

// Entries gives the runs that ended, in order of ending. After an error, which
// names the line, there are no more. A last line cut short is a run that has
// not ended.
func (a *Archive) Entries() iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) { a.EntriesAfter(new(Mark))(yield) }
}

// EntriesAfter gives the runs whose lines are behind m, as Entries does, and
// moves m behind each line that it gives.
func (a *Archive) EntriesAfter(m *Mark) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		path := filepath.Join(a.Dir, journalFile)
		f, err := os.Open(path)
		if errors.Is(err, os.ErrNotExist) {
			return // killed before its first run
		} else if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		if _, err := f.Seek(m.Offset, io.SeekStart); err != nil {
			yield(nil, err)
			return
		}
		for e, err := range entries(path, f, a.Campaign, a.schedule, m) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// Config is the configuration of run number n.
func (a *Archive) Config(n int) *Config { return &a.Campaign.Configs[a.schedule[n]] }

// Run is the directory of run number n, which exists if its Entry says Kept.
func (a *Archive) Run(n int) RunDir { return RunDir(filepath.Join(a.Dir, pad(n))) }

// Ended is the run that an entry tells of.
func (a *Archive) Ended(e *Entry) *Run { return e.run(a.Config(e.Number), a.Dir) }

// System is what the runs of a configuration test, as in Finding.
func (a *Archive) System(c *Config) string { return c.system(a.Campaign.SimOf(c)) }

// Summary counts the runs that ended.
func (a *Archive) Summary() (*Summary, error) {
	return a.Summarize(func(*Run) error { return nil })
}

// Summarize is Summary, and tells of each run when it is counted, in the order
// of the journal: reading a long one twice takes twice as long. An error of
// each ends it.
func (a *Archive) Summarize(each func(*Run) error) (*Summary, error) {
	s := newSummary(a.Campaign, a.Dir)
	s.Started = a.Head.Started
	s.part(a.Campaign, a.Head.Shard)
	for e, err := range a.Entries() {
		if err != nil {
			return nil, err
		}
		run := a.Ended(e)
		s.cover(run)
		s.add(run)
		s.Elapsed = max(s.Elapsed, e.At)
		if err := each(run); err != nil {
			return nil, err
		}
	}
	s.reductions()
	if a.Head.End != "" {
		s.Elapsed = a.Head.Spent
	}
	s.Interrupted, s.BudgetSpent = a.Head.End == EndInterrupted, a.Head.End == EndBudget
	return s, nil
}

// run is the run that an entry tells of.
func (e *Entry) run(cfg *Config, dir string) *Run {
	r := &Run{
		Number: e.Number, Config: cfg, Dir: RunDir(filepath.Join(dir, pad(e.Number))), At: e.At, Kept: e.Kept,
		Case: &Case{Judgement: *e.Judgement, Coverage: e.Coverage},
	}
	if e.Quarantine != "" {
		r.Dir, r.Quarantined = RunDir(filepath.Join(dir, quarantineDir, filepath.Base(e.Quarantine))), true
	}
	return r
}

// entries reads a journal from m on, and refuses lines that are not of the
// campaign.
func entries(path string, r io.Reader, c *Campaign, schedule []int, m *Mark) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		m.prepare()
		lines := bufio.NewReader(r)
		for {
			n := m.Lines + 1
			text, err := lines.ReadBytes('\n')
			if err == io.EOF {
				return
			} else if err != nil {
				yield(nil, fmt.Errorf("read %s:%d: %w", path, n, err))
				return
			}
			e, err := decodeEntry(text, c, schedule, func(number int) bool { return m.seen[number] }, m.known)
			if err != nil {
				yield(nil, fmt.Errorf("%s:%d: %w", path, n, err))
				return
			}
			m.seen[e.Number] = true
			m.Offset, m.Lines = m.Offset+int64(len(text)), n
			if !yield(e, nil) {
				return
			}
		}
	}
}
