package document

import (
	"errors"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// FuzzRead reads two files that may include each other, with an override. What
// is read has a place for every node and no alias, and reads back as it is.
func FuzzRead(f *testing.F) {
	f.Add("include: b.yaml\nl: [{name: x, k: 1}]\n", "l: [{name: x}]\n", "l.x.k=2")
	f.Add("a: &a {b: 1}\nc: {<<: *a}\n", "", "c.b=[1]")
	f.Add("include: [b.yaml, b.yaml]\n", "include: a.yaml\n", "a=1")
	f.Add("a: &a [*a]\n", "<<: {}\n", "*=")
	f.Add("include: $X${Y:-b}.yaml\n", "? [a]\n: 1\n", "a.b.0=~")
	f.Fuzz(func(t *testing.T, a, b, set string) {
		r := Reader{
			Include: func(_, path string) (string, []byte, error) {
				switch path {
				case "a.yaml":
					return path, []byte(a), nil
				case "b.yaml":
					return path, []byte(b), nil
				}
				return "", nil, errors.New("no such file")
			},
			Getenv: func(name string) string { return strings.ToLower(name) },
		}
		d, err := r.Read("a.yaml", []byte(a))
		if err != nil {
			return
		}
		_ = d.Set(set) // an error leaves the rest to be looked at
		seen := make(map[*yaml.Node]bool)
		var look func(n *yaml.Node)
		look = func(n *yaml.Node) {
			if n.Kind == yaml.AliasNode || seen[n] {
				t.Fatalf("an alias (%v) or seen before (%v) at %q", n.Kind == yaml.AliasNode, seen[n], d.PlaceOf(n))
			}
			if d.PlaceOf(n) == d.name {
				t.Fatalf("%q has no line", n.Value)
			}
			seen[n] = true
			for _, c := range n.Content {
				look(c)
			}
		}
		look(d.Root())
	})
}

// FuzzExpand expands what Escape wrote, and any text.
func FuzzExpand(f *testing.F) {
	f.Add("$A/${B}/${C:-d}/$$")
	f.Fuzz(func(t *testing.T, text string) {
		none := func(string) string { return "" }
		if got, err := Expand(Escape(text), none); err != nil || got != text {
			t.Errorf("%q is escaped as %q and expands to %q, %v", text, Escape(text), got, err)
		}
		if got, err := Expand(text, none); err == nil && !strings.Contains(text, "$") && got != text {
			t.Errorf("%q expands to %q", text, got)
		}
	})
}
