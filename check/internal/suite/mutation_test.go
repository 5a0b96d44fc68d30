package suite_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/check/internal/scale"
)

// mutant is a changed copy of the checker that a test must notice.
type mutant struct {
	// name says what the change takes away.
	name string
	// file, from the repository's root, and the text in it, which must occur
	// exactly once, that another one takes the place of.
	file, old, new string
	// tests is the package, from the root, whose -short tests must fail;
	// empty for the selection of this package.
	tests string
	// often marks the mutants that are run without -soak.
	often bool
	// survives marks a change that must not matter: a control that shows
	// that the tests do not fail at just anything.
	survives bool
}

const (
	repository = "../../.."
	thisSuite  = "check/internal/suite"
	// selection is the part of this package that mutants are run against.
	selection = "^Test(NamedCases|SaturationIsTheClosure|SmallRandom|Small|OperationLess|FenceMore|OwnOrder|Budgets|Wide)$"
)

// Every mutant makes a test fail; the unchanged code and the controls do not. The tests of
// the unchanged code are run so with -soak; otherwise they are run by go test alone.
// A mutant that does not compile, or whose place is not found, is a fault of
// this test.
//
// The tests of a mutant are compiled with -overlay and run by themselves.
// With -soak all mutants are run, else those marked; with -short none.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the checker again for each mutant")
	}
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	if scale.Soak() {
		t.Run("unchanged", func(t *testing.T) {
			t.Parallel()
			for _, tests := range []string{thisSuite, "check/witness", serialTests, traceTests, robustTests} {
				if output, failed := runMutant(t, root, tests, nil); failed {
					t.Errorf("%s fails unchanged:\n%s", tests, output)
				}
			}
		})
	}
	for _, m := range slices.Concat(mutants, serialMutants) {
		t.Run(strings.ReplaceAll(m.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			changed := m.apply(t, root)
			if !m.often && !scale.Soak() {
				return // that its place is found is checked always
			}
			tests := m.tests
			if tests == "" {
				tests = thisSuite
			}
			overlay := filepath.Join(t.TempDir(), "mutant.go")
			if err := os.WriteFile(overlay, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			output, failed := runMutant(t, root, tests, map[string]string{filepath.Join(root, m.file): overlay})
			switch {
			case failed && m.survives:
				t.Errorf("%s: this should not matter:\n%s", m.name, output)
			case !failed && !m.survives:
				t.Errorf("%s: no test of %s notices", m.name, tests)
			case failed && m.often && !strings.Contains(output, "--- FAIL: "):
				t.Errorf("%s: %s fails, but none of its tests:\n%s", m.name, tests, output)
			case failed:
				t.Logf("killed: %.300s", output)
			}
		})
	}
}

// apply returns the mutated file.
func (m *mutant) apply(t *testing.T, root string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		t.Fatalf("mutant %s: %v", m.name, err)
	}
	if n := bytes.Count(text, []byte(m.old)); n != 1 {
		t.Fatalf("mutant %s: %s has its place %d times, not once: %q", m.name, m.file, n, m.old)
	}
	return bytes.Replace(text, []byte(m.old), []byte(m.new), 1)
}

// cpuSeconds bounds the tests of a mutant, which may loop for ever: in CPU
// time, so that they do not fail because the machine is busy.
const cpuSeconds = 120

// runMutant compiles the tests of a package with some files replaced, and
// runs them. It returns their output and whether they fail.
func runMutant(t *testing.T, root, tests string, replace map[string]string) (output string, failed bool) {
	t.Helper()
	dir := t.TempDir()
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	config, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "mutant.test")
	if err := os.WriteFile(config, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "test", "-c", "-ldflags=-s -w", "-overlay="+config, "-o", binary, "./"+tests)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("does not compile: %v\n%s", err, out)
	}
	limit := fmt.Sprintf(`ulimit -t %d && exec "$0" "$@"`, cpuSeconds)
	args := []string{"-c", limit, binary, "-test.short", "-test.failfast", "-test.timeout=0"}
	if tests == thisSuite {
		args = append(args, "-test.run="+selection)
	}
	run := exec.CommandContext(t.Context(), "sh", args...)
	run.Dir = filepath.Join(root, tests)
	out, err := run.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("does not run: %v", err)
	}
	return string(out), err != nil
}
