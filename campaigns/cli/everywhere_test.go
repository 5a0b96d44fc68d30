package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/check/model"
)

// Every model is known wherever one can be named: in campaign files and their options, to the
// commands and what completes them, to those who check evidence, and in the documentation.
func TestModelsEverywhere(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "corr.axe")
	must.Succeed(t, os.WriteFile(trace, []byte("0: M[x] := 1\n0: M[x] == 0\n1: M[x] == 1\n"), 0o600))
	readme, err := os.ReadFile("../../check/README.md")
	must.Succeed(t, err)
	for _, m := range model.Named() {
		other := model.SC.Name
		if m == model.SC {
			other = model.TSO.Name
		}
		file := "name: c\nconfigs:\n  - {name: a, expect: " + m.Name + "}\n  - {name: b, expect: " + other + ", classify: [" + m.Name + "]}\n"
		if _, err := config.Parse(m.Name, []byte(file), nil); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		if !strings.Contains(string(readme), "`"+m.Name+"`") {
			t.Errorf("%s: not in check/README.md", m.Name)
		}
		if status, text, errs := ordeal("", "models", m.Name); status != 0 || !strings.HasPrefix(text, m.Name) {
			t.Errorf("models %s: %d, %q %s", m.Name, status, text, errs)
		}
		for _, command := range []string{"check", "run", "reduce", "explain"} {
			if _, text, _ := ordeal("", "__complete", command, "--model", m.Name); !strings.Contains("\n"+text, "\n"+m.Name+"\n") {
				t.Errorf("%s --model %s: not completed: %q", command, m.Name, text)
			}
		}
		status, certificate, errs := ordeal("", "check", "--model", m.Name, "--json", trace)
		file = filepath.Join(dir, m.Name+".json")
		must.Succeed(t, os.WriteFile(file, []byte(certificate), 0o600))
		if status != 1 {
			t.Errorf("check --model %s: status %d, want 1: %s", m.Name, status, errs)
		}
		if status, text, errs := ordeal("", "verify", file, trace); status != 0 || !strings.Contains(text, m.Name+" forbidden proved") {
			t.Errorf("verify %s: %d, %q %s", m.Name, status, text, errs)
		}
		run := filepath.Join(dir, m.Name)
		status, text, errs := ordeal("", "run", "--sim", "builtin", "--protocol", "ideal", "--core", "inorder", "--threads", "2", "--ops", "8",
			"--seed", "1", "--rounds", "1", "--model", m.Name, "--dir", run)
		if status != 0 || !strings.Contains(text, m.Name) {
			t.Errorf("run --model %s: %d, %q %s", m.Name, status, text, errs)
		}
	}
}

// A run that breaks a model whose evidence is of events can be explained.
func TestSplitModelRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	status, text, errs := ordeal("", "run", "--sim", "builtin", "--protocol", "ideal", "--core", "ooo", "--core-bugs", "fence-no-drain", "--threads", "4",
		"--ops", "30", "--locations", "3", "--rounds", "5", "--seed", "3", "--model", "pow", "--mix", "load=40,store=40,exchange=5,fence=15", "--dir", dir)
	if status != 1 || !strings.Contains(text, "pow        forbidden") {
		t.Fatalf("run: %d, %s %s", status, text, errs)
	}
	if status, text, errs := ordeal("", "explain", dir); status != 0 || !strings.Contains(text, "pow forbids") || !strings.Contains(text, "program.txt:") {
		t.Errorf("explain: %d, %s %s", status, text, errs)
	}
}
