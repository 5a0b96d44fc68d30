package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/cache"
)

// TestFunctionalReads reads lines of protocols past their caches: they find what was
// written last, and where the directory says that it may read a line which a cache
// owns, they do not.
func TestFunctionalReads(t *testing.T) {
	for _, protocol := range []string{"mi", "mesi-two-level", "moesi-hammer"} {
		r := newRunner(t, Options{Protocol: protocol, Core: core.OOO, Functional: 20, Hardware: ruby.Hardware{Directories: 2}})
		report := ends(t, r, sim.Job{Program: randomProgram(t, 1, 4), Rounds: 5, Seed: 1}, sim.Passed, "")
		if n := report.Statistics.Functional; n < 50 {
			t.Errorf("%s: %d functional reads find a line", protocol, n)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../protocols/slicc")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "MI_example.slicc")
	replaceIn(t, path, "MI_example-dir.sm", "M,  AccessPermission:Invalid,", "M,  AccessPermission:Read_Write,")
	r := newRunner(t, Options{SLICC: path, Core: core.InOrder, Functional: 20})
	ends(t, r, sim.Job{Program: randomProgram(t, 1, 4), Rounds: 5, Seed: 1}, sim.Crash, "functional read finds an old value: Directory in state M")

	inMessages(t)
	inStaleCopies(t)
	for _, o := range []Options{
		{Core: core.TSO, Functional: 20}, {Protocol: "mi", Core: core.TSO, Functional: -1}, {SLICC: smallProtocol, Core: core.TSO, Functional: 20},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// inStaleCopies reads lines that only memory has, where the directory says that its copy may be
// stale: they are found there if it has a priority, as for gem5 since v24.1.
func inStaleCopies(t *testing.T) {
	t.Helper()
	for priority, title := range map[string]string{"3": "", "-1": "functional read finds no data: Directory in state I"} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("../protocols/slicc")); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "MI_example.slicc")
		for _, state := range []string{"I,  AccessPermission:Read_Write", "IM, AccessPermission:Busy", "MI, AccessPermission:Busy"} {
			name, _, _ := strings.Cut(state, ":")
			replaceIn(t, path, "MI_example-dir.sm", state, name+":Maybe_Stale")
		}
		withMessageReads(t, path, "(Type == RequestKind:PUTX) && testAndRead(addr, DataBlk, pkt)")
		replaceIn(t, path, "MI_example-dir.sm", "  void functionalRead(Addr", "  int functionalReadPriority() { return "+priority+"; }\n  void functionalRead(Addr")
		r := newRunner(t, Options{SLICC: path, Core: core.InOrder, Functional: 3, Hardware: ruby.Hardware{Private: cache.Geometry{Sets: 1, Ways: 1}}})
		outcome := sim.Passed
		if title != "" {
			outcome = sim.Crash
		}
		ends(t, r, sim.Job{Program: randomProgram(t, 1, 1), Rounds: 5, Seed: 1}, outcome, title)
	}
}

// inMessages reads lines whose only copy is in a message: they are found where the messages
// have the method that gem5's have, and where one that has the copy says that it has none,
// that is a fault, as for gem5.
func inMessages(t *testing.T) {
	t.Helper()
	for _, c := range []struct{ put, title string }{
		{"(Type == RequestKind:PUTX) && testAndRead(addr, DataBlk, pkt)", ""}, {"false", "functional read finds no data: Directory in state M"},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("../protocols/slicc")); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "MI_example.slicc")
		withMessageReads(t, path, c.put)
		replaceIn(t, path, "MI_example-dir.sm", "IM, AccessPermission:Busy,", "IM, AccessPermission:Read_Write,") // memory has the line
		replaceIn(t, path, "MI_example-dir.sm", "MI, AccessPermission:Busy,", "MI, AccessPermission:Read_Write,")
		r := newRunner(t, Options{SLICC: path, Core: core.InOrder, Functional: 3, Hardware: ruby.Hardware{Private: cache.Geometry{Sets: 1, Ways: 1}}})
		outcome := sim.Passed
		if c.title != "" {
			outcome = sim.Crash
		}
		ends(t, r, sim.Job{Program: randomProgram(t, 1, 1), Rounds: 5, Seed: 1}, outcome, c.title)
	}
}

// withMessageReads gives the messages of our MI the method that reads their data; put is what
// that of requests returns.
func withMessageReads(t *testing.T, path, put string) {
	t.Helper()
	const method = "bool functionalRead(Packet *pkt) { return %s; }\n"
	replaceIn(t, path, "MI_example-msg.sm", `with PUTX";`, `with PUTX";`+fmt.Sprintf(method, put))
	const data = "NetDest Destination;\n  DataBlock DataBlk;"
	replaceIn(t, path, "MI_example-msg.sm", data, data+fmt.Sprintf(method, "testAndRead(addr, DataBlk, pkt)"))
}
