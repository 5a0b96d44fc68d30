package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestWorkflows reads the workflows of this project and those for users: each has an event, and jobs that end, whose
// steps use versions of actions, are of the shell, and call targets that the Makefile has.
func TestWorkflows(t *testing.T) {
	makefile, err := os.ReadFile(root + "/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	target := regexp.MustCompile(`(?m)\bmake (?:-C \S+ )?([a-z][a-z-]*)`)
	version := regexp.MustCompile(`@v\d+$`)
	seen := map[string]bool{}
	for _, pattern := range []string{".github/workflows/*.yml", "scripts/nightly/*.yml"} {
		list, err := filepath.Glob(root + "/" + pattern)
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %v, %v", pattern, list, err)
		}
		for _, file := range list {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var w struct {
				Name        string
				On          any
				Permissions map[string]string
				Jobs        map[string]struct {
					Minutes  int    `yaml:"timeout-minutes"`
					RunsOn   string `yaml:"runs-on"`
					Strategy struct{ Matrix map[string][]string }
					Steps    []struct{ Uses, Run string }
				}
			}
			if err := yaml.Unmarshal(text, &w); err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if w.Name == "" || w.On == nil || len(w.Permissions) == 0 || len(w.Jobs) == 0 {
				t.Errorf("%s: want a name, events, permissions and jobs", file)
			}
			for name, job := range w.Jobs {
				if job.Minutes < 1 || job.Minutes > 360 || job.RunsOn == "" {
					t.Errorf("%s: job %s: want a system, and 1 to 360 minutes", file, name)
				}
				targets := job.Strategy.Matrix["target"]
				for _, step := range job.Steps {
					if (step.Uses == "") == (step.Run == "") || step.Uses != "" && !version.MatchString(step.Uses) {
						t.Errorf("%s: job %s: step %+v: want a command, or an action with its version", file, name, step)
					}
					script := exec.Command("bash", "-n")
					script.Stdin = strings.NewReader(step.Run)
					if out, err := script.CombinedOutput(); err != nil {
						t.Errorf("%s: job %s: %v\n%s", file, name, err, out)
					}
					for _, m := range target.FindAllStringSubmatch(step.Run, -1) {
						targets = append(targets, m[1])
					}
				}
				for _, target := range targets {
					seen[target] = true
					if !regexp.MustCompile(`(?m)^` + target + `:`).Match(makefile) {
						t.Errorf("%s: job %s: make %s: the Makefile has no such target", file, name, target)
					}
				}
			}
		}
	}
	for _, target := range []string{"cross", "race", "fuzz", "soak", "bench-compare", "build"} {
		if !seen[target] {
			t.Errorf("no workflow makes %s", target)
		}
	}
}
