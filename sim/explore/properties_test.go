package explore

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"ordeal/gen/shapes"
	"ordeal/sim/builtin/core"
	"ordeal/sim/explore/liveness"
	"ordeal/sim/explore/machine"
	"ordeal/sim/explore/search"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/syntax"
)

// edited compiles the project's MI with texts, which a file has once, replaced by
// those that follow them.
func edited(t *testing.T, file string, replace ...string) *ruby.Protocol {
	t.Helper()
	return editedFiles(t, map[string][]string{file: replace})
}

// editedFiles is edited for several files.
func editedFiles(t *testing.T, edits map[string][]string) *ruby.Protocol {
	t.Helper()
	fsys := fstest.MapFS{}
	names, err := fs.Glob(protocols.Files(), "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(protocols.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		text, replace := string(data), edits[name]
		for i := 0; i < len(replace); i += 2 {
			if n := strings.Count(text, replace[i]); n != 1 {
				t.Fatalf("%s has %q %d times", name, replace[i], n)
			}
			text = strings.Replace(text, replace[i], replace[i+1], 1)
		}
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	tree, err := syntax.Load(fsys, "MI_example.slicc")
	if err != nil {
		t.Fatal(err)
	}
	p, err := ruby.Compile(tree)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestProperties plants a defect against each property of states and steps, which
// violates that one and no other. TestBufferOrder, TestLivelock and TestOutcome have those
// against the others.
func TestProperties(t *testing.T) {
	const cache, home = "MI_example-cache.sm", "MI_example-dir.sm"
	const loss = "    e_sendData;\n    forward_eviction_to_cpu;\n    h_deallocateEntry;\n    o_popForward;\n"
	for _, defect := range []struct {
		property machine.Property
		file     string
		replace  []string
		lines    int
	}{
		{machine.Unhandled, cache, []string{"transition(M, Fwd_GETX, I) {", "transition(II, Fwd_GETX, I) {"}, 1},
		{machine.Assertion, cache, []string{loss, loss + "    q_never;\n", "  action(p_profileHit,",
			"  action(q_never, desc=\"\") {\n    assert(is_valid(tbe));\n  }\n\n  action(p_profileHit,"}, 1},
		{machine.StalePointer, cache, []string{loss,
			"    h_deallocateEntry;\n    e_sendData;\n    forward_eviction_to_cpu;\n    o_popForward;\n"}, 1},
		{machine.Misrouted, home, []string{"out_msg.Requestor := in_msg.Requestor;\n        out_msg.Destination.add(entryOf(address).Owner);",
			"out_msg.Requestor := in_msg.Requestor;\n        out_msg.Destination.add(machineID);"}, 1},
		{machine.Callback, cache, []string{"    rx_load_hit;\n", "    sx_store_hit;\n"}, 1},
		{machine.Resource, cache, []string{loss, loss + "    h_deallocateEntry;\n"}, 1},
		{machine.SWMR, cache, []string{"I,   AccessPermission:Invalid,", "I,   AccessPermission:Read_Only,"}, 1},
		{machine.Deadlock, cache, []string{"out_msg.Destination.add(in_msg.Requestor);\n        out_msg.DataBlk := cache_entry.DataBlk;",
			"out_msg.DataBlk := cache_entry.DataBlk;"}, 1},
		{machine.Values, cache, []string{"out_msg.Requestor := machineID;\n      out_msg.DataBlk := cache_entry.DataBlk;",
			"out_msg.Requestor := machineID;"}, 2},
		{machine.Leftovers, home, []string{"I,  AccessPermission:Read_Write,", "I,  AccessPermission:Busy,"}, 1},
	} {
		t.Run(defect.property.String(), func(t *testing.T) {
			c := tiny(edited(t, defect.file, defect.replace...), 2, defect.lines)
			v := visit(t, c, 5_000)
			if len(v.titles) == 0 {
				t.Fatal("the defect is not found")
			}
			for _, title := range v.titles {
				if !strings.HasPrefix(title, defect.property.String()+": ") {
					t.Error(title)
				}
			}
		})
	}
}

// lateRequest is an action that sends a request that the directory refuses, before another.
const lateRequest = `  action(a_issueLate, desc="") {
    enqueue(requests, RequestMsg, DELAY) {
      out_msg.addr := address;
      out_msg.Type := RequestKind:PUTX;
      out_msg.Requestor := machineID;
      out_msg.Destination.add(mapAddressToMachine(address, MachineType:Directory));
    }
  }

  action(b_issuePUT,`

// TestBufferOrder gives the buffers of MI the names that those have which gem5 makes
// ordered: a request that arrives before one put in earlier violates the order, and one
// that arrives later does not.
func TestBufferOrder(t *testing.T) {
	for _, delay := range []string{"request_latency", "12"} {
		p := editedFiles(t, map[string][]string{
			"MI_example-cache.sm": {
				"MessageBuffer * requestBuffer", "MessageBuffer * requestFromCache", "RequestMsg, requestBuffer", "RequestMsg, requestFromCache",
				"MessageBuffer * dataOutBuffer", "MessageBuffer * responseFromCache", "ResponseMsg, dataOutBuffer", "ResponseMsg, responseFromCache",
				"MessageBuffer * forwardBuffer", "MessageBuffer * forwardToCache", "RequestMsg, forwardBuffer", "RequestMsg, forwardToCache",
				"MessageBuffer * dataInBuffer", "MessageBuffer * responseToCache", "ResponseMsg, dataInBuffer", "ResponseMsg, responseToCache",
				"  action(b_issuePUT,", strings.Replace(lateRequest, "DELAY", delay, 1),
				"transition(I, Load, IS) {\n    i_allocateEntry;\n", "transition(I, Load, IS) {\n    i_allocateEntry;\n    a_issueLate;\n",
			},
			"MI_example-dir.sm": {
				"MessageBuffer * requestBuffer, network", `MessageBuffer * dmaRequestToDir, network="From", virtual_network="0", vnet_type="request";
    MessageBuffer * dmaResponseFromDir, network="To", virtual_network="1", vnet_type="response";
    MessageBuffer * requestToDir, network`, "RequestMsg, requestBuffer", "RequestMsg, requestToDir",
			},
			"MI_example-dma.sm": {"MessageBuffer * dataBuffer", "MessageBuffer * responseFromDir", "ResponseMsg, dataBuffer", "ResponseMsg, responseFromDir"},
		})
		v := visit(t, tiny(p, 2, 1), 5_000)
		order := slices.DeleteFunc(slices.Clone(v.titles), func(title string) bool { return !strings.HasPrefix(title, "buffer-order: FIFO") })
		if late := delay != "request_latency"; late != (len(order) == 1) || late && len(v.titles) > 1 {
			t.Errorf("delay %s: %q", delay, v.titles)
		}
	}
}

// TestLivelock has the directory refuse requests for a line that a cache has, and the
// other cache ask again: nothing else is wrong than that the owner need never give
// the line up.
func TestLivelock(t *testing.T) {
	p := editedFiles(t, map[string][]string{
		"MI_example-cache.sm": {"  transition({IS, IM}, Replacement)", "  transition({IS, IM}, Writeback_Nack) {\n    a_issueGETX;\n    o_popForward;\n  }\n\n  transition({IS, IM}, Replacement)"},
		"MI_example-dir.sm":   {"    f_forward;\n    o_setOwner;\n", "    n_sendWriteBackNack;\n"},
	})
	for _, fairness := range []liveness.Fairness{liveness.Weak, liveness.Strong} {
		if !starved(t, tiny(p, 2, 1), fairness) {
			t.Errorf("nothing is found under %s fairness", fairness)
		}
	}
	if starved(t, tiny(compiled(t, "mi"), 2, 1), liveness.Weak) {
		t.Error("a request of the protocol itself need never be answered")
	}
}

// starved reports whether a request need never be answered. Every other property
// holds.
func starved(t *testing.T, c Config, fairness liveness.Fairness) bool {
	t.Helper()
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	s, err := search.New(m, search.Options{Workers: 1, Graph: true, KeepGoing: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(t.Context())
	if err != nil || r.Limit != search.NoLimit || len(r.Findings) > 0 {
		t.Fatalf("%v, limit %q, %v", err, r.Limit, r.Findings)
	}
	lassos, err := liveness.Find(t.Context(), s.Graph(), fairness)
	if err != nil {
		t.Fatal(err)
	}
	return len(lassos) > 0
}

// TestForeignLine has requests lose their address: a transition of a line that no
// core accesses is a misrouted message.
func TestForeignLine(t *testing.T) {
	const address = "    enqueue(requests, RequestMsg, request_latency) {\n      out_msg.addr := address;\n      out_msg.Type := RequestKind:GETX;"
	p := edited(t, "MI_example-cache.sm", address, strings.Replace(address, "      out_msg.addr := address;\n", "", 1))
	v := visit(t, tiny(p, 2, 1), 5_000)
	if want := "misrouted: transition of a line that no core accesses"; !slices.Equal(v.titles, []string{want}) {
		t.Errorf("%q, want %q", v.titles, want)
	}
}

// TestDeviceWrites has the controller of a device lose what it writes, or write
// too much.
func TestDeviceWrites(t *testing.T) {
	const merge = "line.copyPartial(tbe.DataBlk, tbe.First, tbe.Len);"
	for _, c := range []struct {
		replace []string
		words   int
		found   bool
	}{{nil, 1, false}, {nil, 2, false}, {[]string{merge, ""}, 1, true}, {[]string{merge, "line := tbe.DataBlk;"}, 2, true}} {
		config := tiny(edited(t, "MI_example-dma.sm", c.replace...), 1, 1)
		config.System.Devices, config.Words = 1, c.words
		v := visit(t, config, 50_000)
		for _, title := range v.titles {
			if !strings.HasPrefix(title, "values: ") {
				t.Errorf("%q: %s", c.replace, title)
			}
		}
		if !v.complete || len(v.titles) > 0 != c.found {
			t.Errorf("%q with %d words: complete %v, %q", c.replace, c.words, v.complete, v.titles)
		}
	}
}

// TestOverfull has a transition send three messages, for which gem5's compiler asks for room
// for two (Transition.py:66 of v24.0.0.1): a buffer with room for two is then overfull, and
// one with room for one never has enough.
func TestOverfull(t *testing.T) {
	const put, load = "  action(b_issuePUT,", "transition(I, Load, IS) {\n    i_allocateEntry;\n"
	more := ""
	for _, name := range []string{"a_second", "a_third"} {
		more += strings.Replace(strings.TrimSuffix(lateRequest, put), "a_issueLate", name, 1)
	}
	p := edited(t, "MI_example-cache.sm", put, strings.ReplaceAll(more, "DELAY", "request_latency")+put, load, load+"    a_second;\n    a_third;\n")
	for size, want := range []string{"", "deadlock: ", "buffer-order: message buffer overfull", ""} {
		config := tiny(p, 2, 1)
		config.System.Bounds = []ruby.Bound{{Role: "L1Cache", Buffer: "requestBuffer", Size: size}}
		v := visit(t, config, 5_000)
		if want == "" {
			if slices.ContainsFunc(v.titles, func(title string) bool { return strings.HasPrefix(title, "buffer-order: ") }) {
				t.Errorf("room for %d: %q", size, v.titles)
			}
		} else if len(v.titles) != 1 || !strings.HasPrefix(v.titles[0], want) {
			t.Errorf("room for %d: %q, want %s", size, v.titles, want)
		}
	}
	// The protocol itself sends one at a time.
	config := tiny(compiled(t, "mi"), 2, 2)
	whole := visit(t, config, 50_000)
	config.System.Bounds = []ruby.Bound{{Role: "L1Cache", Buffer: "requestBuffer", Size: 1}}
	if v := visit(t, config, 50_000); len(v.titles) > 0 || v.states != whole.states || v.steps != whole.steps {
		t.Errorf("%d states, %q, want %d", v.states, v.titles, whole.states)
	}
	config.System.Bounds[0].Buffer = "forwardBuffer"
	if _, err := New(config); err == nil || !strings.Contains(err.Error(), "L1Cache.forwardBuffer is no buffer that a machine sends from") {
		t.Errorf("%v", err)
	}
}

// TestOutcome has a cache lose a line without notice, so that an out-of-order
// core keeps a value that it read early: message passing then fails, and nothing else does,
// in any other state of the program, with any access at any time, or for ever.
func TestOutcome(t *testing.T) {
	s, _ := shapes.ByName("MP")
	for _, replace := range [][]string{nil, {"    e_sendData;\n    forward_eviction_to_cpu;\n", "    e_sendData;\n"}} {
		c := tiny(edited(t, "MI_example-cache.sm", replace...), 2, 1)
		c.System.Private.Ways = 2
		c.Program, c.Core = programOf(s), core.OOO
		found := slices.ContainsFunc(outcomes(t, c), func(log []byte) bool { return closes(t, s, log) })
		if want := replace != nil; found != want {
			t.Errorf("with defect: %v, but the outcome is found: %v", want, found)
		}
		if v := visit(t, tiny(c.Protocol, 2, 2), 50_000); !v.complete || len(v.titles) > 0 {
			t.Errorf("with defect: %v: complete %v, %q", replace != nil, v.complete, v.titles)
		}
		if starved(t, tiny(c.Protocol, 2, 1), liveness.Weak) {
			t.Errorf("with defect: %v: a request need never be answered", replace != nil)
		}
	}
}
