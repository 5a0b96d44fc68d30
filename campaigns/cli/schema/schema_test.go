package schema_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/cli/evaluate"
	"ordeal/campaigns/cli/schema"
	"ordeal/campaigns/cluster"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/explain"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/report"
	"ordeal/campaigns/report/compare"
	"ordeal/campaigns/report/progress"
	"ordeal/campaigns/report/trend"
	"ordeal/campaigns/run"
	"ordeal/check/witness/certificate"
	"ordeal/sim"
)

var update = flag.Bool("update", false, "rewrite the published schemas")

// forms are the types of what the published schemas describe: one of them.
var forms = map[string][]reflect.Type{
	"verdict":     {reflect.TypeFor[evaluate.TraceResult](), reflect.TypeFor[evaluate.FollowedResult](), reflect.TypeFor[evaluate.SerialResult]()},
	"record":      {reflect.TypeFor[run.Spec]()},
	"result":      {reflect.TypeFor[run.Result]()},
	"finding":     {reflect.TypeFor[report.FindingLine]()},
	"report":      {reflect.TypeFor[report.CampaignLine](), reflect.TypeFor[report.RunLine](), reflect.TypeFor[report.FindingLine](), reflect.TypeFor[report.GoneLine](), reflect.TypeFor[report.CanaryLine](), reflect.TypeFor[report.SummaryLine]()},
	"summary":     {reflect.TypeFor[summary.Summary]()},
	"status":      {reflect.TypeFor[cluster.Status](), reflect.TypeFor[progress.Status]()},
	"diff":        {reflect.TypeFor[compare.Diff]()},
	"trend":       {reflect.TypeFor[trend.Trends]()},
	"explanation": {reflect.TypeFor[explain.Page]()},
	"audit":       {reflect.TypeFor[audit.Report]()},
}

// unversioned are the forms that are lines of a file whose first line has the version.
var unversioned = []string{"finding", "report"}

// published makes the schema of a form. A strict one allows no fields but its own.
func published(t *testing.T, name string, strict bool) []byte {
	t.Helper()
	g := schemaMaker{defs: make(map[string]any), docs: make(map[string]map[string]string), strict: strict}
	all := schema.All()
	about := all[slices.IndexFunc(all, func(s schema.Schema) bool { return s.Name == name })].About
	root := map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Ordeal: " + name, "description": about, "$defs": g.defs}
	var list []any
	for _, form := range forms[name] {
		object := g.object(form)
		if properties := object["properties"].(map[string]any); !slices.Contains(unversioned, name) {
			properties["version"] = map[string]any{"const": command.JSONVersion, "description": "The version of this form: fields keep their names and meanings as long as it stays the same, and there may be new ones."}
			if required := object["required"].([]string); !slices.Contains(required, "version") {
				object["required"] = append([]string{"version"}, required...)
			}
		} else if event, ok := properties["event"].(map[string]any); ok {
			_, word, _ := strings.Cut(event["description"].(string), `"`)
			word, _, _ = strings.Cut(word, `"`)
			event["const"] = word
		}
		list = append(list, object)
	}
	if len(list) > 1 {
		root["anyOf"] = list
	} else {
		object := list[0].(map[string]any)
		delete(object, "description")
		for key, value := range object {
			root[key] = value
		}
	}
	must.Succeed(t, g.err)
	text, err := json.MarshalIndent(root, "", "  ")
	must.Succeed(t, err)
	return append(text, '\n')
}

// schemaMaker makes schemas of types: by their tags for JSON, with their comments.
type schemaMaker struct {
	defs   map[string]any
	docs   map[string]map[string]string // by package, of TYPE and TYPE.FIELD
	strict bool
	err    error
}

// special are the types that write themselves.
var special = map[reflect.Type]map[string]any{
	reflect.TypeFor[time.Time]():     {"type": "string", "format": "date-time"},
	reflect.TypeFor[time.Duration](): {"type": "integer"},
	reflect.TypeFor[certificate.Op](): {
		"description": "An operation: its thread and its index, both from 0; init is the initial write.",
		"anyOf":       []any{map[string]any{"const": "init"}, map[string]any{"type": "array", "items": map[string]any{"type": "integer"}, "minItems": 2, "maxItems": 2}},
	},
	reflect.TypeFor[sim.Outcome](): {"type": "string", "enum": outcomes()},
}

func outcomes() (names []string) {
	for o := sim.OutcomeUnknown; o <= sim.Missed; o++ {
		names = append(names, o.String())
	}
	return names
}

func (g *schemaMaker) schema(t reflect.Type) map[string]any {
	if s, ok := special[t]; ok {
		return copied(s)
	}
	if t.Kind() != reflect.Pointer && (t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextMarshaler]())) {
		return map[string]any{"type": "string"}
	}
	list := t.Kind() == reflect.Slice || t.Kind() == reflect.Array
	if t.Kind() != reflect.Pointer && !list && t != reflect.TypeFor[config.Config]() && t.Implements(reflect.TypeFor[json.Marshaler]()) {
		g.err = fmt.Errorf("%v writes itself as JSON: what it writes is not known here", t)
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Pointer:
		return g.schema(t.Elem())
	case reflect.Slice, reflect.Array:
		return map[string]any{"type": "array", "items": g.schema(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": g.schema(t.Elem())}
	case reflect.Struct:
		name := strings.ReplaceAll(strings.TrimPrefix(t.PkgPath(), "ordeal/"), "/", ".") + "." + t.Name()
		if _, ok := g.defs[name]; !ok {
			g.defs[name] = nil // it may have itself below it
			g.defs[name] = g.object(t)
		}
		return map[string]any{"$ref": "#/$defs/" + name}
	}
	g.err = fmt.Errorf("no schema of %v", t)
	return nil
}

func copied(s map[string]any) map[string]any {
	c := make(map[string]any)
	for key, value := range s {
		c[key] = value
	}
	return c
}

// object is the schema of a struct.
func (g *schemaMaker) object(t reflect.Type) map[string]any {
	properties, required := make(map[string]any), []string{}
	g.fields(t, properties, &required)
	o := map[string]any{"type": "object", "properties": properties, "required": required}
	if doc := g.doc(t, t.Name()); doc != "" {
		o["description"] = doc
	}
	if g.strict {
		o["additionalProperties"] = false
	}
	return o
}

func (g *schemaMaker) fields(t reflect.Type, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if f.Anonymous && name == "" && inner.Kind() == reflect.Struct {
			defer g.fields(inner, properties, required) // fields of the outer one hide those of the inner one
			continue
		}
		if name == "" {
			name = f.Name
		}
		if _, hidden := properties[name]; name == "-" || !f.IsExported() || hidden {
			continue
		}
		s := g.schema(f.Type)
		optional := strings.Contains(options, "omit")
		if kind := f.Type.Kind(); !optional && (kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map) {
			s = map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
		}
		if doc := g.doc(t, t.Name()+"."+f.Name); doc != "" {
			s["description"] = doc
		} else if doc := f.Tag.Get("help"); doc != "" {
			s["description"] = doc
		}
		if properties[name] = s; !optional {
			*required = append(*required, name)
		}
	}
}

// doc is the comment of a type or a field.
func (g *schemaMaker) doc(t reflect.Type, name string) string {
	pkg := t.PkgPath()
	if _, ok := g.docs[pkg]; !ok {
		g.docs[pkg] = make(map[string]string)
		files, _ := filepath.Glob(filepath.Join("../../..", strings.TrimPrefix(pkg, "ordeal/"), "*.go"))
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				g.err = err
				continue
			}
			comments(file, g.docs[pkg])
		}
	}
	return g.docs[pkg][name]
}

// comments collects the comments of the types of a file and of their fields.
func comments(file *ast.File, docs map[string]string) {
	text := func(above, beside *ast.CommentGroup) string {
		if above == nil {
			above = beside
		}
		return strings.Join(strings.Fields(above.Text()), " ")
	}
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			spec := spec.(*ast.TypeSpec)
			docs[spec.Name.Name] = text(spec.Doc, gen.Doc)
			s, ok := spec.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range s.Fields.List {
				for _, name := range f.Names {
					docs[spec.Name.Name+"."+name.Name] = text(f.Doc, f.Comment)
				}
			}
		}
	}
}

// TestSchemas holds the published schemas against the types; -update rewrites them.
func TestSchemas(t *testing.T) {
	for name := range forms {
		want := published(t, name, false)
		path := name + ".json"
		if *update {
			must.Succeed(t, os.WriteFile(path, want, 0o600))
			continue
		}
		got, err := os.ReadFile(path)
		must.Succeed(t, err)
		if d := cmp.Diff(string(want), string(got)); d != "" {
			t.Errorf("%s is not the schema of its type; go test -update rewrites it (-want +got):\n%s", path, d)
		}
	}
	var names []string
	for _, s := range schema.All() {
		if names = append(names, s.Name); s.Name != "campaign" && forms[s.Name] == nil {
			t.Errorf("no form %s", s.Name)
		}
	}
	if len(names) != len(forms)+1 {
		t.Errorf("the command has the schemas %v, want those of %d forms and of the campaign file", names, len(forms))
	}
}

// strictly makes a validator of a form that allows no fields but those that the schema
// describes.
func strictly(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	return compiled(t, name, published(t, name, true))
}

// compiled makes a validator of the text of a schema.
func compiled(t *testing.T, name string, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must.Succeed(t, err)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	must.Succeed(t, c.AddResource(name, doc))
	s, err := c.Compile(name)
	must.Succeed(t, err)
	return s
}

// validate holds one object, or one on each line, against a schema.
func validate(s *jsonschema.Schema, text string) error {
	for line, rest := "", text; ; {
		dec := json.NewDecoder(strings.NewReader(rest))
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		line, rest = string(raw), strings.TrimSpace(rest[dec.InputOffset():])
		object, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			return err
		}
		if err := s.Validate(object); err != nil {
			return fmt.Errorf("%.300s: %#v", line, err)
		}
		if rest == "" {
			return nil
		}
	}
}

// TestSchemasRefuse demands that a form refuses what lacks a field, has one of another
// type, and, strictly, one more.
func TestSchemasRefuse(t *testing.T) {
	s := strictly(t, "explanation")
	const page = `{"version":1,"dir":"d","outcome":"passed","system":"s","seed":1,"number":2,"threads":2,"rounds":1,"operations":3,"answers":[]}`
	must.Succeed(t, validate(s, page))
	for _, edit := range [][2]string{{`"dir":"d",`, ``}, {`"version":1`, `"version":2`}, {`"passed"`, `"fine"`}, {`"answers":[]`, `"answers":[{"model":1}]`}, {`"seed":1`, `"seed":-1`}, {`"threads"`, `"more":1,"threads"`}} {
		if err := validate(s, strings.Replace(page, edit[0], edit[1], 1)); err == nil {
			t.Errorf("with %q for %q it is accepted", edit[1], edit[0])
		}
	}
}
