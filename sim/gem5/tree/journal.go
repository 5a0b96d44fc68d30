package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The folder in the tree that holds this package's files: the lock always, the
// others while a change is in place.
const (
	ownFolder   = ".ordeal"
	journalFile = "journal.json"
	backupFile  = "original"
	lockFile    = "lock"
)

// originalSuffix marks the binary that was moved aside, temporarySuffix a file
// that is about to replace another.
const (
	originalSuffix  = ".ordeal-original"
	temporarySuffix = ".ordeal-new"
)

// journal is what is needed to restore the tree. It is on the disk from before
// the first change until after the last one.
type journal struct {
	Files  []fileRecord `json:"files"`
	Binary string       `json:"binary"` // as Tree.Binary
}

type fileRecord struct {
	File     string      `json:"file"` // from the root of the tree
	Mode     fs.FileMode `json:"mode"`
	Original string      `json:"original"` // SHA-256 of the contents
	Changed  string      `json:"changed"`
}

func (t *Tree) own(name string) string { return filepath.Join(t.Dir, ownFolder, name) }

func (t *Tree) backup(i int) string { return t.own(fmt.Sprintf("%s-%d", backupFile, i)) }

// between is called between changes of the disk.
func (t *Tree) between() {
	if t.step != nil {
		t.step()
	}
}

// apply writes the journal, moves the binary aside and replaces the files.
func (t *Tree) apply(changes []Change) error {
	j := journal{Binary: t.Binary}
	for i, c := range changes {
		path := filepath.Join(t.Dir, c.File)
		original, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		j.Files = append(j.Files, fileRecord{File: c.File, Mode: info.Mode().Perm(), Original: sum(original), Changed: sum(c.Contents)})
		t.between()
		if err := t.replace(t.backup(i), original, 0o644); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(j, "", "\t")
	if err != nil {
		return err
	}
	t.between()
	if err := t.replace(t.own(journalFile), data, 0o644); err != nil {
		return err
	}
	t.between()
	if err := os.Rename(t.binary(), t.binary()+originalSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for i, c := range changes {
		t.between()
		if err := t.replace(filepath.Join(t.Dir, c.File), c.Contents, j.Files[i].Mode); err != nil {
			return err
		}
	}
	t.between()
	return nil
}

// Originals are the files of a tree that are changed at the moment, by a process that
// runs or by one that was killed, with the contents that restoring gives them back: what
// the tree itself is. A file that was edited meanwhile is none of them.
func Originals(dir string) ([]Change, error) {
	t := &Tree{Dir: dir}
	j, err := t.journal()
	if err != nil {
		return nil, fmt.Errorf("changed files of tree: %w", err)
	}
	var list []Change
	for i := range j.Files {
		r := &j.Files[i]
		if !filepath.IsLocal(r.File) {
			return nil, fmt.Errorf("changed files of tree: %s: the journal names a file outside the tree", r.File)
		}
		now, err := os.ReadFile(filepath.Join(dir, r.File))
		if err == nil && sum(now) != r.Changed {
			continue
		}
		original, err := os.ReadFile(t.backup(i))
		if errors.Is(err, fs.ErrNotExist) {
			continue // restored while this was read
		} else if err != nil {
			return nil, fmt.Errorf("changed files of tree: %w", err)
		}
		if sum(original) == r.Original {
			list = append(list, Change{File: r.File, Contents: original})
		}
	}
	return list, nil
}

// journal reads the journal; without one no file is changed.
func (t *Tree) journal() (journal, error) {
	var j journal
	data, err := os.ReadFile(t.own(journalFile))
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err == nil {
		if err = json.Unmarshal(data, &j); err != nil {
			err = fmt.Errorf("%s is damaged (%w): remove it if %s is unchanged", t.own(journalFile), err, t.Dir)
		}
	}
	return j, err
}

// restore undoes the changes in the journal; without a journal there are none.
// It may itself be interrupted and started again.
func (t *Tree) restore() error {
	if err := t.restoreJournal(); err != nil {
		return fmt.Errorf("restore tree: %w", err)
	}
	return nil
}

func (t *Tree) restoreJournal() error {
	if _, err := os.Stat(t.own(journalFile)); errors.Is(err, fs.ErrNotExist) {
		return t.cleanUp()
	}
	j, err := t.journal()
	if err != nil {
		return err
	}
	var faults []error
	for i := range j.Files {
		faults = append(faults, t.restoreFile(&j.Files[i], t.backup(i)))
		t.between()
		if err := os.Remove(filepath.Join(t.Dir, j.Files[i].File+temporarySuffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, err)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	binary := t.at(j.Binary)
	if err := os.Rename(binary+originalSuffix, binary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t.between()
	if err := os.Remove(t.own(journalFile)); err != nil {
		return err
	}
	t.between()
	return t.cleanUp()
}

func (t *Tree) restoreFile(r *fileRecord, backup string) error {
	if !filepath.IsLocal(r.File) {
		return fmt.Errorf("%s: the journal names a file outside the tree", r.File)
	}
	path := filepath.Join(t.Dir, r.File)
	now, err := os.ReadFile(path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && sum(now) == r.Original:
		return nil
	case err == nil && sum(now) != r.Changed:
		return fmt.Errorf("%s: %w; its original contents are in %s", path, ErrChanged, backup)
	}
	original, err := os.ReadFile(backup)
	if err != nil {
		return err
	}
	if sum(original) != r.Original {
		return fmt.Errorf("%s does not hold the original contents of %s", backup, path)
	}
	return t.replace(path, original, r.Mode)
}

// cleanUp removes backups, and what is left of a process that was killed before
// it had written its journal.
func (t *Tree) cleanUp() error {
	for _, pattern := range []string{backupFile + "-*", "*" + temporarySuffix} {
		left, err := filepath.Glob(t.own(pattern))
		if err != nil {
			return err
		}
		for _, path := range left {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// replace gives path new contents atomically: they are on the disk under
// another name before the file is renamed.
func (t *Tree) replace(path string, contents []byte, mode fs.FileMode) error {
	temporary := path + temporarySuffix
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(contents)
	// The mode given at creation is subject to the umask.
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	t.between()
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary) // the first error counts
	}
	return err
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}
