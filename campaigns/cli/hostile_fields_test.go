package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/report/serve"
	"ordeal/campaigns/run"
)

// forged and script stand in what no line of an output may begin with, and no
// page may contain as they are.
const forged, script = "FORGED finding: none", "<script>alert(1)</script>"

// evil acts on terminals, begins a line of its own, and would be executed in a page.
const evil = "x\x1b]0;t\a\x1b[2J\u202e\u2066\u009b31m\x7f\r\n" + forged + "\n" + script + "<b onclick=alert(1)>&amp;\"'"

// field is a text in a file of others.
type field struct {
	file  string // relative to the directory
	name  string // for messages
	plant func(text []byte) []byte
}

// jsonFields are the strings of a JSON document, each replaced by a hostile text
// or, so that what must be known still begins as it did, with one behind it.
func jsonFields(t *testing.T, file string, text []byte, seal func([]byte) []byte) (fields []field) {
	t.Helper()
	var document any
	must.Succeed(t, json.Unmarshal(text, &document))
	for n, path := range stringPaths(document, nil) {
		for _, old := range []bool{false, true} {
			fields = append(fields, field{file, fmt.Sprintf("%v %d keep %v", path, n, old), func(text []byte) []byte {
				var document any
				must.Succeed(t, json.Unmarshal(text, &document))
				changed, err := json.Marshal(replace(document, path, old))
				must.Succeed(t, err)
				return seal(changed)
			}})
		}
	}
	return fields
}

func unsealed(object []byte) []byte { return object }

// lineFields are those of each line of a journal, which is sealed again.
func lineFields(t *testing.T, file string, text []byte) (fields []field) {
	t.Helper()
	begin := 0
	for line := range bytes.Lines(text) {
		before, end := begin, begin+len(line)
		for _, f := range jsonFields(t, file, line, run.Seal) {
			fields = append(fields, field{file, fmt.Sprintf("line at %d: %s", before, f.name), func(text []byte) []byte {
				return slices.Concat(text[:before], f.plant(text[before:end]), text[end:])
			}})
		}
		begin = end
	}
	return fields
}

// stringPaths are the paths to all strings, each with its keys and indices.
func stringPaths(v any, path []any) (paths [][]any) {
	switch v := v.(type) {
	case string:
		return [][]any{slices.Clone(path)}
	case []any:
		for i := range v {
			paths = append(paths, stringPaths(v[i], append(path, i))...)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			paths = append(paths, stringPaths(v[key], append(path, key))...)
		}
	}
	return paths
}

// replace changes the string at a path.
func replace(v any, path []any, old bool) any {
	if len(path) == 0 {
		if old {
			return v.(string) + evil
		}
		return evil
	}
	switch key := path[0].(type) {
	case int:
		v.([]any)[key] = replace(v.([]any)[key], path[1:], old)
	case string:
		v.(map[string]any)[key] = replace(v.(map[string]any)[key], path[1:], old)
	}
	return v
}

// wordFields are the words of a text, each with a hostile text behind it; the ends
// of lines in it would make other lines.
func wordFields(file string, text []byte) (fields []field) {
	for _, at := range regexp.MustCompile(`[\w."]\s`).FindAllIndex(text, -1) {
		for _, line := range []bool{true, false} {
			fields = append(fields, field{file, fmt.Sprintf("byte %d in one line %v", at[0], line), func(text []byte) []byte {
				hostile := evil
				if line {
					hostile = strings.NewReplacer("\r", "", "\n", "").Replace(evil)
				}
				return slices.Concat(text[:at[0]+1], []byte(hostile), text[at[0]+1:])
			}})
		}
	}
	return fields
}

// acting is what acts on a terminal, in an output, and else the empty string.
func acting(out string) string {
	for i, r := range out {
		switch {
		case r == '\n' || r == '\t':
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == utf8.RuneError:
			return fmt.Sprintf("%q in %q", r, out[max(0, i-60):min(len(out), i+60)])
		}
	}
	return ""
}

// inspect reports what a hostile text did to an output.
func inspect(t *testing.T, what, out string, page bool) {
	t.Helper()
	if fault := acting(out); fault != "" {
		t.Errorf("%s: %s", what, fault)
	}
	if page && (strings.Contains(out, "<script>alert") || strings.Contains(out, "<b onclick")) {
		i := strings.Index(out, "alert")
		t.Errorf("%s: a page with what would be executed: %s", what, out[max(0, i-200):min(len(out), i+50)])
	}
	if page {
		return // in which the end of a line is a space
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), forged) {
			i := strings.Index(out, line)
			t.Errorf("%s: a forged line: %q", what, out[max(0, i-150):i+len(line)])
			return
		}
	}
}

// hostile runs commands on a directory in which one text after the other is replaced, of which one in
// stride is tried.
type hostile struct {
	dir      string // the directory as it was received
	commands [][]string
	pages    []string // of serve; nil: not served
	stride   int
}

// try tries the fields. In the words of commands, DIR is the directory and OUT a
// directory for their output, whose files are inspected as well.
func (h *hostile) try(t *testing.T, fields []field) {
	t.Helper()
	stride := h.stride
	if *soak {
		stride = 1
	}
	work := t.TempDir()
	dir, out := filepath.Join(work, "received"), filepath.Join(work, "out")
	// As it was received, every command knows what to do.
	fields = slices.Insert(slices.Clone(fields), 0, field{fields[0].file, "unchanged", func(text []byte) []byte { return text }})
	for n := 0; n < len(fields); n += stride {
		f := fields[n]
		original, err := os.ReadFile(filepath.Join(h.dir, f.file))
		must.Succeed(t, err)
		planted := f.plant(original)
		for _, words := range h.commands {
			must.Succeed(t, os.RemoveAll(dir))
			must.Succeed(t, os.RemoveAll(out))
			must.Succeed(t, os.Mkdir(out, 0o700))
			must.Succeed(t, os.CopyFS(dir, os.DirFS(h.dir)))
			must.Succeed(t, os.WriteFile(filepath.Join(dir, f.file), planted, 0o600))
			args := []string{"ordeal"}
			for _, word := range words {
				args = append(args, strings.NewReplacer("DIR", dir, "OUT", out).Replace(word))
			}
			what := fmt.Sprintf("%s %s: %s", f.file, f.name, strings.Join(words, " "))
			var stdout, stderr bytes.Buffer
			status := Main(args, manual(), strings.NewReader(""), &stdout, &stderr)
			if n == 0 && status == 2 {
				t.Fatalf("%s: %s", what, &stderr)
			}
			inspect(t, what, stdout.String(), false)
			inspect(t, what, stderr.String(), false)
			h.files(t, what, out)
			if t.Failed() && !*soak {
				return
			}
		}
		h.serve(t, f.file+" "+f.name, dir)
	}
}

// files inspects what a command wrote, and not what it copied: the runs of a merged
// campaign, and the lines of its journal.
func (h *hostile) files(t *testing.T, what, out string) {
	t.Helper()
	must.Succeed(t, filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if merged := filepath.Base(filepath.Dir(path)) == "m"; err == nil && merged && d.IsDir() {
			return fs.SkipDir
		} else if merged && strings.HasSuffix(path, ".jsonl") {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		switch filepath.Ext(path) {
		case ".html", ".svg", ".xml", ".md", ".txt", ".jsonl", ".json", ".sarif":
			text, err := os.ReadFile(path)
			ext := filepath.Ext(path)
			inspect(t, what+": "+filepath.Base(path), string(text), ext == ".html" || ext == ".svg")
			return err
		}
		return nil
	}))
}

// serve inspects the pages of the directory.
func (h *hostile) serve(t *testing.T, what, dir string) {
	t.Helper()
	if h.pages == nil {
		return
	}
	handler, err := serve.New(dir)
	if err != nil {
		inspect(t, what+": serve", err.Error(), false)
		return
	}
	for _, page := range h.pages {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, page, nil))
		if w.Code == http.StatusMovedPermanently {
			t.Fatalf("%s is moved to %s", page, w.Header().Get("Location"))
		}
		inspect(t, what+": serve "+page, w.Body.String(), true)
	}
}

// TestHostileCampaign has a hostile text in each field of each file of a received
// campaign, and runs all commands that read one. -soak tries every field.
func TestHostileCampaign(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "night")
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Succeed(t, os.WriteFile(file, []byte(`
name: night
sim: builtin
keep: all
reduce: 1h
known: [{title: "no title*", note: known, tracker: "https://tracker.example/7"}]
configs: [{name: a, runs: 2, protocol: mi, core: ooo, threads: 2, ops: 12, locations: 4, rounds: 12, expect: sc, classify: [tso]}]
`), 0o600))
	var stdout, stderr bytes.Buffer
	if Main([]string{"ordeal", "campaign", "run", "--dir", dir, file}, manual(), strings.NewReader(""), &stdout, &stderr) != 1 {
		t.Fatalf("nothing was found: %s%s", &stdout, &stderr)
	}
	var fields []field
	must.Succeed(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		must.Succeed(t, err)
		text, err := os.ReadFile(path)
		must.Succeed(t, err)
		switch filepath.Ext(path) {
		case ".json":
			fields = append(fields, jsonFields(t, name, text, unsealed)...)
		case ".jsonl":
			fields = append(fields, lineFields(t, name, text)...)
		case ".yaml", ".txt", ".axe", ".litmus", ".dot":
			fields = append(fields, wordFields(name, text)...)
		}
		return nil
	}))
	t.Logf("%d fields", len(fields))
	h := hostile{dir: dir, stride: 590, pages: []string{"/", "/received/", "/received/report", "/received/run/1/", "/received/coverage/a"}}
	for _, words := range []string{
		"campaign status DIR", "campaign status --json DIR", "campaign report -o OUT/r.html DIR", "campaign report --format jsonl -o OUT/r.jsonl DIR",
		"campaign report --format junit -o OUT/r.xml DIR", "campaign report --format sarif -o OUT/r.sarif DIR", "campaign diff DIR DIR", "campaign trend DIR DIR", "campaign merge -o OUT/m DIR",
		"campaign reindex --db OUT/i.db DIR", "campaign resume DIR", "check DIR", "check --explain DIR/000001", "check DIR/000001/reduced/history.axe", "verify DIR", "explain DIR/000001", "explain --html OUT/e.html DIR/000001",
		"repro --tries 1 DIR/000001", "reduce --budget 10ms DIR/000001/reduced", "convert --to axe DIR/000001", "run --sim builtin --dir OUT/run DIR/000001/program.txt",
		"litmus --sim builtin --rounds 1 DIR/000001/reduced/program.litmus", "campaign run --dir OUT/c DIR/campaign.yaml",
	} {
		h.commands = append(h.commands, strings.Fields(words))
	}
	h.try(t, fields)
}

// TestHostileProtocol has a hostile text in words, strings and comments of a received
// protocol.
func TestHostileProtocol(t *testing.T) {
	const small = "../../sim/ruby/testdata/small"
	var fields []field
	for _, name := range []string{"small.slicc", "cache.sm"} {
		text, err := os.ReadFile(filepath.Join(small, name))
		must.Succeed(t, err)
		fields = append(fields, wordFields(name, text)...)
		for _, at := range regexp.MustCompile(`"`).FindAllIndex(text, -1) {
			fields = append(fields, field{name, fmt.Sprintf("string at %d", at[0]), func(text []byte) []byte {
				line := strings.NewReplacer("\r", "", "\n", "", `"`, "").Replace(evil)
				return slices.Concat(text[:at[1]], []byte(line), text[at[1]:])
			}})
		}
	}
	t.Logf("%d fields", len(fields))
	h := hostile{dir: small, stride: 211}
	for _, words := range []string{
		"slicc check DIR/small.slicc", "slicc table DIR/small.slicc", "slicc table --format html -o OUT/t.html DIR/small.slicc", "slicc check --json DIR/small.slicc",
		"mutate list --slicc DIR/small.slicc", "run --sim builtin --slicc DIR/small.slicc --seed 1 --threads 2 --ops 10 --rounds 2 --dir OUT/r",
		"explore --quiet --slicc DIR/small.slicc --max-states 500 --dir OUT/x", "audit --slicc DIR/small.slicc --steps 2000 --dir OUT/a",
		"litmus --sim builtin --slicc DIR/small.slicc --rounds 1 --dir OUT/l DIR/../SB.litmus", "mutate run --slicc DIR/small.slicc --sample 1 --budget 100 --dir OUT/m",
	} {
		h.commands = append(h.commands, strings.Fields(words))
	}
	h.try(t, fields)
}
