package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"ordeal/campaigns/run"
)

// Files reads what lies in the directory of a campaign, which may come from
// others: links, pipes, devices, what is outside, and files that are too large
// are refused.
type Files struct{ dir string }

// FilesOf reads in a directory that the user has named.
func FilesOf(dir string) *Files { return &Files{run.Resolve(dir)} }

// errLarge says that a file is larger than what is read of one.
var errLarge = errors.New("too large for a report")

// path is the path of what lies in the directory.
func (f *Files) path(name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("read %s: it is outside of %s", name, f.dir)
	}
	return filepath.Join(f.dir, name), nil
}

// Read reads a file of at most limit bytes.
func (f *Files) Read(name string, limit int64) ([]byte, error) {
	path, err := f.path(name)
	if err != nil {
		return nil, err
	}
	file, err := run.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("read %s: %w", name, errLarge)
	}
	return data, nil
}

// Has reports whether there is a file or directory.
func (f *Files) Has(name string) bool {
	path, err := f.path(name)
	return err == nil && run.Exists(path)
}

// Names lists what a directory has whose name matches a pattern of
// filepath.Match, in any order. It is empty where there is no such directory.
func (f *Files) Names(dir, pattern string) []string {
	path, err := f.path(dir)
	if err != nil {
		return nil
	}
	all, _ := run.Names(path) // nothing where there is an error
	var list []string
	for _, name := range all {
		if ok, _ := filepath.Match(pattern, name); ok {
			list = append(list, name)
		}
	}
	return list
}

// JSON reads a file of JSON.
func (f *Files) JSON(name string, limit int64, v any) error {
	data, err := f.Read(name, limit)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
