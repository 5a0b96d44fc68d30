package tree

import (
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
)

// The folder in the tree in which this package keeps its files, only while a
// change is planted, but for the lock.
const (
	ownFolder   = ".ordeal"
	journalFile = "journal.json"
	backupFile  = "original"
	lockFile    = "lock"
)

// asideSuffix names the binary that was moved aside.
const asideSuffix = ".ordeal-original"

// journal is what is needed to put things back. It is on the disk before the
// first change and until after the last one.
type journal struct {
	File     string      `json:"file"` // from the root of the tree
	Mode     fs.FileMode `json:"mode"`
	Original string      `json:"original"` // SHA-256 of the contents
	Changed  string      `json:"changed"`
	Binary   string      `json:"binary"` // as Tree.Binary
}

func (t *Tree) own(name string) string { return filepath.Join(t.Dir, ownFolder, name) }

// between is called between changes of the disk.
func (t *Tree) between() {
	if t.step != nil {
		t.step()
	}
}

// lock keeps other processes from the tree. The lock goes with the process.
func (t *Tree) lock() (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Join(t.Dir, ownFolder), 0o755); err != nil {
		return nil, fmt.Errorf("lock tree: %w", err)
	}
	f, err := os.OpenFile(t.own(lockFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock tree: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close() // nothing was written
		return nil, fmt.Errorf("lock tree %s: another process is changing it: %w", t.Dir, err)
	}
	return func() { f.Close() }, nil // the lock ends with the file
}

// plant writes the journal, moves the binary aside and replaces the file.
func (t *Tree) plant(file string, contents []byte) error {
	path := filepath.Join(t.Dir, file)
	original, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("change file: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("change file: %w", err)
	}
	j := journal{File: file, Mode: info.Mode().Perm(), Original: sum(original), Changed: sum(contents), Binary: t.Binary}
	data, err := json.MarshalIndent(j, "", "\t")
	if err != nil {
		return fmt.Errorf("change file: %w", err)
	}
	t.between()
	if err := replace(t.own(backupFile), original, 0o644); err != nil {
		return err
	}
	t.between()
	if err := replace(t.own(journalFile), data, 0o644); err != nil {
		return err
	}
	t.between()
	if err := os.Rename(t.binary(), t.binary()+asideSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("move binary aside: %w", err)
	}
	t.between()
	if err := replace(path, contents, j.Mode); err != nil {
		return err
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
	if err := json.Unmarshal(data, &j); err != nil || !filepath.IsLocal(j.File) {
		return fmt.Errorf("recover tree: %s is no journal (%v): remove it if %s is as it should be", t.own(journalFile), err, t.Dir)
	}
	if err := t.putBack(&j); err != nil {
		return err
	}
	t.between()
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

// putBack restores the file.
func (t *Tree) putBack(j *journal) error {
	path := filepath.Join(t.Dir, j.File)
	now, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("recover tree: %w", err)
	}
	switch {
	case err == nil && sum(now) == j.Original:
		return nil
	case err == nil && sum(now) != j.Changed:
		return fmt.Errorf("recover tree: %s: %w; what it was is in %s", path, ErrChanged, t.own(backupFile))
	}
	original, err := os.ReadFile(t.own(backupFile))
	if err != nil {
		return fmt.Errorf("recover tree: %w", err)
	}
	if sum(original) != j.Original {
		return fmt.Errorf("recover tree: %s is not what %s was", t.own(backupFile), path)
	}
	return replace(path, original, j.Mode)
}

// tidy removes what is needed no more, and what a process left that was
// killed before it had written its journal.
func (t *Tree) tidy() error {
	if err := os.Remove(t.own(backupFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("recover tree: %w", err)
	}
	return nil
}

// replace makes path have contents, in one step: it is on the disk, whole,
// under another name before it takes the place of the old one.
func replace(path string, contents []byte, mode fs.FileMode) error {
	temporary := path + ".ordeal-new"
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return fmt.Errorf("replace file: %w", err)
	}
	_, err = f.Write(contents)
	// The mode given at creation is subject to the umask.
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
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
