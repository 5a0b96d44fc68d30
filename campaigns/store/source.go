package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// The files of a campaign's directory that say what is in it.
const (
	campaignFile = "campaign.yaml"
	headFile     = "campaign.json"
	journalFile  = "runs.jsonl"
)

// isCampaign tells whether a directory has a file of a campaign's.
func isCampaign(dir string) bool {
	return slices.ContainsFunc([]string{campaignFile, headFile, journalFile}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// expand lists the campaigns of a directory: itself, or those in it.
func expand(dir string) ([]string, error) {
	dir, err := real(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if isCampaign(dir) {
		return []string{dir}, nil
	}
	var list []string
	for _, e := range entries {
		sub := filepath.Join(dir, e.Name())
		if !isCampaign(sub) {
			continue
		}
		if to, err := real(sub); err == nil { // else it has just vanished
			list = append(list, to)
		}
	}
	return list, nil
}

// source is what was read of a campaign's directory.
type source struct {
	file    []byte // hash of campaign.yaml
	head    []byte // hash of campaign.json
	size    int64  // of the journal when it was opened
	changed int64  // its ctime
	bytes   int64  // read of the journal
	journal []byte // hash of those
}

// look reads everything of a directory but the journal, of which only size and
// ctime.
func look(dir string) (*source, error) {
	s := new(source)
	for name, sum := range map[string]*[]byte{campaignFile: &s.file, headFile: &s.head} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		h := sha256.Sum256(data)
		*sum = h[:]
	}
	var st unix.Stat_t
	err := unix.Stat(filepath.Join(dir, journalFile), &st)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil // killed before its first run
	} else if err != nil {
		return nil, fmt.Errorf("stat %s: %w", filepath.Join(dir, journalFile), err)
	}
	s.size, s.changed = st.Size, st.Ctim.Nano()
	return s, nil
}

// prefix is the hash of the beginning of a journal.
type prefix struct {
	hash.Hash
	bytes int64
}

// extend hashes the journal of a directory from where it was left up to some
// offset. A journal that is shorter is an error, io.ErrUnexpectedEOF.
func (p *prefix) extend(dir string, to int64) error {
	if p.bytes == to {
		return nil
	}
	f, err := os.Open(filepath.Join(dir, journalFile))
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(p.bytes, io.SeekStart); err != nil {
		return err
	}
	n, err := io.CopyN(p, f, to-p.bytes)
	p.bytes += n
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}
