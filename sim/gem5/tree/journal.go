package tree

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ordeal/sim/osfile"
)

// The record of what is changed in a tree belongs to the user and not to the tree, which may
// come from others: it is in the user's own folder for state, under a hash of the tree's real path. The
// folder holds the lock always, the other files while a change is in place.
const (
	journalFile = "journal.json"
	lockFile    = "lock"
)

// originalSuffix marks the binary that was moved aside, temporarySuffix a file
// that is about to replace another.
const (
	originalSuffix  = ".ordeal-original"
	temporarySuffix = ".ordeal-new"
)

// maxFile is the most bytes of a file that is changed; sources are far below it.
const maxFile = 64 << 20

// maxJournal is the most bytes of a journal, which has such files.
const maxJournal = 1 << 30

// journal is what is needed to restore the tree. It is on the disk from before
// the first change until after the last one.
type journal struct {
	Tree   string       `json:"tree"` // its real path
	Files  []fileRecord `json:"files"`
	Binary string       `json:"binary"` // its path without links
}

type fileRecord struct {
	File     string      `json:"file"` // from the root of the tree
	Mode     fs.FileMode `json:"mode"`
	Original []byte      `json:"original"`
	Changed  []byte      `json:"changed"`
}

// StateFolder returns ordeal's folder of this user's files that outlive a process: $XDG_STATE_HOME/ordeal, or
// ~/.local/state/ordeal. As the XDG specification has it, a relative $XDG_STATE_HOME does not count.
func StateFolder() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("no folder for state: want XDG_STATE_HOME or HOME: %w", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "ordeal"), nil
}

// place is a tree that is opened, and its folder of state.
type place struct {
	*Tree
	root  *os.Root // of the tree: no link leads out of it
	real  string   // the path of the tree without links
	state string
}

// open opens the tree. Its folder of state need not exist.
func (t *Tree) open() (*place, error) {
	real, err := filepath.Abs(t.Dir)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return nil, err
	}
	state, err := StateFolder()
	if err != nil {
		return nil, err
	}
	root, err := osfile.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256([]byte(real))
	return &place{t, root, real, filepath.Join(state, "trees", hex.EncodeToString(key[:]))}, nil
}

func (p *place) close() { _ = p.root.Close() } // it was not written to

func (p *place) own(name string) string { return filepath.Join(p.state, name) }

// between is called between changes of the disk.
func (t *Tree) between() {
	if t.step != nil {
		t.step()
	}
}

// read reads a regular file of the tree, to which no link leads.
func (p *place) read(name string) ([]byte, fs.FileMode, error) {
	info, err := p.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: filepath.Join(p.real, name), Err: osfile.ErrIrregular}
	}
	if err != nil {
		return nil, 0, err
	}
	f, err := osfile.Regular(p.root.OpenFile(name, os.O_RDONLY|osfile.NoWait, 0))
	if err != nil {
		return nil, 0, err
	}
	data, err := osfile.ReadAll(f, maxFile)
	return data, info.Mode().Perm(), errors.Join(err, f.Close())
}

// apply writes the journal, moves the binary aside and replaces the files.
func (p *place) apply(changes []Change) error {
	binary := p.binary()
	// The folder of the binary may be a link of the user's, to another disk; the journal names where it led.
	folder, err := filepath.EvalSymlinks(filepath.Dir(binary))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	j := journal{Tree: p.real, Binary: filepath.Join(cmp.Or(folder, filepath.Dir(binary)), filepath.Base(binary))}
	if _, err := os.Lstat(j.Binary + originalSuffix); err == nil {
		return fmt.Errorf("%s is in the way: no record says that it is the binary of %s; remove or rename it", j.Binary+originalSuffix, p.real)
	}
	for _, c := range changes {
		original, mode, err := p.read(c.File)
		if err != nil {
			return err
		}
		j.Files = append(j.Files, fileRecord{File: c.File, Mode: mode, Original: original, Changed: c.Contents})
	}
	data, err := json.MarshalIndent(j, "", "\t")
	if err != nil {
		return err
	}
	p.between()
	own, err := osfile.OpenRoot(p.state)
	if err != nil {
		return err
	}
	if err := errors.Join(p.replace(own, journalFile, data, 0o600), own.Close()); err != nil {
		return err
	}
	p.between()
	if err := os.Rename(j.Binary, j.Binary+originalSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for i, c := range changes {
		p.between()
		if err := p.replace(p.root, c.File, c.Contents, j.Files[i].Mode); err != nil {
			return err
		}
	}
	p.between()
	return nil
}

// Originals are the files of a tree that are changed at the moment, by a process that
// runs or by one that was killed, with the contents that restoring gives them back: what
// the tree itself is. A file that was edited meanwhile is not one of them.
func Originals(dir string) ([]Change, error) {
	p, err := (&Tree{Dir: dir}).open()
	if err != nil {
		return nil, nil // without a tree, or a folder of state, nothing is changed
	}
	defer p.close()
	j, err := p.journal()
	if err != nil {
		return nil, fmt.Errorf("changed files of tree: %w", err)
	}
	var list []Change
	for i := range j.Files {
		r := &j.Files[i]
		if now, _, err := p.read(r.File); err != nil || bytes.Equal(now, r.Changed) {
			list = append(list, Change{File: r.File, Contents: r.Original})
		}
	}
	return list, nil
}

// journal reads the journal; without one no file is changed.
func (p *place) journal() (*journal, error) {
	j := new(journal)
	data, err := osfile.ReadFile(p.own(journalFile), maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err == nil {
		if err = json.Unmarshal(data, j); err == nil && j.Tree != p.real {
			err = fmt.Errorf("it is the record of %q", j.Tree)
		}
		if err != nil {
			err = fmt.Errorf("%s is damaged (%w): remove it if %s is unchanged", p.own(journalFile), err, p.real)
		}
	}
	return j, err
}

// restore undoes the changes in the journal; without a journal there are none.
// It may itself be interrupted and started again.
func (p *place) restore() error {
	j, err := p.journal()
	if err == nil && j.Tree != "" {
		err = p.undo(j)
	}
	if err != nil {
		return fmt.Errorf("restore tree: %w", err)
	}
	return nil
}

func (p *place) undo(j *journal) error {
	var faults []error
	for i := range j.Files {
		faults = append(faults, p.restoreFile(&j.Files[i]))
		p.between()
		if err := p.root.Remove(j.Files[i].File + temporarySuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, err)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	if err := restoreBinary(j.Binary); err != nil {
		return err
	}
	p.between()
	if err := os.Remove(p.own(journalFile)); err != nil {
		return err
	}
	p.between()
	return nil
}

// restoreBinary puts the binary back in place, in the folder that it was moved aside in.
func restoreBinary(binary string) error {
	folder, err := filepath.EvalSymlinks(filepath.Dir(binary))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed with all that was built
	}
	if err == nil && folder != filepath.Dir(binary) {
		err = fmt.Errorf("%s: a link has replaced a folder of it since it was moved aside", binary)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(binary+originalSuffix, binary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (p *place) restoreFile(r *fileRecord) error {
	now, _, err := p.read(r.File)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && bytes.Equal(now, r.Original):
		return nil
	case err == nil && !bytes.Equal(now, r.Changed):
		return fmt.Errorf("%s: %w; its original contents are in %s, which ends the change when it is removed", filepath.Join(p.real, r.File), ErrChanged, p.own(journalFile))
	}
	return p.replace(p.root, r.File, r.Original, r.Mode)
}

// replace gives a file below root new contents atomically: they are on the disk under
// another name, which is that of no other file or link, before it is renamed.
func (p *place) replace(root *os.Root, name string, contents []byte, mode fs.FileMode) error {
	temporary := name + temporarySuffix
	if err := root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := root.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(contents)
	// The mode given at creation is subject to the umask.
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	p.between()
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		_ = root.Remove(temporary) // the first error counts
	}
	return err
}
