package cli

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/internal/must"
)

// maxInitBytes bounds what the packages of this module allocate before main
// begins: a tenth more than they do. Tables that few commands need are to be made
// on first use.
const maxInitBytes = 147_000

// TestStart counts allocations, which other processes do not disturb, to keep
// the start of the process short: a check of a small trace is little else.
func TestStart(t *testing.T) {
	cmd := process(t, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	must.Succeed(t, cmd.Run())
	lines := regexp.MustCompile(`(?m)^init (ordeal/\S+) @.* clock, (\d+) bytes`).FindAllStringSubmatch(trace.String(), -1)
	if len(lines) < 10 {
		t.Fatalf("a trace of %d packages:\n%s", len(lines), &trace)
	}
	total := 0
	for _, m := range lines {
		n, err := strconv.Atoi(m[2])
		must.Succeed(t, err)
		if total += n; n > maxInitBytes/2 {
			t.Errorf("package %s allocates %d bytes before main begins", m[1], n)
		}
	}
	if total > maxInitBytes {
		t.Errorf("the packages allocate %d bytes before main begins, the limit is %d:\n%s", total, maxInitBytes, &trace)
	}
}

// TestCommandsFor compares each command alone with the same among all others.
func TestCommandsFor(t *testing.T) {
	help := func(below []constructor, name string) string {
		var out bytes.Buffer
		e := command.NewEnv(nil, nil, &out, &out)
		root := newRoot(e, manual(), below)
		root.SetOut(&out)
		root.SetArgs([]string{name, "--help"})
		must.Succeed(t, root.Execute())
		return out.String()
	}
	for _, c := range commands {
		alone := commandsFor([]string{c.name, "-"})
		if len(alone) != 1 || alone[0].make(new(env)).Name() != c.name {
			t.Errorf("%s: wants %d commands", c.name, len(alone))
			continue
		}
		if got, want := help(alone, c.name), help(commands, c.name); got != want {
			t.Errorf("%s: alone\n%s\namong all\n%s", c.name, got, want)
		}
	}
	for _, args := range [][]string{nil, {"help"}, {"chekc"}, {"--cpuprofile", "check"}, {"__complete", "check", ""}, {"completion", "bash"}} {
		if got := commandsFor(args); len(got) != len(commands) {
			t.Errorf("%s: %d commands, want all", fmt.Sprint(args), len(got))
		}
	}
}
