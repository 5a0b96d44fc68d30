package litmus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ordeal/campaigns/run"
	"ordeal/parse/formats"
	format "ordeal/parse/formats/litmus"
)

// Suffix is that of the files of litmus tests.
const Suffix = ".litmus"

// maxLists bounds how deep lists name lists.
const maxLists = 100

// Load reads litmus tests: files, all files below folders whose names end in
// Suffix, and lists, files whose names begin with @ that hold the paths of
// files, folders and lists, one a line, from the list's own folder on; # begins
// a comment. A file that is named twice is read once. Tests come in the order
// of the arguments, those of a folder sorted by path. The error joins what is
// wrong, by file and line; the tests that could be read are returned all the
// same.
func Load(paths []string) ([]*Test, error) {
	l := loader{seen: make(map[string]bool)}
	for _, path := range paths {
		l.add(path, 0)
	}
	return l.tests, errors.Join(l.faults...)
}

type loader struct {
	seen   map[string]bool
	tests  []*Test
	faults []error
}

func (l *loader) fault(err error) { l.faults = append(l.faults, err) }

// add reads what a path names, in a list at some depth.
func (l *loader) add(path string, depth int) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		l.fault(err)
	case info.IsDir():
		l.folder(path)
	case depth > 0 && !info.Mode().IsRegular():
		l.fault(fmt.Errorf("%s: %w", path, run.ErrIrregular))
	case strings.HasPrefix(filepath.Base(path), "@"):
		l.list(path, depth)
	default:
		l.file(path)
	}
}

func (l *loader) folder(dir string) {
	before := len(l.seen)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			l.fault(err)
			return nil
		}
		if d.IsDir() || !strings.HasSuffix(path, Suffix) {
			return nil
		}
		// A pipe that is not named on the command line would be waited for.
		if info, err := os.Stat(path); err != nil {
			l.fault(err)
		} else if !info.Mode().IsRegular() {
			l.fault(fmt.Errorf("%s: %w", path, run.ErrIrregular))
		} else {
			l.file(path)
		}
		return nil
	})
	if err != nil {
		l.fault(err)
	}
	if before == len(l.seen) {
		l.fault(fmt.Errorf("%s: no file below it ends in %s", dir, Suffix))
	}
}

func (l *loader) list(path string, depth int) {
	if l.known(path) {
		return
	}
	if depth > maxLists {
		l.fault(fmt.Errorf("%s: lists name lists more than %d deep", path, maxLists))
		return
	}
	data, err := read(path, maxList)
	if err != nil {
		l.fault(err)
		return
	}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(filepath.Dir(path), line)
		}
		l.add(line, depth+1)
	}
}

// known notes a file, and reports whether it was noted before.
func (l *loader) known(path string) bool {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	before := l.seen[abs]
	l.seen[abs] = true
	return before
}

func (l *loader) file(path string) {
	if l.known(path) {
		return
	}
	data, err := read(path, maxTest)
	if err != nil {
		l.fault(err)
		return
	}
	test, err := format.Parse(path, data)
	if err != nil {
		l.fault(err)
		return
	}
	if i := slices.IndexFunc(l.tests, func(t *Test) bool { return t.Name == test.Name }); i >= 0 {
		l.fault(fmt.Errorf("%s: test %s is in %s already", path, test.Name, l.tests[i].File))
		return
	}
	l.tests = append(l.tests, &Test{Test: test, File: path})
}

// The bytes of tests and of lists are bounded, which may come from others and be
// compressed: tests of the literature have some hundred.
const (
	maxTest = 1 << 20
	maxList = 16 << 20
)

// read reads the text of a test or list.
func read(path string, limit int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(formats.Decode(f), int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(data) > limit {
		return nil, fmt.Errorf("read %s: it has more than %d bytes, too many for litmus tests", path, limit)
	}
	return data, nil
}
