package document

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// includeKey names, at the top of a file, the file or the list of files below
// it.
const includeKey = "include"

// Reader reads documents.
type Reader struct {
	// Include gives the name and the text of a file that the file FROM
	// includes by PATH; nil: no file includes another.
	Include func(from, path string) (name string, text []byte, err error)
	// Getenv is the environment, for paths of included files.
	Getenv func(name string) string
}

// Read reads the document in a text, which came from the file of that name,
// and everything that it includes. The values of a file count more than those
// of the files it includes, and those of later files of a list more than those
// of earlier ones. The error names all faults by file and line.
func (r *Reader) Read(name string, text []byte) (*Document, error) {
	d := &Document{name: name, places: make(map[*yaml.Node]string)}
	p := &pile{Reader: r, places: d.places}
	root, err := p.read(name, text)
	if err != nil {
		return nil, err
	}
	d.root = root
	return d, nil
}

// pile is a document on its way from files to a tree.
type pile struct {
	*Reader
	places map[*yaml.Node]string
	open   []string // files that are being read, the outermost first
	files  int
}

// read is the tree of a file and all below it.
func (p *pile) read(name string, text []byte) (*yaml.Node, error) {
	if p.files++; p.files > MaxFiles {
		return nil, fmt.Errorf("more than %d files", MaxFiles)
	}
	own, err := parse(name, text, p.places)
	if err != nil {
		return nil, err
	}
	i := index(own, includeKey)
	if i < 0 {
		return own, nil
	}
	paths := own.Content[i]
	own.Content = slices.Delete(own.Content, i-1, i+1)
	p.open = append(p.open, name)
	defer func() { p.open = p.open[:len(p.open)-1] }()
	below, err := p.below(name, paths)
	if err != nil || below == nil {
		return own, err
	}
	return merge(below, own), nil
}

// below is the tree of the files that a file includes; nil where there are
// none.
func (p *pile) below(from string, paths *yaml.Node) (*yaml.Node, error) {
	list := []*yaml.Node{paths}
	if paths.Kind == yaml.SequenceNode {
		list = paths.Content
	} else if IsNull(paths) {
		return nil, nil
	}
	var tree *yaml.Node
	var faults []error
	for _, path := range list {
		next, err := p.include(from, path)
		switch {
		case err != nil:
			faults = append(faults, err)
		case tree == nil:
			tree = next
		default:
			tree = merge(tree, next)
		}
	}
	return tree, errors.Join(faults...)
}

// include is the tree of one file that another includes.
func (p *pile) include(from string, path *yaml.Node) (*yaml.Node, error) {
	place := p.places[path]
	failed := func(format string, args ...any) error {
		return fault(place, includeKey+": "+format, args...)
	}
	if path.Kind != yaml.ScalarNode || IsNull(path) || path.Value == "" {
		return nil, failed("want the path of a file, or a list of those")
	}
	if p.Include == nil {
		return nil, failed("%s: no files are included here", path.Value)
	}
	wanted, err := Expand(path.Value, p.Getenv)
	if err != nil {
		return nil, failed("%w", err)
	}
	if len(p.open) > MaxDepth {
		return nil, failed("%s: files include each other more than %d deep", wanted, MaxDepth)
	}
	name, text, err := p.Include(from, wanted)
	if err != nil {
		return nil, failed("%w", err)
	}
	if i := slices.Index(p.open, name); i >= 0 {
		return nil, failed("%s includes itself: %s", name, strings.Join(append(slices.Clone(p.open[i:]), name), " → "))
	}
	tree, err := p.read(name, text)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s: included here", err, place)
	}
	return tree, nil
}
