package config

import (
	"reflect"
	"strings"

	"ordeal/gen/option"
)

// Key describes a key of a campaign file.
type Key struct {
	option.Option
	// Path is where the key stands: the keys that lead to it, joined by dots.
	Path string
	// Group is the Go type that declares the key.
	Group string
	// Default is the value of a key that is not written. Nil: the key is
	// required, or a mapping.
	Default any
}

// includeKey is the key that no Campaign has: document.Reader takes it out.
var includeKey = Key{
	Option: option.Option{
		Name: "include", Env: true, Field: reflect.StructField{Type: reflect.TypeFor[includes]()},
		Help: "files to put below this one, as a path or a list of paths, relative to this file; mappings are merged key by key, and configurations by name: values of later files count more, and those of this file most",
	},
	Path: "include", Group: "Campaign",
}

// includes stands for the type of includeKey.
type includes struct{}

// Schema describes all keys of a campaign file, in order.
func Schema() []Key {
	campaign := schemaOf(reflect.ValueOf(Defaults()), "")
	return append(campaign[:1:1], append([]Key{includeKey}, campaign[1:]...)...)
}

// schemaOf describes the keys of a struct, which has their defaults.
func schemaOf(defaults reflect.Value, prefix string) []Key {
	var keys []Key
	for _, o := range option.Of(defaults.Type()) {
		value := defaults.FieldByIndex(o.Field.Index)
		k := Key{Option: o, Path: prefix + o.Name, Group: defaults.Type().Name()}
		if embedded := defaults.Type().Field(o.Field.Index[0]); embedded.Anonymous {
			k.Group = embedded.Type.Name()
		}
		if _, err := o.None(); err != nil && whole(value.Type()) {
			k.Min = new(1.0) // 0 may not be written
		}
		nested := k.nested()
		if !nested && !k.Required {
			k.Default = value.Interface()
		}
		keys = append(keys, k)
		switch {
		case value.Type() == reflect.TypeFor[[]Config]():
			keys = append(keys, schemaOf(reflect.ValueOf(DefaultConfig()), k.Path+".")...)
		case value.Kind() == reflect.Pointer:
			keys = append(keys, schemaOf(reflect.Zero(value.Type().Elem()), k.Path+".")...)
		case nested:
			keys = append(keys, schemaOf(value, k.Path+".")...)
		}
	}
	return keys
}

// nested reports whether the key's value is a mapping or a list of mappings.
func (k *Key) nested() bool {
	t := k.Field.Type
	return t.Kind() == reflect.Pointer || t == reflect.TypeFor[[]Config]() || t.Kind() == reflect.Struct && !leaf(t)
}

// Doc is the help of a key as a sentence.
func (k *Key) Doc() string {
	text := strings.ToUpper(k.Help[:1]) + k.Help[1:] + "."
	if len(k.Sims) > 0 {
		text += " Simulators: " + strings.Join(k.Sims, ", ") + "."
	}
	return text
}
