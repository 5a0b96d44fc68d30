package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Files reads what lies in the directory of a campaign, which may come from
// others: links that lead out of it, devices and files that are too large are
// refused.
type Files struct{ root *os.Root }

// OpenFiles opens the directory of a campaign.
func OpenFiles(dir string) (*Files, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Files{root}, nil
}

// Close closes the directory.
func (f *Files) Close() error { return f.root.Close() }

// errLarge says that a file is larger than what is read of one.
var errLarge = errors.New("too large for a report")

// Read reads a file of at most limit bytes.
func (f *Files) Read(name string, limit int64) ([]byte, error) {
	// Opening what is no file, a pipe for instance, could take forever.
	info, err := f.root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: not a file", name)
	}
	file, err := f.root.Open(name)
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
	_, err := f.root.Stat(name)
	return err == nil
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
