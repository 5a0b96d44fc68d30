package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestHelpFitsScreen holds the help of the main commands to a screen of 40 lines, and the flags
// of run to 45.
func TestHelpFitsScreen(t *testing.T) {
	for _, command := range []string{"", "run", "litmus", "audit", "check", "explore", "reduce", "repro", "gen", "campaign run", "mutate run"} {
		status, stdout, stderr := ordeal("", append(strings.Fields(command), "--help")...)
		if lines := strings.Count(stdout, "\n"); status != 0 || lines > 40 || lines < 20 {
			t.Errorf("ordeal %s --help: status %d, %d lines\n%s%s", command, status, lines, stdout, stderr)
		}
	}
	run, _, err := newRoot(new(env), nil, commands).Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	n := 4 // --help, and three of all commands
	run.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			n++
		}
	})
	if n > 46 {
		t.Errorf("run has %d flags; options for experts are keys of --set", n)
	}
}
