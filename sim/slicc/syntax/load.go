package syntax

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxIncludes is how many include declarations are followed in one protocol,
// and maxIncludeDepth how deep.
const (
	maxIncludes     = 1000
	maxIncludeDepth = 50
)

// MaxText is how many bytes the files of a protocol may have together: far more
// than anyone writes by hand.
const MaxText = 8 << 20

// Load reads a protocol: the file root and, recursively, every file it
// includes, found in fsys. An included file is looked for beside the including
// file, then beside root and in the directories above it, as gem5 does with
// its protocol directory. The types that all protocols share are included as by
// gem5 since v24.1: see shareInterfaces. The files have at most MaxText bytes.
// The error is a Faults with the faults of all files.
func Load(fsys fs.FS, root string) (*File, error) { return LoadWith(fsys, root, "") }

// LoadWith is Load of a protocol with a file of builtins; see ParseBuiltins. An empty
// name stands for none.
func LoadWith(fsys fs.FS, root, builtins string) (*File, error) {
	l := loader{fsys: fsys, root: path.Dir(root)}
	start := Pos{File: root, Line: 1, Col: 1}
	file := l.file(root, start)
	if len(l.faults) == 0 && !declares(file, sharedType) && !declares(file, olderType) {
		l.shareInterfaces(file, start)
	}
	if builtins != "" && len(l.faults) == 0 {
		src, _ := l.read(builtins, Pos{File: builtins, Line: 1, Col: 1})
		supplied, err := ParseBuiltins(builtins, src)
		if file.Builtins = supplied; err != nil {
			l.faults = append(l.faults, err.(Faults)...)
		}
	}
	if len(l.faults) == 0 {
		l.faults = modernize(file)
	}
	if len(l.faults) > 0 {
		return nil, l.faults
	}
	return file, nil
}

type loader struct {
	fsys     fs.FS
	root     string   // directory of the root file
	open     []string // files being read, outermost first
	includes int
	bytes    int // of the files read so far
	faults   Faults
}

// file reads and parses one file and those it includes; from is the include
// declaration that names it.
func (l *loader) file(name string, from Pos) *File {
	src, ok := l.read(name, from)
	if !ok {
		return nil
	}
	file := listed(name, src)
	if file == nil {
		var err error
		if file, err = Parse(name, src); err != nil {
			l.faults = append(l.faults, err.(Faults)...)
			return nil
		}
	}
	l.open = append(l.open, name)
	for d := range file.Includes() {
		if err := l.include(d); err != nil {
			l.faults.Add(d.Pos, "%v", err)
		}
	}
	l.open = l.open[:len(l.open)-1]
	return file
}

// read reads the text of a file; from is where it is named.
func (l *loader) read(name string, from Pos) (src []byte, ok bool) {
	src, err := fs.ReadFile(l.fsys, name)
	if err != nil {
		l.faults.Add(from, "read protocol file %s: %v", name, reason(err))
		return nil, false
	}
	if l.bytes += len(src); l.bytes > MaxText {
		l.faults.Add(from, "read protocol file %s: the files of the protocol have more than %d bytes", name, MaxText)
		return nil, false
	}
	return src, true
}

// reason drops the operation and path of a path error: the message names the
// file already.
func reason(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

func (l *loader) include(d *Include) error {
	l.includes++
	if l.includes > maxIncludes {
		return fmt.Errorf("include %q: more than %d includes", d.Path, maxIncludes)
	}
	if len(l.open) >= maxIncludeDepth {
		return fmt.Errorf("include %q: nested deeper than %d files", d.Path, maxIncludeDepth)
	}
	name, err := l.find(d.Path)
	if err != nil {
		return err
	}
	if slices.Contains(l.open, name) {
		return fmt.Errorf("include %q: file includes itself", d.Path)
	}
	d.File = l.file(name, d.Pos)
	return nil
}

// interfaces is the file with the types that all protocols of a gem5 tree share, and
// sharedType one of them.
const (
	interfaces = "RubySlicc_interfaces.slicc"
	sharedType = "Addr"
	olderType  = "Address" // what that was until 2015
)

// declares reports whether a file, or one that it includes, declares a type.
func declares(file *File, name string) bool {
	for _, d := range file.Decls {
		if s, ok := d.(*Struct); ok && s.Name.Name == name {
			return true
		}
	}
	for d := range file.Includes() {
		if d.File != nil && declares(d.File, name) {
			return true
		}
	}
	return false
}

// shareInterfaces puts the shared interfaces in front of a root file where the tree
// has them: since gem5 v24.1 the compiler reads them first by itself. Protocols that
// include them, or declare such types themselves, are left alone.
func (l *loader) shareInterfaces(file *File, start Pos) {
	l.open = []string{file.Name}
	defer func() { l.open = nil }()
	if _, err := l.find(interfaces); err != nil {
		return
	}
	d := &Include{DeclNode: DeclNode{start}, Path: interfaces, Implicit: true}
	if err := l.include(d); err != nil {
		l.faults.Add(start, "%v", err)
	}
	file.Decls = slices.Insert(file.Decls, 0, Decl(d))
}

// looked says where an included file was looked for, and how to name further places.
func (l *loader) looked(dirs []string) string {
	on, ok := l.fsys.(interface{ Folders() []string })
	if !ok {
		return ""
	}
	var list []string
	for _, folder := range on.Folders() {
		for _, dir := range dirs {
			if at := path.Join(folder, dir); !slices.Contains(list, at) {
				list = append(list, at)
			}
		}
	}
	return " in " + strings.Join(list, ", ") + ": give the folder that has it as --slicc-path FOLDER"
}

func (l *loader) find(include string) (string, error) {
	dirs := []string{path.Dir(l.open[len(l.open)-1])}
	for dir := l.root; ; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == "." || dir == "/" {
			break
		}
	}
	for _, dir := range dirs {
		name := path.Join(dir, include)
		if !fs.ValidPath(name) {
			continue
		}
		if info, err := fs.Stat(l.fsys, name); err == nil && !info.IsDir() {
			return name, nil
		}
	}
	var known []string
	if entries, err := fs.ReadDir(l.fsys, path.Dir(path.Join(dirs[0], include))); err == nil { // else there is no hint
		for _, e := range entries {
			known = append(known, path.Join(path.Dir(include), e.Name()))
		}
	}
	if hint := Suggestion(include, known); hint != "" {
		return "", fmt.Errorf("include %q: no such file%s", include, hint)
	}
	return "", fmt.Errorf("include %q: no such file%s", include, l.looked(dirs))
}
