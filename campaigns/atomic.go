package campaigns

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// writeFile writes a file whole or not at all: under a temporary name first,
// then renamed. With flush it also reaches the disk before writeFile returns.
func writeFile(path string, data []byte, flush bool) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
		}
	}()
	if _, err := tmp.Write(data); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := tmp.Chmod(0o644); err != nil {
		return err
	}
	if flush {
		if err := tmp.Sync(); err != nil {
			return fmt.Errorf("flush %s: %w", path, err)
		}
	}
	if err := tmp.Close(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	if flush {
		return flushPath(filepath.Dir(path))
	}
	return nil
}

// writeJSON writes v as indented JSON, whole or not at all.
func writeJSON(path string, v any, flush bool) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return writeFile(path, append(data, '\n'), flush)
}

// readJSON reads what writeJSON wrote.
func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// flushPath flushes a file or directory to the disk.
func flushPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("flush %s: %w", path, err)
	}
	return nil
}

// WriteFile writes a file whole or not at all, and to the disk.
func WriteFile(path string, data []byte) error { return writeFile(path, data, true) }
