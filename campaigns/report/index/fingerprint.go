package index

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/sim/osfile"
)

// isCampaign reports whether a directory has one of a campaign's files.
func isCampaign(dir string) bool {
	return slices.ContainsFunc([]string{journal.CampaignFile, journal.HeaderFile, journal.RunsFile}, func(name string) bool {
		return run.Exists(filepath.Join(dir, name))
	})
}

// campaignDirs lists the campaigns of a directory: itself, or those in it.
func campaignDirs(dir string) ([]string, error) {
	dir, err := realPath(dir)
	if err != nil {
		return nil, err
	}
	entries, err := run.ReadDir(dir)
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
		if real, err := realPath(sub); err == nil { // else it has just vanished
			list = append(list, real)
		}
	}
	return list, nil
}

// fingerprint identifies the content of a campaign's directory.
type fingerprint struct {
	file    []byte // hash of campaign.yaml
	head    []byte // hash of campaign.json
	size    int64  // of the journal when it was opened
	changed int64  // its ctime
	bytes   int64  // of the journal that were read
	journal []byte // hash of those
}

// fingerprintOf hashes the small files of a directory and notes size and ctime
// of the journal, which a campaign that was killed early does not have.
func fingerprintOf(dir string) (*fingerprint, error) {
	f := new(fingerprint)
	for name, sum := range map[string]*[]byte{journal.CampaignFile: &f.file, journal.HeaderFile: &f.head} {
		data, err := run.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		h := sha256.Sum256(data)
		*sum = h[:]
	}
	path := filepath.Join(dir, journal.RunsFile)
	if size, changed, err := osfile.Changed(path); err == nil {
		f.size, f.changed = size, changed
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("stat %s: %w", path, err)
	}
	return f, nil
}

// unchanged reports whether a directory has not been touched since.
func (f *fingerprint) unchanged(now *fingerprint) bool {
	return bytes.Equal(f.file, now.file) && bytes.Equal(f.head, now.head) && f.size == now.size && f.changed == now.changed
}

// prefix is the hash of the beginning of a journal.
type prefix struct {
	hash.Hash
	bytes int64
}

// extend hashes the journal of a directory on to an offset. A journal that is
// shorter is an error, io.ErrUnexpectedEOF.
func (p *prefix) extend(dir string, to int64) error {
	if p.bytes == to {
		return nil
	}
	f, err := run.Open(filepath.Join(dir, journal.RunsFile))
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(p, io.NewSectionReader(f, p.bytes, to-p.bytes))
	p.bytes += n
	if err == nil && p.bytes < to {
		err = io.ErrUnexpectedEOF
	}
	return err
}
