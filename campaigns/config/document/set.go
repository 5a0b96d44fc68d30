package document

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/internal/messages"
)

// Set applies one override KEY=VALUE. KEY is a path of keys joined by dots; a
// list item is named by its index from 0, by its name, or by * for all items:
//
//	seed=7
//	configs.sb.runs=10
//	configs.*.rounds=100
//
// VALUE is YAML.
func (d *Document) Set(override string) error {
	place := "--set " + override
	path, text, ok := strings.Cut(override, "=")
	if !ok || path == "" {
		return fmt.Errorf("%s: want KEY=VALUE", place)
	}
	value, err := d.value(place, text)
	if err != nil {
		return err
	}
	if err := d.put(d.root, strings.Split(path, "."), value); err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	return nil
}

// value reads the value of an override.
func (d *Document) value(place, text string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, fmt.Errorf("%s: %s", place, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return nil, fmt.Errorf("%s: no value", place)
	}
	lines := make(map[*yaml.Node]string)
	t := &tree{name: place, places: lines, open: make(map[*yaml.Node]bool)}
	value := t.resolve(doc.Content[0], 0)
	if t.fatal != nil {
		return nil, t.fatal
	}
	if len(t.faults) > 0 {
		return nil, t.faults[0]
	}
	for n := range lines {
		d.places[n] = place
	}
	return value, nil
}

// put puts value where path leads to from node.
func (d *Document) put(node *yaml.Node, path []string, value *yaml.Node) error {
	step := path[0]
	if node.Kind == yaml.SequenceNode && step == "*" {
		for i, item := range node.Content {
			if len(path) == 1 {
				node.Content[i] = d.clone(value)
			} else if err := d.put(item, path[1:], value); err != nil {
				return err
			}
		}
		return nil
	}
	at := index(node, step)
	if node.Kind == yaml.SequenceNode {
		// Names have dots, too: the longest one counts.
		for n := len(path); n > 1; n-- {
			if i := index(node, strings.Join(path[:n], ".")); i >= 0 {
				at, path = i, path[n-1:]
				break
			}
		}
	}
	if at < 0 && node.Kind == yaml.MappingNode {
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: step}
		next := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		d.places[key], d.places[next] = d.places[value], d.places[value]
		node.Content = append(node.Content, key, next)
		at = len(node.Content) - 1
	}
	switch {
	case at < 0:
		return fmt.Errorf("nothing is called %q here%s", step, messages.Hint(step, names(node)))
	case len(path) > 1:
		return d.put(node.Content[at], path[1:], value)
	}
	node.Content[at] = d.clone(value)
	return nil
}

// names are those of the items of a sequence.
func names(sequence *yaml.Node) []string {
	var list []string
	for _, item := range sequence.Content {
		if name := itemName(item); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// clone copies a tree, places included.
func (d *Document) clone(n *yaml.Node) *yaml.Node {
	made := *n
	made.Content = nil
	for _, c := range n.Content {
		made.Content = append(made.Content, d.clone(c))
	}
	d.places[&made] = d.places[n]
	return &made
}
