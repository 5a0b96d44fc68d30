package run

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ordeal/campaigns/internal/must"
)

// TestTooLarge has files of others that are larger than memory: they are refused before
// they are read, a program much earlier, of which tables are made.
func TestTooLarge(t *testing.T) {
	old := available
	t.Cleanup(func() { available = old })
	dir := Dir(t.TempDir())
	for _, test := range []struct {
		file            string
		size, available int64
		refused         bool
	}{
		{LogFile, 40 << 20, 160<<20 - 1, true},
		{LogFile, 40 << 20, 160 << 20, false},
		{LogFile, 40 << 20, 0, false}, // not known
		{LogFile, 16 << 20, 1, false}, // small
		{SpecFile, 40 << 20, 1 << 20, true},
		{ResultFile, 40 << 20, 1 << 20, true},
		{ProgramFile, 40 << 20, 640<<20 - 1, true},
		{ProgramFile, 40 << 20, 640 << 20, false},
	} {
		path := filepath.Join(string(dir), test.file)
		must.Succeed(t, os.WriteFile(path, nil, 0o600))
		must.Succeed(t, os.Truncate(path, test.size)) // takes no place
		available = func() int64 { return test.available }
		var err error
		switch test.file {
		case LogFile:
			_, err = dir.Log()
		case SpecFile:
			_, err = dir.Spec()
		case ResultFile:
			_, err = dir.Result()
		case ProgramFile:
			_, err = dir.Program(new(Spec))
		}
		if errors.Is(err, ErrSize) != test.refused {
			t.Errorf("%s of %d bytes, %d available: %v, want refused %v", test.file, test.size, test.available, err, test.refused)
		}
	}
}
