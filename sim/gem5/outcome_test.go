package gem5

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/sim"
	"ordeal/sim/sandbox"
)

// TestEnds classifies the ends in testdata/ends: excerpts of what gem5 printed,
// below the outcome that is right and how the process ended.
func TestEnds(t *testing.T) {
	files, err := filepath.Glob("testdata/ends/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files (%v): the test would hold for nothing", len(files), err)
	}
	seen := make(map[string]string)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, text, ok := strings.Cut(string(data), "\n\n")
			want, how, lines := strings.Cut(strings.TrimPrefix(head, "want: "), "\nend: ")
			if !ok || !lines {
				t.Fatalf("head %q: want two lines", head)
			}
			result, retry := outcomeOf(parseEnd(t, how), text, time.Minute)
			kind := result.Outcome.String()
			if retry {
				kind += " retry"
			}
			if got := strings.TrimSpace(kind + ": " + result.Title); got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
			if result.Outcome != sim.Passed && strings.TrimSpace(result.Detail) == "" {
				t.Error("no detail")
			}
			if strings.Contains(result.Detail, "BACKTRACE") || strings.Count(result.Detail, "\n") > 2*detailLines {
				t.Errorf("detail: %s", result.Detail)
			}
			seen[result.Outcome.String()] = file
		})
	}
	for _, o := range []sim.Outcome{sim.Passed, sim.Crash, sim.Deadlock, sim.Livelock, sim.Timeout, sim.Infra} {
		if seen[o.String()] == "" {
			t.Errorf("no end of outcome %s", o)
		}
	}
}

// TestEndsAgain requires the same result of the same end at another time, in another
// folder, and with other memory in use.
func TestEndsAgain(t *testing.T) {
	files, err := filepath.Glob("testdata/ends/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files (%v): the test would hold for nothing", len(files), err)
	}
	banner := func(time, pid, folder string) string {
		return "gem5 Simulator System.  https://www.gem5.org\ngem5 is copyrighted software; use the --copyright option for details.\n\n" +
			"gem5 version 24.0.0.1\ngem5 compiled Nov 24 2026 02:26:55\ngem5 started Nov 24 2026 " + time + "\n" +
			"gem5 executing on vm, pid " + pid + "\ncommand line: /gem5.opt -d m5out se.py --binary /" + folder + "/program.elf\n\n"
	}
	memory := regexp.MustCompile("(?m)^Memory Usage: [0-9]+ KBytes$")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, text, _ := strings.Cut(string(data), "\n\n")
		_, how, _ := strings.Cut(head, "\nend: ")
		end := parseEnd(t, how)
		once, _ := outcomeOf(end, banner("04:46:27", "2", "a")+text, time.Minute)
		again, _ := outcomeOf(end, banner("04:48:30", "17", "b")+memory.ReplaceAllString(text, "Memory Usage: 1 KBytes"), time.Minute)
		if diff := cmp.Diff(once.Title+"\n"+once.Detail, again.Title+"\n"+again.Detail); diff != "" {
			t.Errorf("%s (-once +again):\n%s", file, diff)
		}
	}
}

// parseEnd reads "exit 1", "signal 6" or "timeout".
func parseEnd(t *testing.T, how string) sandbox.Result {
	var n int
	switch {
	case how == "timeout":
		return sandbox.Result{Code: -1, Signal: syscall.SIGKILL, TimedOut: true}
	case strings.HasPrefix(how, "exit "):
		if _, err := fmt.Sscanf(how, "exit %d", &n); err == nil {
			return sandbox.Result{Code: n}
		}
	case strings.HasPrefix(how, "signal "):
		if _, err := fmt.Sscanf(how, "signal %d", &n); err == nil {
			return sandbox.Result{Code: -1, Signal: syscall.Signal(n)}
		}
	}
	t.Fatalf("end %q", how)
	return sandbox.Result{}
}

// TestTitles gives sights of one bug one name, and different bugs different
// ones.
func TestTitles(t *testing.T) {
	title := func(text string) string {
		result, _ := outcomeOf(sandbox.Result{Code: -1, Signal: syscall.SIGABRT}, "ORDEAL start\n"+text, 0)
		return result.Title
	}
	for _, same := range [][2]string{
		{
			"panic: Invalid transition\nsystem.ruby.l1_cntrl3 time: 48231 addr: 0x3040 event: Inv state: IS_I\n",
			"other/place.cc:9: panic: Invalid transition\nsystem.ruby.l1_cntrl0 time: 1 addr: 0x80 event: Inv state: IS_I\n",
		},
		{
			"x: a/b/Sequencer.cc:10: void f(int): Assertion `n > 0' failed.\n",
			"y: Sequencer.cc:12: void f(): Assertion `n > 0' failed.\n",
		},
		{
			"a.cc:1: panic: system.ruby.dir_cntrl0: no TBE for 0x40 at 1200\n",
			"a.cc:2: panic: system.ruby.dir_cntrl7: no TBE for 0xfc0 at 77\n",
		},
	} {
		if a, b := title(same[0]), title(same[1]); a != b {
			t.Errorf("one bug has two names: %q and %q", a, b)
		}
	}
	a := title("panic: Invalid transition\nsystem.ruby.l1_cntrl3 time: 1 addr: 0x40 event: Inv state: IS_I\n")
	b := title("panic: Invalid transition\nsystem.ruby.l1_cntrl3 time: 1 addr: 0x40 event: Inv state: S\n")
	c := title("panic: Invalid transition\nsystem.ruby.l2_cntrl3 time: 1 addr: 0x40 event: Inv state: S\n")
	if a == b || b == c {
		t.Errorf("different bugs have one name: %q, %q, %q", a, b, c)
	}
}

func FuzzOutcome(f *testing.F) {
	files, _ := filepath.Glob("testdata/ends/*.txt")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		result, _ := outcomeOf(sandbox.Result{}, string(data), 0)
		if result.Outcome == sim.OutcomeUnknown || strings.Contains(result.Title, "\n") {
			t.Errorf("outcome %v, title %q", result.Outcome, result.Title)
		}
		if (result.Outcome == sim.Passed) != (result.Title == "") {
			t.Errorf("%v has the title %q", result.Outcome, result.Title)
		}
	})
}

// A torn or foreign line of progress changes nothing.
func TestParseSlices(t *testing.T) {
	s := parseStatus("ORDEAL bounds 5 7\nORDEAL progress 10 1,2,3 4,5,6\nORDEAL progress 20 1,2 4,5,6\nORDEAL progress\nORDEAL progress 30 7,8,9\nORDEAL progress 40 1,1,1")
	want := []slice{{10, []counts{{1, 2, 3}, {4, 5, 6}}}, {30, []counts{{7, 8, 9}}}}
	if fmt.Sprint(s.slices) != fmt.Sprint(want) || s.ticks != 30 || s.instructions != 7 || s.idle != 5 || s.quiet != 7 {
		t.Errorf("%+v", s)
	}
}

// TestPlaces takes where a run failed from gem5's messages, and what a statement of the
// protocol asserts from the tree later.
func TestPlaces(t *testing.T) {
	row := sim.Row{Machine: "L1Cache", State: "IS_I", Event: "Inv"}
	for text, want := range map[string]sim.Failure{
		"build/X86/mem/ruby/protocol/L1Cache_Transitions.cc:1846: panic: Invalid transition\nsystem.ruby.l1_cntrl3 time: 48231 addr: 0x3040 event: Inv state: IS_I\n": {
			Kind: sim.KindInvalidTransition, Row: row, At: sim.Place{Controller: "L1Cache 3", Row: row, Address: 0x3040},
		},
		"build/X86/mem/ruby/protocol/Directory_Controller.cc:77: panic: Runtime Error at MI_example-dir.sm:128: assert failure.\n": {
			Kind: sim.KindAssertion, Row: sim.Row{Machine: "Directory"}, At: sim.Place{File: "MI_example-dir.sm", Line: 128},
		},
		"build/X86/mem/ruby/protocol/Directory_Controller.cc:77: panic: Runtime Error at MI_example-dir.sm:9: Invalid message.\n": {
			Kind: sim.KindError, Row: sim.Row{Machine: "Directory"}, Text: "Invalid message", At: sim.Place{File: "MI_example-dir.sm", Line: 9},
		},
	} {
		result, _ := classifyMessages(text)
		if diff := cmp.Diff(want, result.Failure); diff != "" || result.Outcome != sim.Crash {
			t.Errorf("%s: %s (-want +got)\n%s", text, result.Outcome, diff)
		}
	}
}
