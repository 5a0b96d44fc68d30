package host

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ordeal/gen/wire"
	"ordeal/sim"
	"ordeal/sim/sandbox"
)

func TestOutcomeOf(t *testing.T) {
	for _, test := range []struct {
		end     sandbox.Result
		outcome sim.Outcome
		title   string
	}{
		{sandbox.Result{Code: wire.ExitPassed}, sim.Passed, ""},
		{sandbox.Result{Code: wire.ExitCloneFailed}, sim.Infra, "guest could not start its threads"},
		{sandbox.Result{Code: wire.ExitStartBarrier}, sim.Infra, "guest gave up at the start barrier"},
		{sandbox.Result{Code: wire.ExitRoundBarrier}, sim.Infra, "guest gave up at the round barrier"},
		{sandbox.Result{Code: wire.ExitEndBarrier}, sim.Infra, "guest gave up at the end barrier"},
		{sandbox.Result{Code: wire.ExitWriteFailed}, sim.Infra, "guest could not write its log"},
		{sandbox.Result{Code: 3}, sim.Crash, "guest exited with code 3"},
		{sandbox.Result{Code: -1, Signal: syscall.SIGSEGV}, sim.Crash, "guest killed by SIGSEGV"},
		{sandbox.Result{Code: -1, Signal: syscall.SIGUSR1}, sim.Crash, "guest killed by SIGUSR1"},
		{sandbox.Result{Code: -1, Signal: 40}, sim.Crash, "guest killed by signal 40"},
		{sandbox.Result{Code: -1, Signal: syscall.SIGKILL}, sim.Infra, "guest killed from outside"},
		{sandbox.Result{Code: -1, Signal: syscall.SIGKILL, TimedOut: true}, sim.Infra, "guest exceeded its time"},
		{sandbox.Result{Code: -1, Signal: syscall.SIGXCPU}, sim.Infra, "guest exceeded its time"},
		{sandbox.Result{Code: -1, Signal: syscall.SIGSYS}, sim.Crash, "guest killed by SIGSYS"},
		{sandbox.Result{Code: sandbox.ExitFilterRefused}, sim.Infra, "guest could not be confined"},
		{sandbox.Result{Code: 0, TimedOut: true}, sim.Infra, "guest exceeded its time"},
	} {
		got := outcomeOf(test.end, time.Second)
		if got.Outcome != test.outcome || got.Title != test.title {
			t.Errorf("%+v: %v %q, want %v %q", test.end, got.Outcome, got.Title, test.outcome, test.title)
		}
		if (got.Detail == "") != (test.outcome == sim.Passed) {
			t.Errorf("%+v: %v with detail %q", test.end, test.outcome, got.Detail)
		}
	}
}

func TestCPUModel(t *testing.T) {
	for info, want := range map[string]string{
		"processor\t: 0\nmodel name\t: Fast: 5 GHz\nmodel name\t: other\n": "Fast: 5 GHz",
		"processor\t: 0\n": "unknown processor",
	} {
		if got := cpuModel(info); got != want {
			t.Errorf("%q: %q, want %q", info, got, want)
		}
	}
}

// TestPinThreads pins a process of one thread, and gives up on a missing
// second one.
func TestPinThreads(t *testing.T) {
	cpus, err := sandbox.CPUs()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // says that it was killed
	}()
	last := cpus[len(cpus)-1]
	pinThreads(cmd.Process.Pid, []int{last, cpus[0]})
	status, err := os.ReadFile("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	if want := "Cpus_allowed_list:\t" + strconv.Itoa(last) + "\n"; !strings.Contains(string(status), want) {
		t.Errorf("no %q in\n%s", want, status)
	}
}

// TestLeases has runs at the same time on different processors as long as
// there are enough.
func TestLeases(t *testing.T) {
	cpus := []int{2, 3, 5, 7, 11}
	var l leases
	first, giveFirst := l.take(cpus, 2)
	second, _ := l.take(cpus, 2)
	third, _ := l.take(cpus, 2)
	giveFirst()
	fourth, _ := l.take(cpus, 2)
	for i, test := range []struct{ got, want []int }{
		{first, []int{2, 3}}, {second, []int{5, 7}}, {third, []int{11, 2}}, {fourth, []int{3, 2}},
	} {
		if !slices.Equal(test.got, test.want) {
			t.Errorf("run %d: %v, want %v", i, test.got, test.want)
		}
	}
}
