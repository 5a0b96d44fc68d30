package config

import (
	"encoding/json"
	"reflect"
	"strings"
)

// schemaDialect is the dialect of JSON Schema that editors know.
const schemaDialect = "https://json-schema.org/draft/2020-12/schema"

// durationForm is the form of durations.
const durationForm = `^([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*$`

// node is a schema, or a part of one.
type node = map[string]any

// SchemaJSON is the JSON Schema of campaign files, for editors.
func SchemaJSON() ([]byte, error) {
	root := mapping("A campaign of Ordeal.")
	root["$schema"], root["title"] = schemaDialect, "Ordeal campaign file"
	// A file that includes another may leave everything to it.
	root["anyOf"] = []node{{"required": []string{"include"}}, {"required": []string{"name", "configs"}}}
	places := map[string]node{"": root}
	for _, k := range Schema() {
		above, key := "", k.Path
		if i := strings.LastIndexByte(k.Path, '.'); i >= 0 {
			above, key = k.Path[:i], k.Path[i+1:]
		}
		parent := places[above]
		made, inner := k.schema()
		parent["properties"].(node)[key] = made
		if k.Required && above != "" {
			required, _ := parent["required"].([]string)
			parent["required"] = append(required, key)
		}
		if inner != nil {
			places[k.Path] = inner
		}
	}
	text, err := json.MarshalIndent(root, "", "  ")
	return append(text, '\n'), err
}

// mapping is the schema of a mapping, whose properties are added to it.
func mapping(doc string) node {
	return node{"type": "object", "description": doc, "additionalProperties": false, "properties": node{}}
}

// schema is the schema of a key's value, and the part of it that further keys
// are properties of; nil where there are none.
func (k *Key) schema() (made, inner node) {
	t := k.Field.Type
	switch {
	case t == reflect.TypeFor[includes]():
		path := node{"type": "string", "minLength": 1}
		return node{"description": k.Doc(), "anyOf": []node{path, {"type": "array", "items": path}}}, nil
	case t == reflect.TypeFor[[]Config]():
		inner = mapping("A kind of run.")
		return node{"type": "array", "description": k.Doc(), "items": inner, "minItems": 1}, inner
	case k.nested():
		inner = mapping(k.Doc())
		return inner, inner
	case t.Kind() == reflect.Slice:
		made = node{"type": "array", "items": k.scalar(t.Elem())}
	default:
		made = k.scalar(t)
	}
	made["description"] = k.describe()
	if k.Default != nil && !isEmpty(reflect.ValueOf(k.Default)) {
		made["default"] = k.Default
	}
	return made, nil
}

// scalar is the schema of a value of type t.
func (k *Key) scalar(t reflect.Type) node {
	switch {
	case t == reflect.TypeFor[Duration]():
		return node{"anyOf": []node{{"const": 0}, {"type": "string", "pattern": durationForm}}}
	case t == reflect.TypeFor[Size]():
		return node{"type": "string", "pattern": sizeForm().String()}
	case t.Kind() == reflect.Bool:
		return node{"type": "boolean"}
	case k.textual(t):
		made := node{"type": "string"}
		if k.Form != "" {
			made["pattern"] = Rules.Forms[k.Form]().String()
		}
		if k.Values != "" {
			made["enum"] = Rules.List(k.Values)
		}
		if k.Suggest != "" {
			made["examples"] = Rules.List(k.Suggest)
		}
		return made
	}
	made := node{"type": "integer"}
	if t.Kind() == reflect.Float64 {
		made["type"] = "number"
	} else if t.Kind() == reflect.Uint64 {
		made["minimum"] = 0
	}
	if k.Min != nil {
		made["minimum"] = *k.Min
	}
	if k.Max != nil {
		made["maximum"] = *k.Max
	}
	if k.Below != nil {
		made["exclusiveMaximum"] = *k.Below
	}
	return made
}

// describe is what an editor shows of a key.
func (k *Key) describe() string {
	text := k.Doc()
	if k.Unit != "" {
		text += " In " + k.Unit + "."
	}
	if k.Zero != "" {
		text += " By default: " + k.Zero + "."
	}
	if k.Env {
		text += " $NAME, ${NAME} and ${NAME:-DEFAULT} are variables of the environment, $$ is a dollar."
	}
	return text
}
