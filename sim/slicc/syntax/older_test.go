package syntax

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestOlderConstructs reads single constructs of the older language, and wants what they are
// today.
func TestOlderConstructs(t *testing.T) {
	head := `protocol "P"; external_type(Address); external_type(Cycles);` + "\n"
	for _, c := range []struct{ text, want string }{
		{`machine(A, "a") : C * c, int n = 2, bool b = true { }`, `bool b := "True"`},
		{`machine(A, "a") { MessageBuffer q, ordered="true"; }`, "MessageBuffer * q, ordered=\"true\";\n"},
		{`machine({A, B}, "a") : C * c; { }`, "enumeration(MachineType, default=\"MachineType_NULL\") {\n  A;\n  B;\n  NULL;\n}"},
		{`machine(A) { action(a, "a") { enqueue(o, M, latency="3") {} } }`, "enqueue(o, M, 3)"},
		{`machine(A) { action(a, "a") { enqueue(o, M, latency="L") {} } }`, "enqueue(o, M, L)"},
		{`machine(A) { action(a, "a") { p.recycle(); } }`, "p.recycle(clockEdge(), cyclesToTicks(recycle_latency))"},
		{`machine(A) { action(a, "a") { profileMsgDelay(1, p.dequeue()); } }`, "    p.dequeue(clockEdge());\n"},
		{`machine(A) { action(a, "a") { t.set(address, 5); x := t.readyAddress(); } }`, "t.set(address, clockEdge(5));\n    x := t.nextAddress();"},
		{`machine(A) { action(a, "a") { t.set(address, clockEdge() + cyclesToTicks(n)); } } structure(TimerTable, external="yes") { void set(Address, Tick); }`, "t.set(address, clockEdge() + cyclesToTicks(n));"},
		{`machine(A) { action(a, "a") { t.set(address, 5); } } structure(TimerTable, external="yes") { void set(Address, int); }`, "t.set(address, clockEdge(intToCycles(5)));"},
		{`machine(A) { action(a, "a") { Tick d := p.dequeue(clockEdge()); } }`, "Tick d := p.dequeue(clockEdge());"},
		{`machine(A) { action(a, "a") { d := p.dequeue(); } }`, "d := ticksToCycles(p.dequeue(clockEdge()));"},
		{`machine(A) { action(a, "a") { t := get_time(); } }`, "t := curCycle();"},
		{`machine(A) { action(a, "a") { wake_up_dependents(address); } }`, "wakeUpBuffers(address);"},
		{`machine(A) : int n = 2, { }`, "int n := 2;"},
		{`machine(A) { external_type(T) { bool f(Address); } }`, "structure(T, external=\"yes\") {\n    bool f(Addr);"},
		{`machine(A) { MessageBuffer p, network="To", virtual_network="1"; MessageBuffer q, network="To", virtual_network="1"; out_port(o, M, q); }`, "out_port(o, M, p);"},
		{`machine(A) { MessageBuffer p, network="To", virtual_network="1"; MessageBuffer q, network="From", virtual_network="1"; in_port(i, M, q) {} }`, "in_port(i, M, q)"},
		{`structure(DirectoryMemory, external="yes") { AbstractEntry lookup(Address); }
			machine(A) : DirectoryMemory * d { Entry e(Address a), return_by_ref="yes" { return static_cast(Entry, d[a]); } }`, "d.allocate(a, new Entry)"},
		{`structure(DirectoryMemory, external="yes") { AbstractEntry lookup(Address); }
			machine(A) : DirectoryMemory * d, CacheMemory * c { Entry e(Address a) { return static_cast(Entry, c[a]); } }`, "return static_cast(Entry, c[a]);"},
		{`structure(CacheMsg) { Address LineAddress; } enumeration(CacheRequestType) { LD; }
			machine(A) { action(a, "a") { peek(p, CacheMsg) { x := CacheRequestType:LD; } } }`, "x := RubyRequestType:LD;"},
		{`enumeration(CacheRequestType) { Tag; } enumeration(RubyRequestType) { LD; } machine(A) { action(a, "a") { x := CacheRequestType:Tag; } }`, "x := CacheRequestType:Tag;"},
		{`machine(A) { action(a, "a") { d.ackCallback(); d.dataCallback(b); } }`, "d.ackCallback(address);\n    d.dataCallback(b, address);"},
		{`structure(M, interface="NetworkMessage") { Address Addr; } machine(A) { action(a, "a") { out_msg.Addr := in_msg.Addr; } }`, "out_msg.addr := in_msg.addr;"},
		{`machine(A) : MemoryControl * memBuffer { in_port(i, MemoryMsg, memBuffer) {} out_port(o, MemoryMsg, memBuffer);
			action(a, "a") { enqueue(o, MemoryMsg) { out_msg.Sender := machineID; out_msg.OriginalRequestorMachId := in_msg.R; } } }`, "out_msg.Sender := in_msg.R;"},
		{`machine(A) : MemoryControl * memBuffer { in_port(i, MemoryMsg, memBuffer) {} }`, "in_port(i, MemoryMsg, responseFromMemory)"},
	} {
		file, err := Load(fstest.MapFS{"in.slicc": {Data: []byte(head + c.text)}}, "in.slicc")
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := PrintOne(file); !strings.Contains(got, c.want) {
			t.Errorf("%s: got\n%s\nwant %q in it", c.text, got, c.want)
		}
	}
}

// TestListed reads a root file that lists the files of a protocol.
func TestListed(t *testing.T) {
	file, err := Load(fstest.MapFS{
		"p/Old.slicc": {Data: []byte("# said elsewhere\nOld-a.sm\n\n../p/Old-b.sm\n")},
		"p/Old-a.sm":  {Data: []byte("machine(A) : int n = 1 { }")},
		"p/Old-b.sm":  {Data: []byte("machine(B) : int n = 1 { }")},
	}, "p/Old.slicc")
	if err != nil {
		t.Fatal(err)
	}
	if got := PrintOne(file); !strings.Contains(got, `protocol "Old";`) || !strings.Contains(got, "machine(MachineType:A") || !strings.Contains(got, "machine(MachineType:B") {
		t.Errorf("got\n%s", got)
	}
	_, err = Load(fstest.MapFS{"p/Old.slicc": {Data: []byte("Old-a.sm\n\nOld-c.sm\n")}, "p/Old-a.sm": {Data: []byte("machine(A) : int n = 1 { }")}}, "p/Old.slicc")
	if err == nil || !strings.Contains(err.Error(), `p/Old.slicc:3:1: include "Old-c.sm": no such file`) {
		t.Errorf("a file that is missing: %v", err)
	}
}

// TestValues refuses a protocol whose transitions get no entries, once and at its place.
func TestValues(t *testing.T) {
	text := "protocol \"P\"; machine(A) { structure(Entry, interface=\"AbstractCacheEntry\") { }\nin_port(i, M, q) {\n trigger(Event:Load, a); trigger(Event:Store, a); } }"
	_, err := Load(fstest.MapFS{"in.slicc": {Data: []byte(text)}}, "in.slicc")
	if faults, ok := err.(Faults); !ok || len(faults) != 1 || !strings.Contains(err.Error(), "in.slicc:3:2: this is the language of GEMS") {
		t.Errorf("got %v", err)
	}
}

// TestMixed reports what is of both languages at its place.
func TestMixed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"machine(A) : int n = 1 {}\nmachine(MachineType:B) : { }", "in.sm:1:9: a machine without MachineType is of the language until 2015, and a machine named as MachineType:NAME at in.sm:2:9 of that of today"},
		{"machine(MachineType:B) : {\naction(a) { enqueue(o, M, latency=1) {} } }", "in.sm:2:27: a latency with a name is of the language until 2015"},
		{"machine(A) : int n = 1,\nint m = 2; int k = 3 {}", "in.sm:2:10: a parameter ends with ';', and one at in.sm:1:23 with ','"},
		{"machine({}) : {}", "expected a machine, found ')'"},
		{"machine(A) : int n = 1 int m = 2 {}", "expected ',' or '{' after parameter n, found int"},
	} {
		if _, err := Parse("in.sm", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}
