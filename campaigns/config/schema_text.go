package config

import (
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/internal/messages"
)

// The widths of the schema as text.
const (
	schemaWidth  = 80
	schemaIndent = 4
	valuesShown  = 16 // longer lists of values are left to the JSON Schema
)

// groups are the headings of the schema, by Go type.
var groups = map[string]string{
	"Campaign": "The campaign",
	"Stop":     "When to stop before the runs are done: keys of stop",
	"Audit":    "Where an audit ends: keys of audit",
	"Config":   "Each kind of run: keys of an item of configs",
	"Programs": "Its programs: further keys of an item of configs",
	"Machine":  "Its simulated machine: further keys of an item of configs",
	"Gem5":     "Its gem5: further keys of an item of configs",
	"Bug":      "An injected bug: keys of bug in an item of configs",
	"Explore":  "An exploration in place of programs: keys of explore in an item of configs",
}

// SchemaText describes the keys of a campaign file in plain text.
func SchemaText() string {
	var b strings.Builder
	byGroup := make(map[string][]Key)
	var order []string
	for _, k := range Schema() {
		if byGroup[k.Group] == nil {
			order = append(order, k.Group)
		}
		byGroup[k.Group] = append(byGroup[k.Group], k)
	}
	for i, group := range order {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(groups[group] + "\n")
		for _, k := range byGroup[group] {
			indent := strings.Repeat(" ", schemaIndent)
			b.WriteString("\n" + messages.Wrap(k.Name+": "+k.summary(), "", indent+indent, schemaWidth) + "\n")
			b.WriteString(messages.Wrap(k.Doc(), indent, indent, schemaWidth) + "\n")
		}
	}
	return b.String()
}

// summary is everything about a key but its meaning, on one line.
func (k *Key) summary() string {
	parts := []string{k.typeName()}
	if k.Env {
		parts[0] += " with $VARIABLES"
	}
	if k.Unit != "" {
		parts[0] += " of " + k.Unit
	}
	if limits := k.Limits(); limits != "" && k.Field.Type != reflect.TypeFor[Duration]() {
		parts = append(parts, limits)
	}
	if values := Rules.List(k.Values); len(values) > 0 && len(values) <= valuesShown {
		parts = append(parts, "one of "+strings.Join(values, " "))
	}
	if k.Suggest != "" {
		parts = append(parts, "as "+strings.Join(Rules.List(k.Suggest), " "))
	}
	switch {
	case k.Required:
		parts = append(parts, "required")
	case k.Default == nil:
	case isEmpty(reflect.ValueOf(k.Default)) && k.Zero != "":
		parts = append(parts, "default "+k.Zero)
	case isEmpty(reflect.ValueOf(k.Default)) && slices.Contains([]reflect.Kind{reflect.String, reflect.Slice}, k.Field.Type.Kind()):
		parts = append(parts, "default none")
	default:
		parts = append(parts, "default "+k.written())
	}
	return strings.Join(parts, "; ")
}

// textual reports whether values of type t, that of the key or of its items,
// are texts.
func (k *Key) textual(t reflect.Type) bool {
	return t.Kind() == reflect.String || k.Form != "" || k.Values != ""
}

// written is the default as a campaign file has it.
func (k *Key) written() string {
	n := new(yaml.Node)
	if err := n.Encode(k.Default); err != nil {
		panic(err) // a default is of a type that campaign files have
	}
	n.Style = yaml.FlowStyle
	text, err := yaml.Marshal(n)
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(text))
}

// typeName describes the type of a key.
func (k *Key) typeName() string {
	switch t := k.Field.Type; {
	case t == reflect.TypeFor[includes]():
		return "path or list of paths"
	case t == reflect.TypeFor[[]Config]():
		return "list of mappings"
	case t.Kind() == reflect.Slice:
		return "list of texts"
	case k.nested():
		return "mapping"
	case t == reflect.TypeFor[Duration]():
		return "duration, as 90s or 8h"
	case t == reflect.TypeFor[Size]():
		return "size, as 512B, 64kB (64,000 bytes), 64KiB (65,536 bytes), 16MiB or 2GB"
	case k.textual(t):
		return "text"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Float64:
		return "number"
	}
	return "whole number"
}
