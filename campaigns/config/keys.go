package config

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config/document"
	"ordeal/campaigns/internal/messages"
	"ordeal/gen/option"
)

// leaf tells whether values of type t are scalars.
func leaf(t reflect.Type) bool {
	return t.Kind() != reflect.Struct && t.Kind() != reflect.Slice || reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// checkKeys reports keys that no Campaign has, and values that are none of
// their type, with places. On the way it expands variables of the environment
// and removes keys without a value, so that their defaults count.
func checkKeys(doc *document.Document, x *expansion) []error {
	w := &walk{doc: doc, expansion: x}
	w.mapping(doc.Root(), reflect.TypeFor[Campaign]())
	return w.faults
}

// walk goes through a document and the type Campaign side by side.
type walk struct {
	doc    *document.Document
	faults []error
	*expansion
}

func (w *walk) fault(n *yaml.Node, format string, args ...any) {
	w.faults = append(w.faults, fmt.Errorf("%s: %w", w.doc.PlaceOf(n), fmt.Errorf(format, args...)))
}

// mapping checks a mapping that is to become a struct of type t.
func (w *walk) mapping(n *yaml.Node, t reflect.Type) {
	known := option.Of(t)
	var content []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := slices.IndexFunc(known, func(o option.Option) bool { return o.Name == key.Value })
		if at < 0 {
			w.fault(key, "unknown key %q%s", key.Value, hint(key.Value, known))
			continue
		}
		if document.IsNull(value) {
			continue
		}
		w.value(value, &known[at], known[at].Field.Type)
		content = append(content, key, value)
	}
	n.Content = content
}

// value checks what a key says, or one of its list, against type t.
func (w *walk) value(n *yaml.Node, o *option.Option, t reflect.Type) {
	switch {
	case t.Kind() == reflect.Pointer:
		w.value(n, o, t.Elem())
	case leaf(t):
		w.scalar(n, o, t)
	case t.Kind() == reflect.Struct && n.Kind == yaml.MappingNode:
		w.mapping(n, t)
	case t.Kind() == reflect.Struct:
		w.fault(n, "%s: want a mapping of keys to values", o.Name)
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			w.value(item, o, t.Elem())
		}
	default:
		w.fault(n, "%s: want a list", o.Name)
	}
}

// scalar checks a value of type t.
func (w *walk) scalar(n *yaml.Node, o *option.Option, t reflect.Type) {
	if n.Kind != yaml.ScalarNode || document.IsNull(n) {
		w.fault(n, "%s: want one value", o.Name)
		return
	}
	if o.Env {
		if err := w.node(n); err != nil {
			w.fault(n, "%s: %w", o.Name, err)
			return
		}
	}
	if _, text := reflect.New(t).Interface().(encoding.TextUnmarshaler); !text && whole(t) && n.ShortTag() != "!!int" {
		// The decoder would drop a fraction.
		w.fault(n, "%s: %s is not a whole number", o.Name, n.Value)
		return
	}
	value := reflect.New(t)
	if err := n.Decode(value.Interface()); err != nil {
		w.fault(n, "%s: %s", o.Name, strings.TrimPrefix(valueMessage(err), o.Name+" "))
	} else if none, err := o.None(); err != nil && value.Elem().IsZero() {
		w.fault(n, "%s: %w", o.Name, err)
	} else if none != 0 && value.Elem().IsZero() {
		n.Value = strconv.FormatInt(none, 10)
	}
}

// whole tells whether values of type t are whole numbers.
func whole(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64 }

// valueMessage says what yaml says of a value, in our words.
func valueMessage(err error) string {
	var te *yaml.TypeError
	if !errors.As(err, &te) {
		return strings.TrimPrefix(err.Error(), "yaml: ")
	}
	_, message, _ := strings.Cut(te.Errors[0], ": ") // "line 0: cannot …"
	return strings.NewReplacer("cannot unmarshal !!", "cannot use ", " into ", " as ").Replace(message)
}

// hint names the known keys, the likely one alone where there is one.
func hint(key string, keys []option.Option) string {
	var known []string
	for _, o := range keys {
		known = append(known, o.Name)
	}
	slices.Sort(known)
	return cmp.Or(messages.Hint(key, known), " (ordeal campaign schema lists the keys)")
}
