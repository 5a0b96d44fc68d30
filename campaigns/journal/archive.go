package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/campaigns/rundir"
)

// Archive is the directory of a campaign, running or ended, as others read it:
// reports, indexes, merges. Its run directories and its journal are the truth.
type Archive struct {
	Dir      string
	Campaign *config.Campaign
	Head     Header
	schedule []int
	_        struct{}
}

// Open opens the directory of a campaign.
func Open(dir string) (*Archive, error) {
	path := filepath.Join(dir, CampaignFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("open campaign: %w", err)
	}
	a := &Archive{Dir: dir}
	if a.Campaign, err = config.Parse(path, text, nil); err != nil {
		return nil, fmt.Errorf("open campaign: %w", err)
	}
	if err := rundir.ReadJSON(filepath.Join(dir, HeadFile), &a.Head); err != nil {
		return nil, fmt.Errorf("open campaign: %w", err)
	}
	a.schedule = a.Campaign.Schedule()
	return a, nil
}

// Entries gives the runs that ended, in order of ending. After an error, which
// names the line, there are no more. A last line cut short is a run that has
// not ended.
func (a *Archive) Entries() iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) { a.EntriesAfter(new(Cursor))(yield) }
}

// EntriesAfter gives the runs whose lines are behind m, as Entries does, and
// moves m behind each line that it gives.
func (a *Archive) EntriesAfter(m *Cursor) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		path := filepath.Join(a.Dir, JournalFile)
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
func (a *Archive) Config(n int) *config.Config { return &a.Campaign.Configs[a.schedule[n]] }

// Run is the directory of run number n, which exists if its Entry says Kept.
func (a *Archive) Run(n int) rundir.Dir { return rundir.Dir(filepath.Join(a.Dir, rundir.Pad(n))) }

// Ended is the run that an entry tells of.
func (a *Archive) Ended(e *Entry) *Run { return e.Run(a.Config(e.Number), a.Dir) }

// System is what the runs of a configuration test, as in Finding.
func (a *Archive) System(c *config.Config) string { return c.System(a.Campaign.SimOf(c)) }

// entries reads a journal from m on, and refuses lines that are not of the
// campaign.
func entries(path string, r io.Reader, c *config.Campaign, schedule []int, m *Cursor) iter.Seq2[*Entry, error] {
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
			e, err := DecodeEntry(text, c, schedule, func(number int) bool { return m.seen[number] }, m.known)
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

// Stay says whether the directory of a run stays: always, or as the first run,
// by number, of the kind key; never where key is empty.
func (a *Archive) Stay(e *Entry) (key string, always bool) {
	return Stay(a.Campaign, e.Run(a.Config(e.Number), a.Dir))
}

// Asides are the directories of a campaign that hold directories of runs which
// are not among those recorded.
func Asides() []string { return []string{QuarantineDir, SurplusDir} }

// Passing tells whether a file of a run directory, by its name, is of no
// account once nobody works there any more.
func Passing(name string) bool {
	return name == EndedFile || name == rundir.PartDir || strings.HasPrefix(name, ".")
}
