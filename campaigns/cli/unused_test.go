package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
)

// TestUnusedAnswers: an answer that leaves something of the file out of account
// says so, in text and in JSON.
func TestUnusedAnswers(t *testing.T) {
	const text = "0: M[0] := 1\n0: sync\n1: M[0] := 2\ntx 0: 1 -> 2\norder M[0]: 1 2\nfinal M[0] == 2\n"
	for _, c := range []struct {
		args               []string
		in, stdout, stderr string
	}{
		{[]string{"--model", "tso"}, text, "allowed; not used: transactions\n", ""},
		{[]string{"--model", "wtso,cc"}, text, "wtso allowed, cc allowed; not used: transactions; final memory by cc; order of writes by cc; fences by cc\n", ""},
		{[]string{"--model", "wccm", "--json"}, text, `"not_used":{"wccm":["final memory","order of writes","transactions"]}`, ""},
		{[]string{"--model", "cc"}, "0: M[0] := 1\n", "allowed\n", ""},
		{[]string{"--model", "tso", "--format", "plume"}, "w(0,0,0,0)\nw(0,1,0,1)\n", "allowed\n",
			"standard input:1: not read: a first transaction of 1 writes of 0, the initial value\n"},
		{[]string{"--model", "tso", "--json", "--format", "plume"}, "w(0,0,0,0)\nw(0,1,0,1)\n",
			`"not_read":["a first transaction of 1 writes of 0, the initial value"]`, "standard input:1: not read: "},
	} {
		_, stdout, stderr := ordeal(c.in, append(append([]string{"check"}, c.args...), "-")...)
		if !strings.Contains(stdout, c.stdout) || !strings.HasPrefix(stderr, c.stderr) || c.stderr == "" && stderr != "" {
			t.Errorf("%v: %q and %q, want %q and %q", c.args, stdout, stderr, c.stdout, c.stderr)
		}
	}
}

// TestReducedOrder: a trace that only the order of its writes makes forbidden
// is forbidden as reduce prints it.
func TestReducedOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "in.axe")
	must.Succeed(t, os.WriteFile(file, []byte("0: M[x] := 1\n0: M[y] := 1\n0: M[x] == 2\n1: M[x] := 2\norder M[x]: 2 1\norder M[y]: 1\n"), 0o644))
	status, reduced, stderr := ordeal("", "reduce", "--model", "sc", file)
	if status != 0 {
		t.Fatalf("status %d\n%s%s", status, reduced, stderr)
	}
	trace, _, _ := strings.Cut(reduced, "check\n")
	if status, stdout, _ := ordeal(trace, "check", "--model", "sc", "-"); status != 1 || strings.Contains(trace, "M[y]") {
		t.Errorf("%q is %s", trace, stdout)
	}
}
