package builtin

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
)

// fingerprints runs each protocol with each kind of core, and describes each
// run by its name, the hash of its events and that of its log.
func fingerprints(t *testing.T) []string {
	t.Helper()
	machines := machines()
	for _, name := range protocols.Names()[1:] {
		machines = append(machines, Options{Protocol: name, Core: core.OOO, Hardware: ruby.Hardware{Directories: 2}, Cores: 6})
	}
	list := make([]string, len(machines))
	programs := []*gen.Program{randomProgram(t, 1, 4), randomProgram(t, 2, 3)}
	var group errgroup.Group // several runs at a time, on one runner too
	group.SetLimit(4)
	for i, o := range machines {
		r := newRunner(t, o)
		for j, p := range programs {
			group.Go(func() error {
				report, err := r.Simulate(t.Context(), sim.Job{Program: p, Rounds: 3, Seed: 9})
				if err != nil || report.Outcome != sim.Passed {
					return fmt.Errorf("%s/%s: %v: %s: %s", o.Protocol, o.Core, err, report.Outcome, report.Title)
				}
				if j == 0 {
					list[i] = fmt.Sprintf("%s/%s/%d %s %x", o.Protocol, o.Core, o.Cores, report.Statistics, sha256.Sum256(report.Log))
				}
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	return list
}

// printFingerprints is set in the process that TestOtherProcess starts.
const printFingerprints = "ORDEAL_TEST_PRINT_FINGERPRINTS"

// TestOtherProcess requires the same runs, many at a time, here and in another
// process, where maps iterate and addresses fall otherwise.
func TestOtherProcess(t *testing.T) {
	here := fingerprints(t)
	if os.Getenv(printFingerprints) != "" {
		fmt.Println(strings.Join(here, "\n"))
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestOtherProcess$", "-test.count=1")
	cmd.Env = append(os.Environ(), printFingerprints+"=1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	there := strings.Split(string(out), "\n")
	if len(there) < len(here) {
		t.Fatalf("%d runs there, %d here", len(there), len(here))
	}
	for i := range here {
		if here[i] != there[i] {
			t.Errorf("runs differ:\nhere  %s\nthere %s", here[i], there[i])
		}
	}
}
