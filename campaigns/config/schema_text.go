package config

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/internal/messages"
)

// The widths of the schema for people.
const (
	schemaWidth  = 80
	schemaIndent = 4
	valuesShown  = 16 // longer lists of values are left to the JSON Schema
)

// groups are the headings of the schema, by Go type.
var groups = map[string]string{
	"Campaign": "The campaign",
	"Stop":     "When to stop before the runs are done: keys of stop",
	"Config":   "Each kind of run: keys of an item of configs",
	"Programs": "Its programs: further keys of an item of configs",
	"Machine":  "Its machine, on the embedded simulator: further keys of an item of configs",
	"Gem5":     "Its gem5, on gem5: further keys of an item of configs",
	"Bug":      "A planted fault: keys of bug in an item of configs",
}

// SchemaText describes the keys of a campaign file for people.
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
			b.WriteString("\n" + messages.Wrap(k.key()+": "+k.summary(), "", indent+indent, schemaWidth) + "\n")
			b.WriteString(messages.Wrap(k.Doc, indent, indent, schemaWidth) + "\n")
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
	if limits := k.limits(); limits != "" {
		parts = append(parts, limits)
	}
	if len(k.Values) > 0 && len(k.Values) <= valuesShown {
		parts = append(parts, "one of "+strings.Join(k.Values, " "))
	}
	if len(k.Usual) > 0 {
		parts = append(parts, "as "+strings.Join(k.Usual, " "))
	}
	switch {
	case k.Required:
		parts = append(parts, "required")
	case k.Default == nil:
	case isEmpty(reflect.ValueOf(k.Default)) && k.Means != "":
		parts = append(parts, "default "+k.Means)
	case isEmpty(reflect.ValueOf(k.Default)) && k.textual():
		parts = append(parts, "default none")
	default:
		parts = append(parts, "default "+k.written())
	}
	return strings.Join(parts, "; ")
}

// textual tells whether values are texts or lists of them.
func (k *Key) textual() bool {
	kind := reflect.TypeOf(k.Default).Kind()
	return kind == reflect.String || kind == reflect.Slice
}

// limits are the bounds of a number.
func (k *Key) limits() string {
	number := func(n *float64) string { return strconv.FormatFloat(*n, 'f', -1, 64) }
	switch {
	case k.Min == nil || k.typeName() == durationName:
		return ""
	case k.Max != nil:
		return number(k.Min) + " to " + number(k.Max)
	case k.Below != nil:
		return number(k.Min) + " to below " + number(k.Below)
	}
	return "at least " + number(k.Min)
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

const durationName = "duration, as 90s or 8h"

// typeName is what people call the type of a key.
func (k *Key) typeName() string {
	if k.field == nil {
		return "path or list of paths"
	}
	t := k.field.Type
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct {
		return "list of mappings"
	} else if t.Kind() == reflect.Slice {
		return "list of texts"
	} else if t.Kind() == reflect.Pointer || !leaf(t) {
		return "mapping"
	}
	switch {
	case t == reflect.TypeFor[Duration]():
		return durationName
	case t == reflect.TypeFor[Size]():
		return "size, as 512B, 64kB, 16MB or 2GB"
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		panic(fmt.Sprintf("key %s: no name for type %v", k.Path, t))
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "number"
	case reflect.String:
		return "text"
	}
	return "whole number"
}
