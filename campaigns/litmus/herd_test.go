package litmus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/internal/must"
	"ordeal/parse/formats/litmus7"
	"ordeal/sim/sandbox"
)

// herdStandIn is a script in the place of herd7: it notes its arguments and
// prints a file.
func herdStandIn(t *testing.T, output string, status int) (path, args string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv(sandbox.WritableVariable, dir)
	path, args = filepath.Join(dir, "herd 7"), filepath.Join(dir, "args")
	script := fmt.Sprintf("#!/bin/sh\nfor a; do echo \"$a\"; done > '%s'\ncat '%s'\necho complaint >&2\nexit %d\n", args, filepath.Join(dir, "output"), status)
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "output"), []byte(output), 0o644))
	must.Succeed(t, os.WriteFile(path, []byte(script), 0o755))
	return path, args
}

// herdResult is what herd7 would print of MP.
func herdResult(t *testing.T, name string, states ...[2]string) string {
	t.Helper()
	r := litmus7.Result{Form: litmus7.Herd7, Test: name, Kind: litmus7.Allowed, Negative: 3, Condition: `exists (1:rax=1 /\ 1:rbx=0)`, Time: -1, Observation: litmus7.Never}
	for _, s := range states {
		// herd7 lists variables in an order of its own.
		r.States = append(r.States, litmus7.State{Count: 1, Values: []litmus7.Binding{{Name: "1:rbx", Value: s[1]}, {Name: "1:rax", Value: s[0]}}})
	}
	var text strings.Builder
	must.Succeed(t, litmus7.Write(&text, &r))
	return text.String()
}

func TestHerd(t *testing.T) {
	dir := write(t, map[string]string{"MP $(x).litmus": "X86_64 MP\n" + someTest})
	tests, err := Load([]string{dir})
	must.Succeed(t, err)
	three := [][2]string{{"0", "0"}, {"0", "1"}, {"1", "1"}}
	for _, row := range []struct {
		name, output, model string
		status              int
		onlyHerd, onlyOurs  string
		err                 string
	}{
		{"agrees", herdResult(t, "MP", three...), "tso", 0, "", "", ""},
		{"agrees", herdResult(t, "MP", three...), "sc", 0, "", "", ""},
		{"allows more", herdResult(t, "MP", append(three, [2]string{"1", "0"})...), "tso", 0, "1:rax=1; 1:rbx=0", "", ""},
		{"allows less", herdResult(t, "MP", three[1:]...), "tso", 0, "", "1:rax=0; 1:rbx=0", ""},
		{"another test", herdResult(t, "LB", three...), "tso", 0, "", "", "want the states of test MP"},
		{"garbage", "what?\n", "tso", 0, "", "", "begins a result"},
		{"fails", "", "tso", 2, "", "", "status 2: complaint"},
	} {
		o := options(t, "tso")
		o.Rounds, o.Model = 10, row.model
		var args string
		o.Herd, args = herdStandIn(t, row.output, row.status)
		r, err := Run(t.Context(), tests[0], o)
		if row.err != "" {
			if err == nil || !strings.Contains(err.Error(), row.err) {
				t.Errorf("%s: error %v, want %q", row.name, err, row.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if got := strings.Join(r.Herd.OnlyHerd, "|"); got != row.onlyHerd {
			t.Errorf("%s: only herd7 allows %q, want %q", row.name, got, row.onlyHerd)
		}
		if got := strings.Join(r.Herd.OnlyOurs, "|"); got != row.onlyOurs {
			t.Errorf("%s: herd7 forbids %q, want %q", row.name, got, row.onlyOurs)
		}
		if want := row.onlyHerd+row.onlyOurs == ""; r.Herd.Agrees() != want {
			t.Errorf("%s: agrees %v", row.name, !want)
		}
		said, err := os.ReadFile(args)
		if want := map[string]string{"sc": "-model\nsc.cat\n", "tso": ""}[row.model] + tests[0].File + "\n"; err != nil || string(said) != want {
			t.Errorf("%s: arguments %q, want %q", row.name, said, want)
		}
	}
}

// TestHerdSkipped has what herd7 cannot be asked, and no herd7.
func TestHerdSkipped(t *testing.T) {
	o := options(t, "pso")
	o.Herd, o.Rounds = "/nothing/herd7", 10
	r, err := Run(t.Context(), shape(t, "MP"), o)
	must.Succeed(t, err)
	if diff := cmp.Diff([]any{"herd7 has no model pso", false}, []any{r.Herd.Skipped, r.Herd.Agrees()}); diff != "" {
		t.Errorf("why skipped, agrees (-want +got):\n%s", diff)
	}
	o.Model = "tso"
	if r, err := Run(t.Context(), shape(t, "MP"), o); err != nil || r.Herd.Skipped != "the test is in no file" {
		t.Errorf("%+v, %v", r, err)
	}
	tests, err := Load([]string{write(t, map[string]string{"MP.litmus": "X86_64 MP\n" + someTest})})
	must.Succeed(t, err)
	if _, err := Run(t.Context(), tests[0], o); err == nil || !strings.Contains(err.Error(), "/nothing/herd7") {
		t.Errorf("error %v", err)
	}
}
