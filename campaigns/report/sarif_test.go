package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/report/compare"
	"ordeal/sim/protocols"
)

// sarifOf is a campaign's SARIF log as JSON, checked by the rules of the standard:
// what must be there, and the words that it knows.
func sarifOf(t *testing.T, text []byte) (results []map[string]any) {
	t.Helper()
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID string }
				}
			}
			Results []map[string]any
		}
	}
	must.Succeed(t, json.Unmarshal(text, &log))
	if log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].Tool.Driver.Name != "ordeal" {
		t.Fatalf("not a log of version 2.1.0 with one run of ordeal: %.300s", text)
	}
	rules := log.Runs[0].Tool.Driver.Rules
	for _, r := range log.Runs[0].Results {
		if i := int(r["ruleIndex"].(float64)); i < 0 || i >= len(rules) || rules[i].ID != r["ruleId"] {
			t.Errorf("rule %v is not rule %d of %v", r["ruleId"], i, rules)
		}
		if !slices.Contains([]string{"none", "note", "warning", "error"}, r["level"].(string)) {
			t.Errorf("level %v", r["level"])
		}
		if state, ok := r["baselineState"]; ok && !slices.Contains([]string{"new", "unchanged", "updated", "absent"}, state.(string)) {
			t.Errorf("baselineState %v", state)
		}
		if r["message"].(map[string]any)["text"] == "" || len(r["locations"].([]any)) != 1 {
			t.Errorf("a result without a message or a location: %v", r)
		}
		uri, line := locationOf(r)
		if u, err := url.Parse(uri); err != nil || uri == "" || line < 1 || u.Scheme != "" && u.Scheme != "file" {
			t.Errorf("location %q:%d: %v", uri, line, err)
		}
	}
	return log.Runs[0].Results
}

func locationOf(r map[string]any) (uri string, line int) {
	at := r["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
	return at["artifactLocation"].(map[string]any)["uri"].(string), int(at["region"].(map[string]any)["startLine"].(float64))
}

// TestSARIF shows the findings of a protocol of the user's own at the lines of its
// files.
func TestSARIF(t *testing.T) {
	root := t.TempDir()
	must.Succeed(t, os.CopyFS(filepath.Join(root, "src/my protocol"), subset(t, "MI_example")))
	path := filepath.Join(root, "src/my protocol/MI_example-cache.sm")
	text, err := os.ReadFile(path)
	must.Succeed(t, err)
	// A cache that forgets the data of a line that another takes.
	const transition = "  transition(M, Fwd_GETX, I) {\n"
	at := strings.Index(string(text), transition)
	before, rest, ok := strings.Cut(string(text)[at:], "e_sendData;")
	if at < 0 || !ok {
		t.Fatal("the protocol has no such transition")
	}
	broken := string(text)[:at] + before + rest
	must.Succeed(t, os.WriteFile(path, []byte(broken), 0o644))
	file := fmt.Sprintf(`{name: own, seed: 3, sim: builtin, configs: [
 {name: mine, slicc: %q, core: inorder, runs: 6, threads: 3, ops: 30, locations: 4, rounds: 2, expect: sc, classify: []}]}`, filepath.Join(root, "src/my protocol/MI_example.slicc"))
	a, s := archived(t, file)
	if len(s.Findings) == 0 {
		t.Fatal("nothing was found")
	}
	var out bytes.Buffer
	must.Succeed(t, WriteSARIF(&out, a, nil, root))
	results := sarifOf(t, out.Bytes())
	if len(results) != len(s.Findings) {
		t.Errorf("%d results of %d findings", len(results), len(s.Findings))
	}
	// The directory waits in M, the state whose declaration says so.
	uri, line := locationOf(results[0])
	directory, err := fs.ReadFile(protocols.Files(), "MI_example-dir.sm")
	must.Succeed(t, err)
	declared := strings.Split(string(directory), "\n")
	if s.Findings[0].Title != "deadlock: a request is not answered, Directory in M" || uri != "src/my%20protocol/MI_example-dir.sm" || !strings.HasPrefix(strings.TrimSpace(declared[line-1]), "M,") {
		t.Errorf("%s is at %s:%d", s.Findings[0].Title, uri, line)
	}
	// Seen from elsewhere a file has its whole path.
	out.Reset()
	must.Succeed(t, WriteSARIF(&out, a, nil, t.TempDir()))
	if uri, _ := locationOf(sarifOf(t, out.Bytes())[0]); !strings.HasPrefix(uri, "file:///") {
		t.Errorf("from another directory the file is %s", uri)
	}
	// Against itself nothing is new; against the sound protocol all of it, and the
	// other way round all of it is absent.
	must.Succeed(t, os.WriteFile(path, text, 0o644))
	sound, _ := archived(t, file)
	for _, c := range []struct {
		old, now *journal.Archive
		state    string
	}{{a, a, "unchanged"}, {sound, a, "new"}, {a, sound, "absent"}} {
		b, err := compare.Compare(c.old, c.now)
		must.Succeed(t, err)
		out.Reset()
		must.Succeed(t, WriteSARIF(&out, c.now, b, root))
		results := sarifOf(t, out.Bytes())
		for _, r := range results {
			if r["baselineState"] != c.state {
				t.Errorf("of %v the state is %v, want %s", r["message"], r["baselineState"], c.state)
			}
		}
		if len(results) != len(s.Findings) {
			t.Errorf("%d results are %s, want %d", len(results), c.state, len(s.Findings))
		}
	}
}

// subset are the files of a protocol that comes with ordeal.
func subset(t *testing.T, name string) fs.FS {
	t.Helper()
	dir := t.TempDir()
	files, err := fs.Glob(protocols.Files(), name+"*")
	must.Succeed(t, err)
	for _, f := range append(files, "native.sm") {
		text, err := fs.ReadFile(protocols.Files(), f)
		must.Succeed(t, err)
		must.Succeed(t, os.WriteFile(filepath.Join(dir, f), text, 0o644))
	}
	return os.DirFS(dir)
}
