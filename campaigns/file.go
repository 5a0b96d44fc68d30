package campaigns

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Parse reads a campaign file. Name is the file's name for messages; sets are
// overrides of the form KEY=VALUE as --set takes them, applied before
// anything is checked (see set). A key that no Campaign has, a value that
// makes no sense and a contradiction are errors that name file, line and key;
// all of them are reported.
func Parse(name string, data []byte, sets []string) (*Campaign, error) {
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: the campaign file is empty", name)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one YAML document", name)
	}
	f := &file{name: name, root: doc.Content[0]}
	if f.root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s:%d: a campaign file is a mapping of keys to values", name, f.root.Line)
	}
	var faults []error
	for _, s := range sets {
		faults = append(faults, f.set(s))
	}
	faults = append(faults, f.checkKeys(f.root, reflect.TypeFor[Campaign](), "")...)
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	c := Defaults()
	if err := f.root.Decode(&c); err != nil {
		return nil, f.decodeError(err)
	}
	if err := c.validate(f.at); err != nil {
		return nil, err
	}
	return &c, nil
}

// file is a campaign file on its way to a Campaign.
type file struct {
	name string
	root *yaml.Node
}

// decodeError gives the messages of a yaml.TypeError the form of ours.
func (f *file) decodeError(err error) error {
	var te *yaml.TypeError
	if !errors.As(err, &te) {
		return fmt.Errorf("%s: %s", f.name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var faults []error
	for _, msg := range te.Errors {
		msg = strings.TrimPrefix(msg, "line ")
		msg = strings.TrimPrefix(msg, "0: ")
		msg = strings.NewReplacer("cannot unmarshal !!", "cannot use ", " into ", " as ").Replace(msg)
		faults = append(faults, fmt.Errorf("%s:%s", f.name, msg))
	}
	return errors.Join(faults...)
}

// checkKeys reports every key under node that type t has no field for.
func (f *file) checkKeys(node *yaml.Node, t reflect.Type, path string) []error {
	if node.Kind == yaml.AliasNode {
		return nil // checked where it is anchored
	}
	var faults []error
	switch {
	case t.Kind() == reflect.Slice && node.Kind == yaml.SequenceNode:
		for i, item := range node.Content {
			faults = append(faults, f.checkKeys(item, t.Elem(), fmt.Sprintf("%s.%d", path, i))...)
		}
	case t.Kind() == reflect.Struct && node.Kind == yaml.MappingNode:
		fields := yamlFields(t)
		for i := 0; i+1 < len(node.Content); i += 2 {
			key, value := node.Content[i], node.Content[i+1]
			if key.Value == "<<" {
				continue // a merge: the anchored mapping is checked itself
			}
			field, ok := fields[key.Value]
			if !ok {
				faults = append(faults, fmt.Errorf("%s: unknown key %q%s",
					f.place(key), key.Value, suggestion(key.Value, fields)))
				continue
			}
			faults = append(faults, f.checkKeys(value, field, path+"."+key.Value)...)
		}
	}
	return faults
}

// yamlFields maps the YAML keys of struct type t to the types of their
// fields.
func yamlFields(t reflect.Type) map[string]reflect.Type {
	fields := make(map[string]reflect.Type)
	for i := range t.NumField() {
		tag, options, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if options == "inline" {
			for k, v := range yamlFields(t.Field(i).Type) {
				fields[k] = v
			}
		} else if tag != "" {
			fields[tag] = t.Field(i).Type
		}
	}
	return fields
}

// suggestion names the known keys, the likely one alone where there is one.
func suggestion(key string, fields map[string]reflect.Type) string {
	var known []string
	for k := range fields {
		known = append(known, k)
	}
	slices.Sort(known)
	for _, k := range known {
		if near(k, key) {
			return fmt.Sprintf(" (did you mean %q?)", k)
		}
	}
	return " (known: " + strings.Join(known, ", ") + ")"
}

// near reports whether one edit, or a swap of neighbours, turns a into b.
func near(a, b string) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swap := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return swap || len(a) <= 1 && len(b) <= 1
}

// at is the place of the value that path leads to, for messages: a line of
// the file, or the override that set it. A path that leads nowhere stands for
// a default; its nearest ancestor's place is given.
func (f *file) at(path ...string) string {
	node := f.root
	for _, step := range path {
		next := child(node, step)
		if next == nil {
			break
		}
		node = next
	}
	return f.place(node)
}

// place is where a node stands: a line of the file, or the override that made
// it, which set leaves in LineComment.
func (f *file) place(n *yaml.Node) string {
	if n.Line == 0 && n.LineComment != "" {
		return n.LineComment
	}
	return fmt.Sprintf("%s:%d", f.name, n.Line)
}

// child is the value that key, or an index, or a list item's name leads to
// in node; nil when there is none.
func child(node *yaml.Node, step string) *yaml.Node {
	switch node.Kind {
	case yaml.AliasNode:
		return child(node.Alias, step)
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == step {
				return node.Content[i+1]
			}
		}
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == "<<" {
				return child(node.Content[i+1], step)
			}
		}
	case yaml.SequenceNode:
		for i, item := range node.Content {
			if name := child(item, "name"); fmt.Sprint(i) == step || name != nil && name.Value == step {
				return item
			}
		}
	}
	return nil
}
