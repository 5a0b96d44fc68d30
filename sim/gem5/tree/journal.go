package tree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The folder in the tree in which this package keeps its files, only while a
// change is planted, but for the lock.
const (
	ownFolder   = ".ordeal"
	journalFile = "journal.json"
	backupFile  = "original"
	lockFile    = "lock"
)

// asideSuffix names the binary that was moved aside, temporarySuffix a file
// that is about to take the place of another.
const (
	asideSuffix     = ".ordeal-original"
	temporarySuffix = ".ordeal-new"
)

// journal is what is needed to put things back. It is on the disk before the
// first change and until after the last one.
type journal struct {
	Files  []planted `json:"files"`
	Binary string    `json:"binary"` // as Tree.Binary
}

// planted is a file that was changed.
type planted struct {
	File     string      `json:"file"` // from the root of the tree
	Mode     fs.FileMode `json:"mode"`
	Original string      `json:"original"` // SHA-256 of the contents
	Changed  string      `json:"changed"`
}

func (t *Tree) own(name string) string { return filepath.Join(t.Dir, ownFolder, name) }

// between is called between changes of the disk.
func (t *Tree) between() {
	if t.step != nil {
		t.step()
	}
}

// lock waits until nobody else changes the tree. The lock goes with the
// process.
func (t *Tree) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Join(t.Dir, ownFolder), 0o755); err != nil {
		return nil, fmt.Errorf("lock tree: %w", err)
	}
	// No file of the folder belongs to the user's repository.
	if err := os.WriteFile(t.own(".gitignore"), []byte("*\n"), 0o644); err != nil {
		return nil, fmt.Errorf("lock tree: %w", err)
	}
	f, err := os.OpenFile(t.own(lockFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock tree: %w", err)
	}
	const between = 100 * time.Millisecond
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil // the lock ends with the file
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			f.Close() // nothing was written
			return nil, fmt.Errorf("lock tree %s: %w", t.Dir, err)
		}
		select {
		case <-ctx.Done():
			f.Close() // nothing was written
			return nil, fmt.Errorf("lock tree %s: somebody else is changing it: %w", t.Dir, context.Cause(ctx))
		case <-time.After(between):
		}
	}
}

// backup is where the contents of file number i are kept.
func (t *Tree) backup(i int) string { return t.own(fmt.Sprintf("%s-%d", backupFile, i)) }

// plant writes the journal, moves the binary aside and replaces the files.
func (t *Tree) plant(changes []Change) error {
	j := journal{Binary: t.Binary}
	for i, c := range changes {
		path := filepath.Join(t.Dir, c.File)
		original, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("change file: %w", err)
		}
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("change file: %w", err)
		}
		j.Files = append(j.Files, planted{File: c.File, Mode: info.Mode().Perm(), Original: sum(original), Changed: sum(c.Contents)})
		t.between()
		if err := t.replace(t.backup(i), original, 0o644); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(j, "", "\t")
	if err != nil {
		return fmt.Errorf("change file: %w", err)
	}
	t.between()
	if err := t.replace(t.own(journalFile), data, 0o644); err != nil {
		return err
	}
	t.between()
	if err := os.Rename(t.binary(), t.binary()+asideSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("move binary aside: %w", err)
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

// recover puts back what the journal tells of; without one there is nothing
// to do. It may itself be interrupted and started again.
func (t *Tree) recover() error {
	data, err := os.ReadFile(t.own(journalFile))
	if errors.Is(err, fs.ErrNotExist) {
		return t.tidy()
	}
	if err != nil {
		return fmt.Errorf("recover tree: %w", err)
	}
	var j journal
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("recover tree: %s is no journal (%w): remove it if %s is as it should be", t.own(journalFile), err, t.Dir)
	}
	var faults []error
	for i := range j.Files {
		faults = append(faults, t.putBack(&j.Files[i], t.backup(i)))
		t.between()
		if err := os.Remove(filepath.Join(t.Dir, j.Files[i].File+temporarySuffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, fmt.Errorf("recover tree: %w", err))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	binary := t.at(j.Binary)
	if err := os.Rename(binary+asideSuffix, binary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("recover tree: %w", err)
	}
	t.between()
	if err := os.Remove(t.own(journalFile)); err != nil {
		return fmt.Errorf("recover tree: %w", err)
	}
	t.between()
	return t.tidy()
}

// putBack restores a file from its backup.
func (t *Tree) putBack(p *planted, backup string) error {
	if !filepath.IsLocal(p.File) {
		return fmt.Errorf("recover tree: %s: the journal names a file outside the tree", p.File)
	}
	path := filepath.Join(t.Dir, p.File)
	now, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("recover tree: %w", err)
	}
	switch {
	case err == nil && sum(now) == p.Original:
		return nil
	case err == nil && sum(now) != p.Changed:
		return fmt.Errorf("recover tree: %s: %w; what it was is in %s", path, ErrChanged, backup)
	}
	original, err := os.ReadFile(backup)
	if err != nil {
		return fmt.Errorf("recover tree: %w", err)
	}
	if sum(original) != p.Original {
		return fmt.Errorf("recover tree: %s is not what %s was", backup, path)
	}
	return t.replace(path, original, p.Mode)
}

// tidy removes what is needed no more, and what a process left that was
// killed before it had written its journal.
func (t *Tree) tidy() error {
	for _, pattern := range []string{backupFile + "-*", "*" + temporarySuffix} {
		left, err := filepath.Glob(t.own(pattern))
		if err != nil {
			return fmt.Errorf("recover tree: %w", err)
		}
		for _, path := range left {
			if err := os.Remove(path); err != nil {
				return fmt.Errorf("recover tree: %w", err)
			}
		}
	}
	return nil
}

// replace makes path have contents, in one step: it is on the disk, whole,
// under another name before it takes the place of the old one.
func (t *Tree) replace(path string, contents []byte, mode fs.FileMode) error {
	temporary := path + temporarySuffix
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return fmt.Errorf("replace file: %w", err)
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
		return fmt.Errorf("replace file: %w", err)
	}
	return nil
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// lookPath finds a command as a shell in folder dir would.
func lookPath(dir, command string) (string, error) {
	if strings.Contains(command, "/") {
		if !filepath.IsAbs(command) {
			command = filepath.Join(dir, command)
		}
		return filepath.Abs(command)
	}
	return exec.LookPath(command)
}

// lastBytes is the end of a file, as far as it can be read.
func lastBytes(path string, n int) string {
	data, _ := os.ReadFile(path)
	return string(data[max(0, len(data)-n):])
}
