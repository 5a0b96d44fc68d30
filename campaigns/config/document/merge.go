package document

import (
	"slices"

	"gopkg.in/yaml.v3"
)

// merge puts one tree over another and returns the result, which has the nodes
// of both. Mappings are merged key by key, lists of mappings with names item
// by item of the same name, new items at the end; of anything else the upper
// one counts alone.
func merge(lower, upper *yaml.Node) *yaml.Node {
	switch {
	case lower.Kind == yaml.MappingNode && upper.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(upper.Content); i += 2 {
			key, value := upper.Content[i], upper.Content[i+1]
			if at := index(lower, key.Value); at >= 0 {
				lower.Content[at] = merge(lower.Content[at], value)
				lower.Content[at-1] = key
			} else {
				lower.Content = append(lower.Content, key, value)
			}
		}
		return lower
	case named(lower) && named(upper):
		for _, item := range upper.Content {
			name := itemName(item)
			at := slices.IndexFunc(lower.Content, func(n *yaml.Node) bool { return itemName(n) == name })
			if at >= 0 {
				lower.Content[at] = merge(lower.Content[at], item)
			} else {
				lower.Content = append(lower.Content, item)
			}
		}
		return lower
	}
	return upper
}

// named tells whether a node is a list of mappings, each with a name.
func named(n *yaml.Node) bool {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return false
	}
	return !slices.ContainsFunc(n.Content, func(item *yaml.Node) bool { return itemName(item) == "" })
}
