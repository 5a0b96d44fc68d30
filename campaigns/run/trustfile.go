package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ordeal/sim/osfile"
)

// File is the path of a trust file. It has a line of JSON for each entry.
type File string

// UserFile is the trust file of this user: ordeal/trust in the directory for
// configuration, $XDG_CONFIG_HOME or ~/.config.
func UserFile() (File, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no place for the trust file: %w", err)
	}
	return File(filepath.Join(dir, "ordeal", "trust")), nil
}

// entry is a line of the file: the directory, by its real path, whose records
// may have these commands executed.
type entry struct {
	Dir      string    `json:"dir"`
	Commands []Command `json:"commands"`
}

// Allows lists the commands that are not trusted for a directory: neither for it
// nor for one that it is in.
func (f File) Allows(dir string, commands []Command) (missing []Command, err error) {
	real, err := realPath(dir)
	if err != nil {
		return commands, err
	}
	entries, err := f.read()
	if err != nil {
		return commands, err
	}
	var allowed []Command
	for _, e := range entries {
		if contains(e.Dir, real) {
			allowed = append(allowed, e.Commands...)
		}
	}
	for _, c := range commands {
		if !slices.ContainsFunc(allowed, func(has Command) bool { return same(c, has) }) {
			missing = append(missing, c)
		}
	}
	return missing, nil
}

// Add adds commands that records of a directory may have executed. The
// directory need not exist yet.
func (f File) Add(dir string, commands []Command) error {
	missing, err := f.Allows(dir, commands)
	if err != nil || len(missing) == 0 {
		return err
	}
	real, err := realPath(dir)
	if err != nil {
		return err
	}
	line, err := json.Marshal(entry{real, missing})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(string(f), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return errors.Join(err, out.Close())
}

// read reads the entries. A file that others could have written counts for
// nothing, and is an error; lines that make no sense do not count.
func (f File) read() ([]entry, error) {
	data, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if others, err := osfile.WritableByOthers(string(f)); err != nil {
		return nil, err
	} else if others {
		return nil, fmt.Errorf("%s: others may write to it: it must be yours, with permissions like 0600", f)
	}
	var list []entry
	for line := range bytes.Lines(data) {
		var e entry
		if json.Unmarshal(line, &e) == nil && filepath.IsAbs(e.Dir) {
			list = append(list, e)
		}
	}
	return list, nil
}

// contains reports whether a path is a directory or below it.
func contains(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// realPath is the absolute path of a directory without symbolic links. It need
// not exist.
func realPath(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return Resolve(abs), nil
}
