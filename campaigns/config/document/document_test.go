package document

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	"gopkg.in/yaml.v3"

	"ordeal/campaigns/internal/must"
)

// files makes a file system of texts.
func files(texts map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, text := range texts {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// read reads top.yaml of some files, X being "set" in the environment, and
// applies overrides.
func read(texts map[string]string, sets ...string) (*Document, error) {
	r := Reader{Include: In(files(texts)), Getenv: func(name string) string {
		if name == "X" {
			return "set"
		}
		return ""
	}}
	d, err := r.Read("top.yaml", []byte(texts["top.yaml"]))
	if err != nil {
		return nil, err
	}
	for _, s := range sets {
		if err := d.Set(s); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// plain is a document as Go values.
func plain(t *testing.T, d *Document) any {
	t.Helper()
	var v any
	must.Succeed(t, d.Root().Decode(&v))
	return v
}

// TestMeaning wants documents to mean what a file without aliases, merges,
// includes and overrides says.
func TestMeaning(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		sets  []string
		want  string
	}{
		"one file": {files: map[string]string{"top.yaml": "a: 1\nb: [x, 'null', ~]\n"}, want: "{a: 1, b: [x, 'null', null]}"},
		"merged keys": {
			files: map[string]string{"top.yaml": "l:\n- &m {name: m, a: 1, b: 2}\n- {a: 3, <<: *m, name: n}\n- <<: [{b: 5}, *m]\n  name: o\n"},
			want:  "l: [{name: m, a: 1, b: 2}, {name: n, a: 3, b: 2}, {name: o, a: 1, b: 5}]",
		},
		"no merge in quotes": {files: map[string]string{"top.yaml": "'<<': {a: 1}\n"}, want: "'<<': {a: 1}"},
		"an override of an anchored mapping is of it alone": {
			files: map[string]string{"top.yaml": "l:\n- &m {name: m, a: 1}\n- {<<: *m, name: n}\n"}, sets: []string{"l.m.a=2"},
			want: "l: [{name: m, a: 2}, {name: n, a: 1}]",
		},
		"an include of an anchored mapping is of it alone": {
			files: map[string]string{"b.yaml": "l:\n- &m {name: m, a: 1}\n- {<<: *m, name: n}\n", "top.yaml": "include: b.yaml\nl:\n- {name: m, a: 2}\n"},
			want:  "l: [{name: m, a: 2}, {name: n, a: 1}]",
		},
		"overrides": {
			files: map[string]string{"top.yaml": "l: [{name: a, x: 1}, {name: b}]\ns: [1, 2]\n"},
			sets:  []string{"l.*.x={k: 1}", "l.a.x.k=2", "l.1.y=[z]", "s.0=3", "n.m=4", "l.b.name=c", "l.c.q=1"},
			want:  "{l: [{name: a, x: {k: 2}}, {name: c, x: {k: 1}, y: [z], q: 1}], s: [3, 2], n: {m: 4}}",
		},
		"names with dots": {
			files: map[string]string{"top.yaml": "l: [{name: v24.0.1}, {name: v24}]\n"}, sets: []string{"l.v24.0.1.a=1", "l.v24.a=2"},
			want: "l: [{name: v24.0.1, a: 1}, {name: v24, a: 2}]",
		},
		"an override of all items is one of each": {
			files: map[string]string{"top.yaml": "l: [{name: a}, {name: b}]\n"}, sets: []string{"l.*={k: {z: 1}}", "l.0.k.z=2"},
			want: "l: [{k: {z: 2}}, {k: {z: 1}}]",
		},
		"later wins, the including file last": {
			files: map[string]string{
				"p.yaml":   "a: p\nb: p\nc: p\nd: [p]\nm: {p: 1, q: 1}\nl: [{name: x, k: p, r: 1}]\n",
				"q.yaml":   "b: q\nc: q\nd: [q, q]\nm: {q: 2}\nl: [{name: y}, {name: x, k: q}]\n",
				"top.yaml": "c: top\ninclude: [p.yaml, q.yaml]\nl: [{name: x, k: top}, {name: z}]\n",
			},
			want: "{a: p, b: q, c: top, d: [q, q], m: {p: 1, q: 2}, l: [{name: x, k: top, r: 1}, {name: y}, {name: z}]}",
		},
		"relative to the including file, and the environment": {
			files: map[string]string{"top.yaml": "include: d/$X.yaml\n", "d/set.yaml": "include: ../e.yaml\nb: 1\n", "e.yaml": "a: 1\n", "d/e.yaml": "a: 2\n"},
			want:  "{a: 1, b: 1}",
		},
		"twice, by two ways": {
			files: map[string]string{"top.yaml": "include: [p.yaml, q.yml]\n", "p.yaml": "include: r.yaml\na: 1\n", "q.yml": "include: r.yaml\n", "r.yaml": "a: 0\nb: 0\n"},
			want:  "{a: 0, b: 0}",
		},
		"nothing included": {files: map[string]string{"top.yaml": "include:\na: 1\n"}, want: "a: 1"},
		"lists that have no names are replaced": {
			files: map[string]string{"b.yaml": "l: [{name: a}, {x: 1}]\n", "top.yaml": "include: b.yaml\nl: [{name: a, y: 1}]\n"},
			want:  "l: [{name: a, y: 1}]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := read(tt.files, tt.sets...)
			must.Succeed(t, err)
			var want any
			must.Succeed(t, yaml.Unmarshal([]byte(tt.want), &want))
			if diff := cmp.Diff(want, plain(t, d)); diff != "" {
				t.Errorf("(-want +read):\n%s", diff)
			}
		})
	}
}

// TestPlaces wants every value's own file and line, whatever file it came from.
func TestPlaces(t *testing.T) {
	d, err := read(map[string]string{
		"b.yaml":   "a: 1\nl:\n- &m\n  name: m\n  x: 1\n- <<: *m\n  name: n\n",
		"top.yaml": "include: b.yaml\nl:\n- name: n\n  y: 1\n",
	}, "l.m.z=3")
	must.Succeed(t, err)
	for path, want := range map[string]string{
		"a": "b.yaml:1", "l.0.x": "b.yaml:5", "l.1.x": "b.yaml:5", "l.n.name": "top.yaml:3", "l.n.y": "top.yaml:4",
		"l.m.z": "--set l.m.z=3", "l.m.q": "b.yaml:3", "q": "b.yaml:1",
	} {
		if got := d.Place(strings.Split(path, ".")...); got != want {
			t.Errorf("%s is at %s, want %s", path, got, want)
		}
	}
}

// TestFaults wants faults with their places.
func TestFaults(t *testing.T) {
	deep := map[string]string{"top.yaml": "include: 0.yaml\n"}
	wide := map[string]string{"top.yaml": "include: 0.yaml\n"}
	for i := range 40 {
		deep[fmt.Sprintf("%d.yaml", i)] = fmt.Sprintf("include: %d.yaml\n", i+1)
		wide[fmt.Sprintf("%d.yaml", i)] = fmt.Sprintf("include: [%d.yaml, %[1]d.yaml]\n", i+1)
	}
	wide["10.yaml"] = "a: 1\n"
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("a%d: &a%[1]d [*a%[2]d, *a%[2]d, *a%[2]d, *a%[2]d, *a%[2]d, *a%[2]d, *a%[2]d, *a%[2]d]\n", i+1, i)
	}
	top := func(text string) map[string]string { return map[string]string{"top.yaml": text} }
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"missing":           {top("a: 1\ninclude: b.yaml\n"), "top.yaml:2: include: open b.yaml: file does not exist"},
		"missing twice":     {top("include:\n- b.yaml\n- c.yaml\n"), "top.yaml:3: include: open c.yaml"},
		"of itself":         {top("include: top.yaml\n"), "top.yaml:1: include: top.yaml includes itself: top.yaml → top.yaml"},
		"in a circle":       {map[string]string{"top.yaml": "include: b.yaml\n", "b.yaml": "\ninclude: top.yaml\n"}, "b.yaml:2: include: top.yaml includes itself: top.yaml → b.yaml → top.yaml\ntop.yaml:1: included here"},
		"too deep":          {deep, "15.yaml:1: include: 16.yaml: files include each other more than 16 deep"},
		"too many":          {wide, "more than 100 files"},
		"no YAML name":      {top("include: /etc/passwd\n"), "top.yaml:1: include: /etc/passwd: want a file named *.yaml or *.yml"},
		"a list of lists":   {top("include: [[b.yaml]]\n"), "top.yaml:1: include: want the path of a file"},
		"a number":          {top("include: {}\n"), "top.yaml:1: include: want the path of a file"},
		"variable":          {top("include: $NO.yaml\n"), "top.yaml:1: include: the environment variable NO is not set"},
		"syntax below":      {map[string]string{"top.yaml": "include: b.yaml\n", "b.yaml": "a: 1\nb: [\n"}, "b.yaml:2: "},
		"no mapping below":  {map[string]string{"top.yaml": "include: b.yaml\n", "b.yaml": "[1]\n"}, "b.yaml:1: a campaign file is a mapping"},
		"nothing below":     {map[string]string{"top.yaml": "include: b.yaml\n", "b.yaml": "# nothing\n"}, "b.yaml: the campaign file is empty\ntop.yaml:1: included here"},
		"bomb":              {top(bomb), "values, aliases written out"},
		"merge of itself":   {top("a: &a\n  b: 1\n  <<: *a\n"), `top.yaml:3: anchor "a" contains itself`},
		"list in itself":    {top("a: &a [1, *a]\n"), `top.yaml:1: anchor "a" contains itself`},
		"merge of a scalar": {top("a: 1\n<<: 2\n"), "top.yaml:2: <<: want an alias of a mapping"},
		"key twice":         {top("a: 1\nb: 2\na: 3\n"), `top.yaml:3: key "a" is in line 1 already`},
		"a list as key":     {top("? [a]\n: 1\n"), "top.yaml:1: a key is a word"},
		"nested":            {top("a: " + strings.Repeat("[", 100) + strings.Repeat("]", 100)), "top.yaml:1: lists and mappings nest deeper than 64"},
		"large":             {top("a: " + strings.Repeat("x", MaxSize)), "top.yaml: more than 4194304 bytes"},
		"bad second":        {top("a: 1\n---\n[\n"), "top.yaml:3: "},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := read(tt.files); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v\nwant %q in it", err, tt.want)
			}
		})
	}
}

// TestOnDisk wants files to be included by their places, and nothing but
// regular YAML files to be opened.
func TestOnDisk(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		must.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("a.yaml", "a: 1\n")
	write("secret", "a: 1\n")
	must.Succeed(t, os.Mkdir(filepath.Join(dir, "d.yaml"), 0o755))
	for link, to := range map[string]string{"zero.yaml": "/dev/zero", "b.yaml": "a.yaml"} {
		must.Succeed(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	must.Succeed(t, unix.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o600))
	r := Reader{Include: OnDisk, Getenv: os.Getenv}
	top := filepath.Join(dir, "sub", "..", "top.yaml")
	for path, want := range map[string]string{
		"a.yaml": "", "b.yaml": "", filepath.Join(dir, "a.yaml"): "",
		"none.yaml": "no such file", "secret": "named *.yaml", "d.yaml": "no regular file", "zero.yaml": "no regular file",
		"pipe.yaml": "no regular file",
	} {
		d, err := r.Read(top, []byte("include: "+path+"\n"))
		switch {
		case want != "":
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", path, err, want)
			} else if place := top + ":1: include: "; !strings.HasPrefix(err.Error(), place) {
				t.Errorf("%s: %v, want %q first", path, err, place)
			}
		case err != nil:
			t.Errorf("%s: %v", path, err)
		case d.Place("a") != filepath.Join(dir, filepath.Base(path))+":1":
			t.Errorf("%s is at %s", path, d.Place("a"))
		}
	}
}

// TestExpand wants the values that a POSIX shell gives, and errors for what is
// not set.
func TestExpand(t *testing.T) {
	environment := map[string]string{"A": "alpha", "EMPTY": "", "DOLLAR": "$A"}
	getenv := func(name string) string { return environment[name] }
	for text, want := range map[string]string{
		"": "", "plain": "plain", "$A": "alpha", "x$A/y": "xalpha/y", "${A}b": "alphab", "${A:-z}": "alpha", "${B:-z}": "z", "${B:-}": "",
		"${EMPTY:-z}": "z", "$$A": "$A", "$$": "$", "$$$A": "$alpha", "$DOLLAR": "$A", "${B:-a b/c}": "a b/c",
	} {
		if got, err := Expand(text, getenv); err != nil || got != want {
			t.Errorf("%q expands to %q, %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"$B": "variable B is not set", "${B}": "variable B is not set", "$EMPTY": "variable EMPTY is not set", "$AB": "variable AB is not set",
		"$": "want $NAME", "${": "want $NAME", "$1": "want $NAME", "${A": "want $NAME", "${B:-$A}": "want $NAME", "$(ls)": "want $NAME", "${A-b}": "want $NAME",
	} {
		if got, err := Expand(text, getenv); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q expands to %q, %v, want an error with %q", text, got, err, want)
		}
	}
}
