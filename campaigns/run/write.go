package run

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"ordeal/campaigns/internal/messages"
)

// WriteFile writes a file whole or not at all: under a temporary name first,
// then renamed. With flush it also reaches the disk before WriteFile returns.
func WriteFile(path string, data []byte, flush bool) error {
	return replace(path, flush, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// StreamFile is WriteFile of what write writes, which need not fit in memory. An
// error of write leaves a file that was there as it was.
func StreamFile(path string, flush bool, write func(io.Writer) error) error {
	return replace(path, flush, buffered(write))
}

// replace is StreamFile without a buffer, which small files do not need.
func replace(path string, flush bool, write func(io.Writer) error) (err error) {
	tmp, err := Temporary(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = Remove(tmp.Name())
		}
	}()
	if err := write(tmp); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if flush {
		if err := Sync(tmp); err != nil {
			return err
		}
	}
	if err := tmp.Close(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := Rename(tmp.Name(), path); err != nil {
		return err
	}
	if flush {
		return Flush(filepath.Dir(path))
	}
	return nil
}

// streamBuffer is how much is written to a file at a time.
const streamBuffer = 1 << 16

// buffered is write with a buffer before the writer.
func buffered(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		b := bufio.NewWriterSize(w, streamBuffer)
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	}
}

// WriteJSON writes v as indented JSON, whole or not at all.
func WriteJSON(path string, v any, flush bool) error {
	data, err := marshal(path, v)
	if err != nil {
		return err
	}
	return WriteFile(path, data, flush)
}

// marshal writes what acts on a terminal as JSON's own escapes.
func marshal(path string, v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return []byte(messages.Escape(string(data)) + "\n"), nil
}

// ReadJSON reads what WriteJSON wrote.
func ReadJSON(path string, v any) error {
	data, err := ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// WriteText is WriteFile of a text for users, in which messages of simulators and
// protocols may be: what acts on a terminal is escaped.
func WriteText(path, text string, flush bool) error {
	return WriteFile(path, []byte(messages.Escape(text)), flush)
}

// WriteChanged is WriteFile of a file unless it has these contents: one that others read stays
// as it is.
func WriteChanged(path string, data []byte, flush bool) error {
	if old, err := ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return WriteFile(path, data, flush)
}

// WriteChangedJSON is WriteChanged of indented JSON.
func WriteChangedJSON(path string, v any) error {
	data, err := marshal(path, v)
	if err != nil {
		return err
	}
	return WriteChanged(path, data, true)
}

// SameContents compares two files.
func SameContents(a, b string) (bool, error) {
	var sums [2][]byte
	for i, path := range []string{a, b} {
		f, err := Open(path)
		if err != nil {
			return false, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return false, err
		}
		sums[i] = h.Sum(nil)
	}
	return bytes.Equal(sums[0], sums[1]), nil
}
