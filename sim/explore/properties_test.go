package explore

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"ordeal/gen/shapes"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/ruby"
	"ordeal/sim/explore/machine"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/syntax"
)

// edited compiles the project's MI with texts, which each file has once,
// replaced by those that follow them.
func edited(t *testing.T, file string, replace ...string) *ruby.Protocol {
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
		text := string(data)
		for i := 0; name == file && i < len(replace); i += 2 {
			if n := strings.Count(text, replace[i]); n != 1 {
				t.Fatalf("%s has %q %d times", file, replace[i], n)
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

// TestProperties plants a defect against each property, which violates that one
// and no other.
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

// TestOutcome has a cache lose a line without notice, so that an out-of-order
// core keeps a value that it read early: message passing then fails.
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
	}
}
