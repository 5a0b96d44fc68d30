package document

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"ordeal/sim/osfile"
)

// extensions are those of files that may be included: whatever a file of
// another's making names, nothing but YAML files is opened.
var extensions = []string{".yaml", ".yml"}

// OnDisk includes files of the disk, by paths relative to the directory of the
// file that includes them. Only regular files of at most MaxSize named *.yaml
// or *.yml are read.
func OnDisk(from, name string) (string, []byte, error) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(from), name)
	}
	name = filepath.Clean(name)
	if err := yamlName(name); err != nil {
		return "", nil, err
	}
	f, err := osfile.OpenRegular(name)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	text, err := Bounded(f)
	return name, text, err
}

// In includes files of a file system, as OnDisk does.
func In(files fs.FS) func(from, name string) (string, []byte, error) {
	return func(from, name string) (string, []byte, error) {
		if !path.IsAbs(name) {
			name = path.Join(path.Dir(from), name)
		}
		if err := yamlName(name); err != nil {
			return "", nil, err
		}
		text, err := fs.ReadFile(files, name)
		return name, text, err
	}
}

// Bounded reads what a file has, one byte more than MaxSize at most: Read
// refuses that.
func Bounded(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, MaxSize+1)) }

// yamlName refuses a name that is not that of a YAML file.
func yamlName(name string) error {
	if !slices.Contains(extensions, path.Ext(name)) {
		return fmt.Errorf("%s: want a file named *.yaml or *.yml", name)
	}
	return nil
}
