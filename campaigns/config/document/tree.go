package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// parse reads one file into a tree whose root is a mapping, and notes the
// places of its nodes.
func parse(name string, text []byte, places map[*yaml.Node]string) (*yaml.Node, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("%s: more than %d bytes", name, MaxSize)
	}
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: the campaign file is empty", name)
	} else if err != nil {
		return nil, syntaxError(name, err)
	}
	if err := dec.Decode(new(yaml.Node)); err == nil {
		return nil, fmt.Errorf("%s: more than one YAML document", name)
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(name, err)
	}
	t := &tree{name: name, places: places, open: make(map[*yaml.Node]bool)}
	root := t.resolve(doc.Content[0], 0)
	if t.fatal != nil {
		return nil, t.fatal
	}
	if root.Kind != yaml.MappingNode {
		t.faults = append(t.faults, fault(places[root], "a campaign file is a mapping of keys to values"))
	}
	return root, errors.Join(Distinct(t.faults)...)
}

// Distinct drops errors that say what an earlier one says: a fault at an anchor
// is one in every copy.
func Distinct(faults []error) []error {
	seen := make(map[string]bool)
	return slices.DeleteFunc(faults, func(err error) bool {
		again := err == nil || seen[err.Error()]
		if err != nil {
			seen[err.Error()] = true
		}
		return again
	})
}

// syntaxError gives an error of yaml the form of ours: "yaml: line 3: what"
// becomes "FILE:3: what".
func syntaxError(name string, err error) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(message, "line "); ok {
		return fmt.Errorf("%s:%s", name, rest)
	}
	return fmt.Errorf("%s: %s", name, message)
}

// tree is a file on its way to a tree: aliases are written out as copies of
// what they stand for, merges ("<<") as keys of the mapping they are in.
type tree struct {
	name   string
	places map[*yaml.Node]string
	values int
	open   map[*yaml.Node]bool // anchors that are being written out
	faults []error
	fatal  error // a bound is exceeded
}

func (t *tree) place(n *yaml.Node) string { return fmt.Sprintf("%s:%d", t.name, n.Line) }

// note makes a node of the tree out of one of the file.
func (t *tree) note(n *yaml.Node, content []*yaml.Node) *yaml.Node {
	made := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Style: n.Style & yaml.TaggedStyle, Content: content}
	t.places[made] = t.place(n)
	return made
}

// resolve copies a node at a depth of nesting, without aliases and merges.
func (t *tree) resolve(n *yaml.Node, depth int) *yaml.Node {
	if t.values++; t.values > MaxValues && t.fatal == nil {
		t.fatal = fault(t.place(n), "more than %d values, aliases written out", MaxValues)
	}
	if depth > MaxNesting && t.fatal == nil {
		t.fatal = fault(t.place(n), "lists and mappings nest deeper than %d", MaxNesting)
	}
	if t.fatal != nil {
		return t.note(n, nil)
	}
	switch n.Kind {
	case yaml.AliasNode:
		if t.open[n.Alias] {
			t.faults = append(t.faults, fault(t.place(n), "anchor %q contains itself", n.Value))
			return t.note(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line}, nil)
		}
		return t.resolve(n.Alias, depth)
	case yaml.MappingNode:
		t.open[n] = true
		defer delete(t.open, n)
		return t.note(n, t.mapping(n, depth))
	case yaml.SequenceNode:
		t.open[n] = true
		defer delete(t.open, n)
		var content []*yaml.Node
		for _, item := range n.Content {
			content = append(content, t.resolve(item, depth+1))
		}
		return t.note(n, content)
	}
	return t.note(n, nil)
}

// mapping is the content of a mapping: its own keys, then those merged into it
// that it has not.
func (t *tree) mapping(n *yaml.Node, depth int) []*yaml.Node {
	var content, merged []*yaml.Node
	line := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" {
			merged = append(merged, t.merged(value, depth)...)
			continue
		}
		if key.Kind != yaml.ScalarNode {
			t.faults = append(t.faults, fault(t.place(key), "a key is a word"))
			continue
		}
		if first, ok := line[key.Value]; ok {
			t.faults = append(t.faults, fault(t.place(key), "key %q is in line %d already", key.Value, first))
			continue
		}
		line[key.Value] = key.Line
		content = append(content, t.note(key, nil), t.resolve(value, depth+1))
	}
	for i := 0; i+1 < len(merged); i += 2 {
		if _, ok := line[merged[i].Value]; !ok {
			line[merged[i].Value] = 0
			content = append(content, merged[i], merged[i+1])
		}
	}
	return content
}

// merged are the keys and values that "<<: value" adds: those of a mapping, or
// of several, of which the first counts.
func (t *tree) merged(value *yaml.Node, depth int) []*yaml.Node {
	from := t.resolve(value, depth)
	switch {
	case from.Kind == yaml.MappingNode:
		return from.Content
	case from.Kind == yaml.SequenceNode && !slices.ContainsFunc(from.Content, func(n *yaml.Node) bool { return n.Kind != yaml.MappingNode }):
		var all []*yaml.Node
		for _, m := range from.Content {
			all = append(all, m.Content...)
		}
		return all
	}
	t.faults = append(t.faults, fault(t.place(value), "<<: want an alias of a mapping, or a list of those"))
	return nil
}
