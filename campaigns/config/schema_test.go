package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"ordeal/campaigns/internal/must"
	"ordeal/gen"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/ruby"
)

// TestSchemaDocuments wants a sentence for every key, and no word of Go in it.
func TestSchemaDocuments(t *testing.T) {
	keys := Schema()
	if len(keys) < 70 {
		t.Fatalf("%d keys", len(keys))
	}
	oneLine := regexp.MustCompile(`^.{9,}[^.\n]$`)
	camel := regexp.MustCompile(`\b([A-Z][a-z0-9]+[A-Z]\w*|[a-z]+\.[A-Z]\w*)\b`)
	for _, k := range keys {
		if !oneLine.MatchString(k.Help) {
			t.Errorf("%s is documented as %q, want one line of ten characters or more that ends in no full stop", k.Path, k.Help)
		}
		if word := camel.FindString(k.Help); word != "" {
			t.Errorf("%s: %s is a word of Go", k.Path, word)
		}
		if groups[k.Group] == "" {
			t.Errorf("%s: group %s has no heading", k.Path, k.Group)
		}
		if k.Form != "" && Rules.Forms[k.Form] == nil {
			t.Errorf("%s: no form %s", k.Path, k.Form)
		}
		for _, list := range []string{k.Values, k.Suggest} {
			if list != "" && Rules.Values[list] == nil {
				t.Errorf("%s: no list %s", k.Path, list)
			}
		}
	}
	text := SchemaText()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > schemaWidth {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, k := range keys {
		if !strings.Contains(text, "\n"+k.Name+": ") {
			t.Errorf("%s is not in the text", k.Path)
		}
	}
}

// holder is a campaign file in which a key of a schema has a value.
func holder(k *Key, value string) string {
	path := strings.Split(k.Path, ".")
	if len(path) == 1 {
		text := "name: a\nconfigs: [{name: b}]\n"
		if k.Path == "name" {
			text = "configs: [{name: b}]\n"
		} else if k.Path == "configs" {
			text = "name: a\n"
		}
		return text + k.Path + ": " + value + "\n"
	}
	inner := strings.Join(path[1:], ": {") + ": " + value
	if path[1] == "explore" && slices.Contains(ProgramKeys, path[len(path)-1]) {
		inner += ", shape: [SB]"
	}
	inner += strings.Repeat("}", len(path)-2)
	if path[0] == "stop" || path[0] == "audit" {
		return "name: a\nconfigs: [{name: b}]\n" + path[0] + ": {" + inner + "}\n"
	}
	sim := "host"
	switch k.Group {
	case "Machine":
		sim = "builtin, protocol: mi, core: ooo"
		for _, key := range []string{"protocol", "core", "slicc"} {
			if path[1] == key {
				sim = "builtin"
			}
		}
		switch path[1] {
		case "jitter":
			sim += ", latency: 1"
		case "memory-jitter":
			sim += ", memory-latency: 1"
		}
	case "Explore":
		sim = "builtin, protocol: mi"
	case "Gem5":
		sim = "gem5, gem5: /bin/true, gem5-tree: /"
		if path[1] == "gem5" {
			sim = "gem5, gem5-tree: /"
		} else if path[1] == "gem5-tree" {
			sim = "gem5, gem5: /"
		}
	}
	name, more := "name: b, ", ""
	switch {
	case path[1] == "annotations", path[1] == "partial-fences", path[1] == "dependencies", path[1] == "retries":
		more = ", isa: aarch64"
	case path[1] == "name":
		name = ""
	case path[1] == "sim":
		return "name: a\nsim: builtin\nconfigs: [{name: b, " + inner + "}]\n"
	case path[1] == "expect":
		more = ", classify: []"
	}
	return "name: a\nconfigs: [{" + name + "sim: " + sim + more + ", " + inner + "}]\n"
}

// flow is a value as YAML on one line.
func flow(t *testing.T, v any) string {
	t.Helper()
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case gen.Mix:
		return strconv.Quote(v.String()) // it has commas
	}
	k := Key{Default: v}
	return k.written()
}

// accepted tells whether Parse and the JSON Schema take a file, which must
// agree.
func accepted(t *testing.T, schema *jsonschema.Schema, text string) bool {
	t.Helper()
	_, err := Parse("f.yaml", []byte(text), nil)
	var plain any
	if yaml.Unmarshal([]byte(text), &plain) != nil {
		t.Fatalf("not YAML: %s", text)
	}
	invalid := schema.Validate(plain)
	if (err == nil) != (invalid == nil) {
		t.Errorf("%s: parsing says %v, the schema %v", text, err, invalid)
	}
	return err == nil
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := SchemaJSON()
	must.Succeed(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must.Succeed(t, err)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	must.Succeed(t, c.AddResource("ordeal.json", doc))
	schema, err := c.Compile("ordeal.json")
	must.Succeed(t, err)
	return schema
}

// TestSchemaLimits writes values at, inside and beyond the limits that the
// schema tells: parsing must obey the same ones, and defaults be what a file
// has without the key.
func TestSchemaLimits(t *testing.T) {
	schema := compiled(t)
	checked := 0
	for _, k := range Schema() {
		try := func(want bool, value any) {
			t.Helper()
			checked++
			text := flow(t, value)
			if got := accepted(t, schema, holder(&k, text)); got != want {
				t.Errorf("%s: %s is accepted: %v, want %v", k.Path, text, got, want)
			}
		}
		try(false, map[string]any{"no": "such key"})
		if k.Default == nil {
			continue
		}
		if k.Path != "configs.gem5" && k.Path != "configs.gem5-tree" && !isEmpty(reflect.ValueOf(k.Default)) {
			try(true, k.Default)
			with, err := Parse("f.yaml", []byte(holder(&k, flow(t, k.Default))), nil)
			without, err2 := Parse("f.yaml", []byte(holder(&k, "~")), nil)
			if err := errors.Join(err, err2); err != nil {
				t.Errorf("%s: %v", k.Path, err)
			}
			if d := cmp.Diff(with, without); d != "" {
				t.Errorf("%s: the default %s is not the default (-with +without):\n%s", k.Path, k.written(), d)
			}
		}
		low, high := k.Min, k.Max
		kind := k.Field.Type.Kind()
		whole := kind == reflect.Int || kind == reflect.Int64
		switch {
		case kind == reflect.Float64:
			try(true, *low)
			try(false, *low-0.01)
			try(high != nil, 1.0)
			try(false, 1.01)
		case whole && k.Field.Type != reflect.TypeFor[Duration]() && k.Field.Type != reflect.TypeFor[Size]():
			if low == nil {
				t.Errorf("%s: no limit below", k.Path)
				continue
			}
			if k.Path != "configs.explore.fingerprint" { // 64 or 128
				try(true, int(*low))
			}
			try(false, int(*low)-1)
			try(false, 1.5)
			if high != nil && k.Path != "configs.ops" { // all threads together
				try(true, int(*high))
				try(false, int(*high)+1)
			}
		case kind == reflect.Uint64:
			try(true, 1)
			try(false, -1)
		case k.Values != "" && kind == reflect.Slice:
			try(false, []string{"nonsense"})
		case k.Values != "":
			try(false, "nonsense")
			for _, v := range Rules.List(k.Values) {
				if k.Path != "configs.sim" && k.Path != "sim" { // gem5 wants more
					try(true, v)
				}
			}
		case k.Field.Type == reflect.TypeFor[Duration]():
			for _, v := range []string{"1m30s", "0", "1.5h", "100us"} {
				try(true, yamlText(v))
			}
			for _, v := range []any{"5", "-1s", "1 h", "s", 5, ""} {
				try(false, v)
			}
		case k.Field.Type == reflect.TypeFor[Size]():
			try(true, "64kB")
			try(false, "64")
			try(false, "-1B")
			try(true, "1.5MiB")
			try(false, "1KB")
			try(false, "1 kB")
		case k.Form == "cache":
			try(true, "4x2")
			try(false, "4")
			try(false, "0x2")
		case k.Form == "mix":
			try(true, "load=1,store=2")
			try(false, "load:1")
			try(false, "loads=1")
		}
	}
	if checked < 250 {
		t.Errorf("%d values were tried", checked)
	}
	for _, name := range []string{"Upper", "-a", "a b", ""} {
		accepted(t, schema, fmt.Sprintf("name: %q\nconfigs: [{name: a}]\n", name))
		accepted(t, schema, fmt.Sprintf("name: a\nconfigs: [{name: %q}]\n", name))
	}
	for _, text := range []string{"name: a\n", "configs: [{name: a}]\n", "name: a\nconfigs: []\n", "name: a\nconfigs: [{runs: 1}]\n", "name: a\nconfigs: [{name: a, sed: 1}]\n", "{}\n", "- 1\n", "name: a\nconfigs: {name: a}\n"} {
		if accepted(t, schema, text) {
			t.Errorf("accepted:\n%s", text)
		}
	}
}

// yamlText is a text that YAML need not quote.
type yamlText string

// MarshalYAML leaves out the quotes.
func (t yamlText) MarshalYAML() (any, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(t)}, nil
}

// TestSchemaReady validates the ready-made files as editors do, each by
// itself.
func TestSchemaReady(t *testing.T) {
	schema := compiled(t)
	files, err := filepath.Glob("../*.yaml")
	must.Succeed(t, err)
	more, err := filepath.Glob("../*/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("%v: files %v", err, files)
	}
	for _, file := range append(files, more...) {
		if file == filepath.Join("..", "papers", "experiments.yaml") || filepath.Dir(file) == filepath.Join("..", "bugs") { // other lists
			continue
		}
		text, err := os.ReadFile(file)
		must.Succeed(t, err)
		var plain any
		must.Succeed(t, yaml.Unmarshal(text, &plain))
		if err := schema.Validate(plain); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestSchemaMeans compares what zeros are said to mean with the simulator's
// own defaults.
func TestSchemaMeans(t *testing.T) {
	means := make(map[string]string)
	for _, k := range Schema() {
		means[k.Path] = k.Zero
	}
	for path, want := range map[string]any{
		"configs.tbes": ruby.DefaultTBEs, "configs.watchdog": builtin.DefaultWatchdog, "configs.store-buffer": core.DefaultBuffer,
		"configs.window": core.DefaultWindow, "configs.private-cache": fmt.Sprintf("%dx%d", ruby.DefaultPrivate.Sets, ruby.DefaultPrivate.Ways),
		"configs.shared-cache": fmt.Sprintf("%dx%d", ruby.DefaultShared.Sets, ruby.DefaultShared.Ways), "configs.protocol": builtin.Ideal,
		"configs.step-budget": fmt.Sprintf("%d for each operation and a million", builtin.EventsPerOp),
	} {
		if means[path] != fmt.Sprint(want) {
			t.Errorf("%s: zero means %q, want %v", path, means[path], want)
		}
	}
}
