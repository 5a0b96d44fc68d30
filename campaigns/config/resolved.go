package config

import (
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config/document"
	"ordeal/gen/option"
)

// MarshalYAML writes a campaign as one file that says everything, as Parse
// reads it: nothing is included, and variables of the environment have their
// values. Left out is what is zero and is so by default.
func (c Campaign) MarshalYAML() (any, error) {
	type plain Campaign // without this method
	n := new(yaml.Node)
	if err := n.Encode(plain(c)); err != nil {
		return nil, err
	}
	tidy(n, reflect.ValueOf(c), reflect.ValueOf(Defaults()))
	for i := range c.Configs {
		item := document.Child(n, "configs").Content[i]
		tidy(item, reflect.ValueOf(c.Configs[i]), reflect.ValueOf(DefaultConfig()))
	}
	return n, nil
}

// tidy takes keys out of a mapping, which value v was encoded to, whose values
// are zero in v and in defaults, and writes dollars so that they are read back.
func tidy(n *yaml.Node, v, defaults reflect.Value) {
	for _, o := range option.Of(v.Type()) {
		value := document.Child(n, o.Name)
		own, usual := v.FieldByIndex(o.Field.Index), defaults.FieldByIndex(o.Field.Index)
		if isEmpty(own) && isEmpty(usual) {
			at := slices.Index(n.Content, value)
			n.Content = slices.Delete(n.Content, at-1, at+1)
		} else if o.Env {
			escape(value)
		} else if own.Kind() == reflect.Pointer {
			tidy(value, own.Elem(), reflect.Zero(own.Type().Elem()))
		}
	}
}

// isEmpty tells whether a value is its type's zero, or a list of nothing.
func isEmpty(v reflect.Value) bool {
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

// escape writes the dollars of a scalar, or of a list of those.
func escape(n *yaml.Node) {
	n.Value = document.Escape(n.Value)
	for _, item := range n.Content {
		escape(item)
	}
}
