package protocols_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
)

// TestBudget has transitions that would take for ever or send without end: they are findings, which
// name the action, port or function.
func TestBudget(t *testing.T) {
	var chain strings.Builder
	chain.WriteString("  int f0(int n) { return n; }\n")
	for i := range 60 {
		fmt.Fprintf(&chain, "  int f%d(int n) { return f%d(n) + f%d(n); }\n", i+1, i, i)
	}
	send := `enqueue(requests, RequestMsg, 1) { out_msg.addr := address; out_msg.Type := RequestKind:GETX; out_msg.Requestor := machineID;
		out_msg.Destination.add(mapAddressToMachine(address, MachineType:Directory)); }
`
	const (
		action = `action(a_issueGETX, desc="request the line from the directory") {`
		only   = `action(r_load_hit, desc="perform the loads of the line") {`
		state  = "State getState(TBE tbe, Entry cache_entry, Addr addr) {"
		port   = "if (accesses.isReady(clockEdge())) {"
	)
	for _, test := range []struct{ what, before, text, title string }{
		{"calls in an action", action, "int r := f60(1); assert(r == 0);\n", "in L1Cache.a_issueGETX"},
		{"calls in another one", only, "if (f60(1) == 3) { error(\"x\"); }\n", "in L1Cache.r_load_hit"},
		{"calls in getState", state, "if (f60(1) == 3) { return State:M; }\n", "in L1Cache.f"},
		{"calls in a port", port, "if (f60(1) == 3) { error(\"x\"); }\n", "in L1Cache.f"},
		{"messages of an action", action, strings.Repeat(send, 20_000), "in L1Cache.a_issueGETX"},
		{"a thousand messages", action, strings.Repeat(send, 1000), ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("slicc")); err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(dir, "MI_example-cache.sm")
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			const at = "  Entry entryOf("
			edited := strings.Replace(string(text), at, chain.String()+at, 1)
			edited = strings.Replace(edited, test.before, test.before+test.text, 1)
			if err := os.WriteFile(name, []byte(edited), 0o600); err != nil {
				t.Fatal(err)
			}
			s := setting{core: core.InOrder, threads: 2, ops: 20, lines: 1, rounds: 1}
			r := s.runner(t, filepath.Join(dir, "MI_example.slicc"))
			report, err := r.Simulate(t.Context(), sim.Job{Program: s.program(t, 1), Rounds: 1, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			want := "transition exceeds its budget of instructions " + test.title
			if test.title == "" {
				if strings.Contains(report.Title, "budget of instructions") {
					t.Errorf("%s: %s\n%s", report.Outcome, report.Title, report.Detail)
				}
			} else if report.Outcome != sim.Crash || !strings.HasPrefix(report.Title, want) || report.Failure.At.Line == 0 {
				t.Errorf("%s: %s, want %s\n%s", report.Outcome, report.Title, want, report.Detail)
			}
		})
	}
}
