package config

import (
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config/document"
	"ordeal/gen/option"
)

// MarshalYAML writes a campaign as one file that says everything, as Parse
// reads it: nothing is included. Variables of the environment are in it by name,
// unless RecordValues says otherwise. Left out is what is zero and is so by default.
func (c Campaign) MarshalYAML() (any, error) {
	type plain Campaign // without this method
	n := new(yaml.Node)
	if err := n.Encode(plain(c)); err != nil {
		return nil, err
	}
	tidy(n, reflect.ValueOf(c), reflect.ValueOf(Defaults()), nil)
	for i := range c.Configs {
		item := document.Child(n, "configs").Content[i]
		tidy(item, reflect.ValueOf(c.Configs[i]), reflect.ValueOf(DefaultConfig()), c.Configs[i].Environment)
	}
	return n, nil
}

// tidy takes keys out of a mapping, which value v was encoded to, whose values
// are zero in v and in defaults, and writes dollars so that they are read back,
// and variables of the environment as they were written.
func tidy(n *yaml.Node, v, defaults reflect.Value, e *Environment) {
	for _, o := range option.Of(v.Type()) {
		value := document.Child(n, o.Name)
		own, usual := v.FieldByIndex(o.Field.Index), defaults.FieldByIndex(o.Field.Index)
		if isEmpty(own) && isEmpty(usual) {
			at := slices.Index(n.Content, value)
			n.Content = slices.Delete(n.Content, at-1, at+1)
		} else if o.Env {
			if e == nil || !restore(value, e.Written[o.Name]) {
				escape(value)
			}
		} else if own.Kind() == reflect.Pointer {
			tidy(value, own.Elem(), reflect.Zero(own.Type().Elem()), nil)
		}
	}
}

// isEmpty tells whether a value is its type's zero, or a list of nothing.
func isEmpty(v reflect.Value) bool {
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

// restore gives a scalar, or the items of a list, the texts with variables, if
// there are any.
func restore(n *yaml.Node, written []string) bool {
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		nodes = n.Content
	}
	if len(written) != len(nodes) {
		return false
	}
	for i, text := range written {
		nodes[i].SetString(text)
	}
	return true
}

// escape writes the dollars of a scalar, or of a list of those.
func escape(n *yaml.Node) {
	n.Value = document.Escape(n.Value)
	for _, item := range n.Content {
		escape(item)
	}
}
