package builtin

import (
	"os"
	"strings"
	"testing"

	"ordeal/sim/builtin/core"
)

// TestRefused has an edit of the small protocol for each construct that the
// README of sim/slicc lists as refused, and finds it there.
func TestRefused(t *testing.T) {
	page, err := os.ReadFile("../slicc/README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for _, line := range strings.Split(string(page), "\n") {
		if strings.HasPrefix(line, "| `") && strings.HasSuffix(line, "| refused |") {
			listed++
		}
	}
	const (
		port   = "  in_port(orderPort, OrderMsg, orderIn) {"
		action = `  action(a_allocate, "a") {`
		clock  = "  Tick clockEdge();"
		put    = "    enqueue(returnPort, ReturnMsg) {"
	)
	list := []struct {
		row  string // in the README
		edit []string
		want string
	}{
		{"a peek with wake_up", []string{`peek(orderPort, OrderMsg, block_on="addr")`, `peek(orderPort, OrderMsg, wake_up="addr")`}, "a peek with wake_up"},
		{"defer_enqueueing", []string{put, "    defer_enqueueing(returnPort, ReturnMsg) {"}, "defer_enqueueing"},
		{"a parameter by reference", []string{clock, clock + "\n  int twice(int & n) {\n    return n + n;\n  }", action, action + "\n    int two := 1;\n    two := twice(two);"}, "a parameter by reference"},
		{"an in_port on buffer B, which neither the network nor machine M itself feeds", []string{
			"    MessageBuffer * mandatoryQueue;", "    MessageBuffer * mandatoryQueue;\n    MessageBuffer * idle;",
			port, "  in_port(idlePort, OrderMsg, idle) {\n    if (idlePort.isReady(clockEdge())) {\n      peek(idlePort, OrderMsg) {\n        error(\"x\");\n      }\n    }\n  }\n" + port,
		}, "an in_port on buffer idle, which neither the network nor machine L1Cache itself feeds"},
		{"a machine with a Sequencer and no buffer mandatoryQueue", []string{
			"    MessageBuffer * mandatoryQueue;", `    MessageBuffer * asked, network="From", virtual_network="3", vnet_type="request";`,
			"  in_port(mandatoryPort, RubyRequest, mandatoryQueue) {", "  in_port(mandatoryPort, RubyRequest, asked) {",
		}, "a machine with a Sequencer and no buffer mandatoryQueue"},
		{"the constructor of T: E", []string{`TBETable TBEs, template="<L1Cache_TBE>";`, `TBETable TBEs, template="<L1Cache_TBE>", constructor="this, m_rooms";`}, "the constructor of TBEs"},
		{"N machines with a Sequencer and M with a DirectoryMemory or memory", []string{"  : Sequencer * sequencer;", "  : Sequencer * sequencer;\n    DirectoryMemory * second;"}, "1 machines with a Sequencer and 2 with a DirectoryMemory or memory"},
	}
	for _, c := range list {
		if !strings.Contains(string(page), "| `"+c.row+"` |") {
			t.Errorf("the README does not list %q", c.row)
		}
		_, err := New(Options{SLICC: edited(t, "cache.sm", c.edit...), Core: core.InOrder})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v", c.row, err)
		}
	}
	if listed != len(list) {
		t.Errorf("the README lists %d refusals that are tried, want %d", listed, len(list))
	}
}
