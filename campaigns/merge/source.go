package merge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/sim/osfile"
)

// source is the directory of a campaign, or of a part of one.
type source struct {
	name    string // as given
	root    *os.Root
	journal *os.File // locked; nil where there is none
	archive *journal.Archive
	room    *room // for copies of its directories
}

// openSource opens a directory, or an archive, which it unpacks into the new
// directory at.
func openSource(ctx context.Context, name, at string, limits Limits) (s *source, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	s = &source{name: name, room: newRoom(limits, filepath.Dir(at))}
	if info.IsDir() {
		return s, s.openDir(run.Resolve(name), true)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("neither a directory nor an archive")
	}
	if err := run.Mkdir(at); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(at)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	f, err := os.Open(name) // the name is the user's
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := unpack(ctx, f, root, newRoom(limits, at)); err != nil {
		return nil, err
	}
	if at, err = campaignIn(at); err != nil {
		return nil, err
	}
	return s, s.openDir(at, true)
}

// campaignIn returns the directory of the campaign in an unpacked archive: dir,
// or its only subdirectory.
func campaignIn(dir string) (string, error) {
	entries, err := run.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.Name() == journal.CampaignFile {
			return dir, nil
		}
	}
	if len(entries) != 1 || !entries[0].IsDir() {
		return "", fmt.Errorf("the archive has no %s, neither at the top nor in its only directory", journal.CampaignFile)
	}
	return filepath.Join(dir, entries[0].Name()), nil
}

// openDir opens a directory. With lock it refuses a running campaign.
func (s *source) openDir(dir string, lock bool) error {
	var err error
	if s.root, err = os.OpenRoot(dir); err != nil {
		return err
	}
	if err := s.openFiles(dir, lock); err != nil {
		return errors.Join(err, s.close())
	}
	return nil
}

func (s *source) openFiles(dir string, lock bool) error {
	// Only regular files are opened.
	for _, name := range []string{journal.CampaignFile, journal.HeaderFile, journal.RunsFile} {
		f, err := open(s.root, name)
		switch {
		case name == journal.RunsFile && errors.Is(err, fs.ErrNotExist):
			continue // killed before its first run
		case err != nil:
			return fmt.Errorf("no campaign: %w", err)
		case name == journal.RunsFile && lock:
			if s.journal = f; errors.Is(osfile.LockShared(f), osfile.ErrLocked) {
				return errors.New("the campaign is running: wait until it ends, or interrupt it")
			}
			continue // the file system may have no locks
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	var err error
	if s.archive, err = journal.Open(dir); err != nil {
		return err
	}
	h := &s.archive.Header
	if h.Version != run.FormatVersion {
		return fmt.Errorf("%s: records of version %d, want %d", journal.HeaderFile, h.Version, run.FormatVersion)
	}
	if h.Seed != s.archive.Campaign.Seed {
		return fmt.Errorf("%s: seed %d, but %s says %d", journal.HeaderFile, h.Seed, journal.CampaignFile, s.archive.Campaign.Seed)
	}
	for tool, version := range h.Tools {
		if !printable(tool) || !printable(version) {
			return fmt.Errorf("%s: a version with control characters: %q %q", journal.HeaderFile, tool, version)
		}
	}
	return nil
}

func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

func (s *source) close() error {
	var errs []error
	if s.root != nil {
		errs = append(errs, s.root.Close())
	}
	if s.journal != nil {
		errs = append(errs, s.journal.Close())
	}
	return errors.Join(errs...)
}
