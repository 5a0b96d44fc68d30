package merge

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/sim/osfile"
)

// source is the directory of a campaign, or of a part of one.
type source struct {
	name    string   // as given
	dir     string   // without links above it
	journal *os.File // locked; nil if nothing is recorded yet
	archive *journal.Archive
}

// openSource opens the directory of a campaign. With lock it refuses a running one.
func openSource(name, dir string, lock bool) (s *source, err error) {
	s = &source{name: name, dir: dir}
	if s.archive, err = journal.Open(dir); err != nil {
		return nil, fmt.Errorf("no campaign: %w", err)
	}
	h := &s.archive.Header
	if h.Version != run.FormatVersion {
		return nil, fmt.Errorf("%s: records of version %d, want %d", journal.HeaderFile, h.Version, run.FormatVersion)
	}
	if h.Seed != s.archive.Campaign.Seed {
		return nil, fmt.Errorf("%s: seed %d, but %s says %d", journal.HeaderFile, h.Seed, journal.CampaignFile, s.archive.Campaign.Seed)
	}
	for tool, version := range h.Tools {
		if !printable(tool) || !printable(version) {
			return nil, fmt.Errorf("%s: a version with control characters: %q %q", journal.HeaderFile, tool, version)
		}
	}
	if path := s.archive.Path(journal.RunsFile); lock && run.Exists(path) { // else it was killed before its first run
		if s.journal, err = run.Open(path); err != nil {
			return nil, err
		}
		if errors.Is(osfile.LockShared(s.journal), osfile.ErrLocked) { // the file system may have no locks
			return nil, errors.Join(errors.New("the campaign is running: wait until it ends, or interrupt it"), s.close())
		}
	}
	return s, nil
}

func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

func (s *source) close() error {
	if s.journal == nil {
		return nil
	}
	return s.journal.Close()
}
