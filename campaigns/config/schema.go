package config

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"ordeal/gen"
	"ordeal/gen/shapes"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/gem5"
)

// Key describes a key of a campaign file. What it says is read off the Go
// types that campaign files become: the sentences are the comments on their
// fields, and the rest is in the tags.
type Key struct {
	// Path is where the key stands: the keys that lead to it, joined by dots.
	Path string
	// Group is the Go type that has the field.
	Group string
	Doc   string
	// Default is the value of a key that is not written, as YAML has it. Nil:
	// the key is required, or a mapping.
	Default any
	// Means says what the zero value means: zero, an empty text or an empty
	// list. Empty: itself.
	Means string
	Unit  string
	// Min, Max and Below bound numbers; nil: they do not.
	Min, Max, Below *float64
	// Values are all that the value, or an item of it, may be; nil: anything of
	// its type. Usual are examples.
	Values, Usual []string
	// Form names a form of text: one of forms.
	Form string
	// Env tells that variables of the environment are expanded.
	Env      bool
	Required bool
	field    *field
}

// key is the last word of the path.
func (k *Key) key() string { return k.Path[strings.LastIndexByte(k.Path, '.')+1:] }

// includeKey is the key that no Campaign has: document.Reader takes it out.
var includeKey = Key{
	Path: "include", Group: "Campaign", Env: true,
	Doc: "Files below this one, as a path or a list of paths, relative to this file. Mappings are merged key by key, and configurations of the same name; " +
		"values of later files count more, and those of this file most.",
}

// Schema describes all keys of a campaign file, in order.
func Schema() []Key {
	campaign := schemaOf(reflect.TypeFor[Campaign](), reflect.ValueOf(Defaults()), "")
	return append(campaign[:1:1], append([]Key{includeKey}, campaign[1:]...)...)
}

// schemaOf describes the keys of struct type t, whose defaults are given.
func schemaOf(t reflect.Type, defaults reflect.Value, prefix string) []Key {
	var keys []Key
	for _, f := range fields(t) {
		value := defaults.FieldByName(f.Name)
		k := Key{Path: prefix + f.key, Group: f.owner.Name(), Doc: comment(f.owner.Name(), f.Name), Env: f.expands(), field: &f}
		k.tag(f.Tag.Get("schema"))
		below, at := f.Type, value
		switch {
		case f.Type.Kind() == reflect.Pointer:
			below, at = f.Type.Elem(), reflect.Zero(f.Type.Elem())
		case f.Type == reflect.TypeFor[[]Config]():
			below, at = f.Type.Elem(), reflect.ValueOf(DefaultConfig())
		}
		nested := below.Kind() == reflect.Struct && !leaf(below)
		if !nested && !k.Required {
			k.Default = value.Interface()
		}
		keys = append(keys, k)
		if nested {
			keys = append(keys, schemaOf(below, at, prefix+f.key+".")...)
		}
	}
	return keys
}

// tag reads what the tag schema of a field says: limits and names of lists,
// joined by commas.
func (k *Key) tag(tag string) {
	for part := range strings.SplitSeq(tag, ",") {
		name, value, _ := strings.Cut(part, "=")
		number := func() *float64 {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				panic(fmt.Sprintf("key %s: tag %q: %v", k.Path, tag, err))
			}
			return &n
		}
		switch name {
		case "":
		case "min":
			k.Min = number()
		case "max":
			k.Max = number()
		case "below":
			k.Below = number()
		case "unit":
			k.Unit = value
		case "zero", "empty":
			k.Means = value
		case "form":
			k.Form = value
		case "required":
			k.Required = true
		case "values":
			k.Values = lists[value]()
		case "suggest":
			k.Usual = lists[value]()
		default:
			panic(fmt.Sprintf("key %s: tag %q: no such part as %s", k.Path, tag, name))
		}
	}
}

// lists are the values that tags name.
var lists = map[string]func() []string{
	"sims":      Sims,
	"syncs":     Syncs,
	"models":    ModelNames,
	"classes":   func() []string { return append(ModelNames(), "all") },
	"keeps":     func() []string { return []string{string(KeepFindings), string(KeepAll)} },
	"troubles":  func() []string { return []string{string(InfraContinue), string(InfraStop)} },
	"cores":     func() []string { return texts(core.Kinds()) },
	"orders":    func() []string { return texts([]event.Order{event.Shuffled, event.FIFO, event.LIFO}) },
	"outcomes":  func() []string { return texts(bugOutcomes()) },
	"layouts":   func() []string { return append([]string{AnyLayout}, texts(gen.Layouts())...) },
	"protocols": builtin.Protocols,
	"cpus":      gem5.CPUs,
	"networks":  gem5.Networks,
	"bugs":      func() []string { return texts(core.Bugs(core.OOO)) }, // other kinds of core have some of them
	"shapes": func() []string {
		var names []string
		for _, s := range shapes.All() {
			names = append(names, s.Name)
		}
		return names
	},
}

// texts are the names of values.
func texts[T fmt.Stringer](values []T) []string {
	var names []string
	for _, v := range values {
		names = append(names, v.String())
	}
	return names
}

// sources are the files whose comments say what the keys mean.
//
//go:embed campaign.go programs.go machine.go gem5.go
var sources embed.FS

// comments are the comments on the fields of the types in sources, by type and
// field.
var comments = sync.OnceValue(func() map[[2]string]string {
	all := make(map[[2]string]string)
	entries, err := sources.ReadDir(".")
	if err != nil {
		panic(err)
	}
	for _, entry := range entries {
		text, err := sources.ReadFile(entry.Name())
		if err != nil {
			panic(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			panic(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					for _, name := range f.Names {
						all[[2]string{spec.Name.Name, name.Name}] = strings.Join(strings.Fields(f.Doc.Text()), " ")
					}
				}
			}
			return false
		})
	}
	return all
})

// comment is what the comment on a field says, for people who do not read Go:
// "Ops is the number of …" becomes "The number of …".
func comment(owner, name string) string {
	text := strings.TrimPrefix(comments()[[2]string{owner, name}], name+" ")
	for _, verb := range []string{"is ", "are "} {
		text = strings.TrimPrefix(text, verb)
	}
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
