package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/internal/must"
)

// TestExitTable demands that the manual has the table of exit statuses, and that help
// texts name the statuses nowhere else.
func TestExitTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "README.md"))
	must.Succeed(t, err)
	table := "| status | meaning |\n|---|---|\n"
	for line := range strings.Lines(command.ExitText(1000)) {
		if status, meaning, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
			table += fmt.Sprintf("| %s | %s |\n", status, meaning)
		}
	}
	if strings.Count(table, "\n") != 7 || !strings.Contains(string(text), table) {
		t.Errorf("the manual does not have\n%s", table)
	}
	paths := map[string]*cobra.Command{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		_, path, _ := strings.Cut(cmd.CommandPath(), " ")
		paths[path] = cmd
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	root := Command()
	walk(root)
	for path, cmd := range paths {
		if n := strings.Count(strings.ToLower(cmd.Long), "exit status"); n > 1 && path != "campaign resume" && path != "audit" {
			t.Errorf("the help of %q has %d texts about exit statuses", path, n)
		}
	}
}

// TestExitStatuses makes commands end with each of the statuses that they have.
func TestExitStatuses(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"sb.axe": "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0\ncheck\n", "malformed.axe": "0: M[0] := 1\n0: M[\n",
		"bad.yaml": "name: x\nruns: 3\n", "bad.litmus": "X86_64 bad\n{}\n P0 ;\n nop ;\nexists (x=1)\n", "empty.txt": "",
		"good.yaml": "name: good\nsim: builtin\nconfigs: [{name: a, runs: 2, threads: 2, ops: 6, locations: 2, rounds: 2, protocol: mi}]\n",
		"early.yaml": "name: early\nsim: builtin\nbudget: 50ms\nconfigs: [{name: a, runs: 99999, threads: 2, ops: 6, locations: 2, rounds: 2, protocol: mi}, " +
			"{name: b, runs: 99999, threads: 2, ops: 6, locations: 2, rounds: 2, protocol: mi, bug: {about: x}}]\n",
	} {
		must.Succeed(t, os.WriteFile(name, []byte(text), 0o600))
	}
	broken := "--protocol mi --mutant MI_example/L1Cache/(M,Load)/delete --seed 7 --ops 40 --rounds 3"
	for _, c := range []struct {
		line   string
		status int
	}{
		{"check --model tso sb.axe", 0}, {"check --model sc sb.axe", 1}, {"check --model nosuch sb.axe", 2}, {"check malformed.axe", 3},
		{"check empty.txt", 3}, {"check nosuch.axe", 4}, {"check .", 3},
		{"verify bad.yaml", 1}, {"verify nosuch.json", 4}, {"verify empty.txt", 2}, {"verify .", 3},
		{"convert --to plume --lossy sb.axe", 0}, {"convert --to plume malformed.axe", 2}, {"convert --to axe nosuch.axe", 4},
		{"gen --seed 1", 0}, {"gen --threads 0", 2}, {"gen -o nosuch/x", 4},
		{"run --sim builtin --protocol mi --seed 1 --rounds 2 --dir passed", 0}, {"run --sim builtin --dir failed " + broken, 1},
		{"run --sim builtin", 2}, {"run --sim builtin nosuch.txt", 4},
		{"repro --tries 1 passed", 0}, {"repro --tries 1 failed", 1}, {"repro --tries 0 failed", 2}, {"repro nosuch", 4},
		{"reduce failed", 0}, {"reduce passed", 2}, {"reduce --model sc failed", 2}, {"reduce nosuch", 4},
		{"explore --protocol mi --cores 2", 0}, {"explore --protocol mi --cores 2 --max-states 9", 3}, {"explore --protocol nosuch", 2},
		{"litmus bad.litmus", 3}, {"litmus nosuch.litmus", 4}, {"litmus --sim nosuch bad.litmus", 2},
		{"mutate list --protocol mi", 0}, {"mutate list", 2}, {"mutate list --slicc nosuch.slicc", 2}, {"mutate show --protocol mi nosuch", 2},
		{"campaign run --quiet --dir good good.yaml", 0}, {"campaign run bad.yaml", 2}, {"campaign run nosuch.yaml", 4},
		{"campaign run --quiet --dir early early.yaml", 3}, {"campaign resume --quiet early", 3}, {"campaign resume nosuch", 4},
		{"campaign report good", 0}, {"campaign report nosuch", 4}, {"campaign diff good good", 0}, {"campaign diff good nosuch", 4}, {"campaign diff good", 2},
		{"campaign merge -o merged good", 0}, {"campaign merge good", 2}, {"campaign merge -o m nosuch", 4},
		{"campaign reindex --db x.db good", 0}, {"campaign query --db x.db SELECT", 4}, {"campaign query --db x.db --json --csv q", 2},
		{"campaign schema", 0}, {"campaign schema x", 2}, {"campaign status nosuch", 4}, {"campaign cancel nosuch", 4}, {"campaign submit", 2},
		{"models", 0}, {"models nosuch", 2}, {"version", 0}, {"version x", 2}, {"help", 0}, {"help nosuch", 2}, {"nosuch", 2}, {"run --nosuch", 2},
	} {
		if status, stdout, stderr := ordeal("", strings.Fields(c.line)...); status != c.status {
			t.Errorf("ordeal %s: exit status %d, want %d\n%s%s", c.line, status, c.status, stdout, stderr)
		}
	}
}
