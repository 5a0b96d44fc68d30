package campaigns

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// set applies one override KEY=VALUE. KEY is a path of keys joined by dots; a
// list item is named by its index from 0, by its name, or by * for all items:
//
//	seed=7
//	configs.sb.runs=10
//	configs.*.rounds=100
//
// VALUE is YAML.
func (f *file) set(override string) error {
	path, text, ok := strings.Cut(override, "=")
	if !ok || path == "" {
		return fmt.Errorf("--set %s: want KEY=VALUE", override)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return fmt.Errorf("--set %s: %s", override, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return fmt.Errorf("--set %s: no value", override)
	}
	value := doc.Content[0]
	value.Line, value.LineComment = 0, "--set "+override
	if err := setPath(f.root, strings.Split(path, "."), value); err != nil {
		return fmt.Errorf("--set %s: %w", override, err)
	}
	return nil
}

// setPath puts value where path leads to from node.
func setPath(node *yaml.Node, path []string, value *yaml.Node) error {
	step := path[0]
	if node.Kind == yaml.SequenceNode && step == "*" {
		for _, item := range node.Content {
			if len(path) == 1 {
				*item = *value
			} else if err := setPath(item, path[1:], value); err != nil {
				return err
			}
		}
		return nil
	}
	next := child(node, step)
	switch {
	case len(path) > 1 && next == nil && node.Kind == yaml.MappingNode:
		next = &yaml.Node{Kind: yaml.MappingNode, LineComment: value.LineComment}
		putKey(node, step, next)
		return setPath(next, path[1:], value)
	case len(path) > 1 && next != nil:
		return setPath(next, path[1:], value)
	case node.Kind == yaml.MappingNode:
		putKey(node, step, value)
	case next != nil:
		*next = *value
	default:
		return fmt.Errorf("nothing is called %q here", step)
	}
	return nil
}

// putKey sets key of mapping node itself, not of a mapping merged into it.
func putKey(node *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			node.Content[i+1] = value
			return
		}
	}
	k := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, LineComment: value.LineComment}
	node.Content = append(node.Content, k, value)
}
