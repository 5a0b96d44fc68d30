// Package document reads YAML documents that are put together from several
// files and overrides, and knows of every value where it was written.
//
// A document is read in steps. Each file becomes a tree without aliases and
// merges (tree.go), so that a change of one value never changes another. The
// files that it includes are merged below it (include.go, merge.go). Overrides
// replace values (set.go). Variables of the environment in values are for the
// reader of the tree to expand (environment.go), who knows which values have
// them.
package document

import (
	"fmt"
	"strconv"

	"gopkg.in/yaml.v3"
)

// The bounds of a document: a file of another's making cannot make its reader
// large or slow.
const (
	// MaxSize is that of a file, in bytes.
	MaxSize = 4 << 20
	// MaxValues bounds the keys and values of a file, aliases written out.
	MaxValues = 1 << 18
	// MaxNesting bounds how deep lists and mappings nest.
	MaxNesting = 64
	// MaxDepth bounds how deep files include files, MaxFiles how many there
	// are altogether.
	MaxDepth = 16
	MaxFiles = 100
)

// Document is a tree of mappings, lists and scalars.
type Document struct {
	name   string
	root   *yaml.Node
	places map[*yaml.Node]string
}

// Root is the mapping at the top. Its nodes have no aliases and no merges, and
// no two of them are one.
func (d *Document) Root() *yaml.Node { return d.root }

// PlaceOf is where a node was written: FILE:LINE, or the override that made it.
func (d *Document) PlaceOf(n *yaml.Node) string {
	if place := d.places[n]; place != "" {
		return place
	}
	return d.name
}

// Place is where the value is written that path leads to; a list item is named
// by its index from 0 or by its name. A path that leads nowhere stands for a
// default: the place of its nearest ancestor is given.
func (d *Document) Place(path ...string) string {
	node := d.root
	for _, step := range path {
		next := Child(node, step)
		if next == nil {
			break
		}
		node = next
	}
	return d.PlaceOf(node)
}

// Child is the value that a key, or the index or the name of a list item leads
// to; nil when there is none.
func Child(node *yaml.Node, step string) *yaml.Node {
	if i := index(node, step); i >= 0 {
		return node.Content[i]
	}
	return nil
}

// index is the place of Child in the content of a node, or -1.
func index(node *yaml.Node, step string) int {
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == step {
				return i + 1
			}
		}
	case yaml.SequenceNode:
		if n, err := strconv.Atoi(step); err == nil && n >= 0 && n < len(node.Content) {
			return n
		}
		for i, item := range node.Content {
			if name := itemName(item); name == step && name != "" {
				return i
			}
		}
	}
	return -1
}

// itemName is what the key name of a list item says; empty where it says
// nothing.
func itemName(item *yaml.Node) string {
	if item.Kind != yaml.MappingNode {
		return ""
	}
	if i := index(item, "name"); i >= 0 && item.Content[i].Kind == yaml.ScalarNode {
		return item.Content[i].Value
	}
	return ""
}

// IsNull tells whether a value is written as nothing, as ~ or as null.
func IsNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// fault is an error at a place.
func fault(place, format string, args ...any) error {
	return fmt.Errorf("%s: %w", place, fmt.Errorf(format, args...))
}
