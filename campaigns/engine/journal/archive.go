package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
)

// Archive is the directory of a campaign, running or ended, for readers such
// as reports, indexes and merges.
type Archive struct {
	Dir      string
	Campaign *config.Campaign
	Header   Header
	// OnRead is called now and then while the journal is read, with the number of
	// its lines before; nil means no callback.
	OnRead   func(lines int)
	schedule []int
	_        struct{}
}

// Open opens the directory of a campaign.
func Open(dir string) (*Archive, error) {
	path := filepath.Join(dir, CampaignFile)
	text, err := run.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no directory of a campaign: %w", dir, err)
	} else if err != nil {
		return nil, fmt.Errorf("open campaign: %w", err)
	}
	c, err := config.ParseRecord(path, text)
	if err != nil {
		return nil, fmt.Errorf("open campaign: %w", err)
	}
	a := newArchive(dir, c)
	if err := run.ReadJSON(a.Path(HeaderFile), &a.Header); err != nil {
		return nil, fmt.Errorf("open campaign: %w", err)
	}
	return a, nil
}

// Extend makes the campaign longer, here and not in its file, whose new text it
// returns. Shards, and what was merged of them, stay as they are: their runs depend on
// how many there are. The error wraps config.ErrExtension if that is not possible.
func (a *Archive) Extend(x config.Extension) (text []byte, err error) {
	switch {
	case a.Header.End == EndStopped:
		return nil, fmt.Errorf("%w in %s: a condition of stop has ended it", config.ErrExtension, a.Dir)
	case a.Campaign.Audit != nil && x.Runs > 0:
		return nil, fmt.Errorf("%w in %s to more runs: an audit has a budget of steps and CPU time", config.ErrExtension, a.Dir)
	case x.Runs > 0 && (!a.Header.Shard.Whole() || len(a.Header.Shards) > 0):
		return nil, fmt.Errorf("%w in %s to more runs: which runs a shard has depends on their number: run a longer campaign with another seed",
			config.ErrExtension, a.Dir)
	}
	path := a.Path(CampaignFile)
	old, err := run.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, text, err := x.Extend(path, old, a.Header.Spent)
	if err != nil {
		return nil, err
	}
	a.Campaign, a.schedule = c, c.Schedule()
	return text, nil
}

func newArchive(dir string, c *config.Campaign) *Archive {
	return &Archive{Dir: dir, Campaign: c, schedule: c.Schedule()}
}

// Path is the path of a file of the campaign directory.
func (a *Archive) Path(file string) string { return filepath.Join(a.Dir, file) }

// Schedule gives the configuration of each run, by index; of an audit, those of the runs
// that were read or appended.
func (a *Archive) Schedule() []int { return a.schedule }

// Schedules adds a run of a configuration, by index, to the schedule of an audit and returns its number.
func (a *Archive) Schedules(config int) (number int) {
	a.schedule = append(a.schedule, config)
	return len(a.schedule) - 1
}

// learn adds a run that was read to the schedule of an audit, if it is the next one.
func (a *Archive) learn(e *Entry) {
	i := slices.IndexFunc(a.Campaign.Configs, func(c config.Config) bool { return c.Name == e.ConfigName })
	if a.Campaign.Audit != nil && e.Number == len(a.schedule) && i >= 0 {
		a.Schedules(i)
	}
}

// Config is the configuration of a run.
func (a *Archive) Config(number int) *config.Config { return &a.Campaign.Configs[a.schedule[number]] }

// Run is the directory of a run, which exists if its Entry says Kept.
func (a *Archive) Run(number int) run.Dir { return run.Dir(a.Path(run.Name(number))) }

// System is what the runs of a configuration test, as in a finding.
func (a *Archive) System(c *config.Config) string { return c.System(a.Campaign.SimOf(c)) }

// Runs lists the numbers of the run directories that exist.
func (a *Archive) Runs() ([]int, error) {
	names, err := run.Names(a.Dir)
	if err != nil {
		return nil, err
	}
	var list []int
	for _, name := range names {
		if number, ok := run.Number(name); ok && (number < len(a.schedule) || a.Campaign.Audit != nil) {
			list = append(list, number)
		}
	}
	slices.Sort(list)
	return list, nil
}

// Entries gives the recorded runs in the order of the journal. After an error,
// which names the line, there are no more. A last line cut short is a run that
// has not ended.
func (a *Archive) Entries() iter.Seq2[*Entry, error] { return a.EntriesAfter(new(Cursor)) }

// Passing gives the runs as Entries does, several times as fast: an entry and all
// that it refers to, but for strings, is valid until the next one.
func (a *Archive) Passing() iter.Seq2[*Entry, error] { return a.EntriesAfter(new(Cursor).Passing()) }

// EntriesAfter gives the runs behind c, as Entries does, and moves c behind
// each line that it gives.
func (a *Archive) EntriesAfter(c *Cursor) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		path := a.Path(RunsFile)
		f, err := run.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return // killed before its first run
		} else if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		replaced, err := a.replaced(f, c.Offset)
		if err != nil {
			yield(nil, err)
			return
		}
		for text, err := range run.Lines(f) {
			var e *Entry
			if err == nil {
				e, err = a.decode(text, c)
			}
			if err != nil {
				yield(nil, fmt.Errorf("%s:%d: %w", path, c.Lines+1, err))
				return
			}
			c.Offset, c.Lines = c.Offset+int64(len(text)), c.Lines+1
			if a.OnRead != nil && c.Lines%readEvery == 0 {
				a.OnRead(c.Lines)
			}
			e.Kept = e.Kept && !replaced[e.Number]
			if !yield(e, nil) {
				return
			}
		}
	}
}

// readEvery is the number of lines between two calls of Archive.OnRead.
const readEvery = 1000

// replaced finds the runs that lines of the journal behind an offset replace, and
// seeks the offset.
func (a *Archive) replaced(f *os.File, offset int64) (map[int]bool, error) {
	if _, err := f.Seek(offset, io.SeekStart); err != nil || !mayReplace(a.Campaign) {
		return nil, err
	}
	found := make(map[int]bool)
	for text, err := range run.Lines(f) {
		if err != nil {
			break // the caller comes to it
		}
		var line struct {
			Replaces *int `json:"replaces"`
		}
		// Within a string the quotes would be escaped.
		if bytes.Contains(text, []byte(`,"replaces":`)) && run.Unseal(text) == nil && json.Unmarshal(text, &line) == nil && line.Replaces != nil {
			found[*line.Replaces] = true
		}
	}
	_, err := f.Seek(offset, io.SeekStart)
	return found, err
}

// IsCampaign reports whether a directory has one of a campaign's files.
func IsCampaign(dir string) bool {
	return slices.ContainsFunc([]string{CampaignFile, HeaderFile, RunsFile}, func(name string) bool { return run.Exists(filepath.Join(dir, name)) })
}

// Find lists the directories of campaigns in a directory, sorted: itself, or those in it.
func Find(dir string) ([]string, error) {
	entries, err := run.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if IsCampaign(dir) {
		return []string{dir}, nil
	}
	var list []string
	for _, e := range entries {
		if at := filepath.Join(dir, e.Name()); IsCampaign(at) {
			list = append(list, at)
		}
	}
	return list, nil
}

// AsideDirs are the directories of a campaign that hold run directories which
// are not recorded runs.
func AsideDirs() []string { return []string{QuarantineDir, AfterStopDir} }

// Temporary reports whether a file of a run directory, by its name, is of no
// use after the campaign.
func Temporary(name string) bool {
	return name == PendingFile || name == run.PartDir || strings.HasPrefix(name, ".")
}
