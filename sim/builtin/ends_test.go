package builtin

import (
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/agent"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/cache"
)

// TestEndlessTransitions leaves a message in its queue: the controller takes the
// same transition in every cycle from then on, and nothing is in flight.
func TestEndlessTransitions(t *testing.T) {
	path := edited(t, "home.sm", "  transition({V, O, VM, OR}, Written) {\n    l_popAnswer;\n", "  transition({V, O, VM, OR}, Written) {\n")
	ends(t, newRunner(t, Options{SLICC: path, Core: core.InOrder}), sim.Job{Program: randomProgram(t, 1, 4), Rounds: 5, Seed: 1},
		sim.Deadlock, "deadlock: Directory holds back requestIn in V", "nothing is left that could happen")
}

// idleWaits are ways to wait by a transition that changes nothing: the message is looked at again,
// as often as a controller can in a cycle.
var idleWaits = map[string]string{
	"nothing":   `action(zz_wait, "z") { }`,
	"message":   `action(zz_wait, "z") { peek(requestPort, RequestMsg) { DPRINTF(RubySlicc, "waits %s", in_msg.addr); } }`,
	"assertion": `action(zz_wait, "z") { Entry e := getDirectoryEntry(address); assert(is_valid(e)); }`,
	"recycling": `action(zz_wait, "z") { requestPort.recycle(clockEdge(), cyclesToTicks(recycle_latency)); }`,
	"stalling":  `action(z_stall, "z") { }`,
	"writing":   `action(zz_wait, "z") { Entry e := getDirectoryEntry(address); e.Owner := e.Owner; }`,
}

// TestSlowMemory waits for memory that takes long, in all of these ways: no end while an answer is on its way.
func TestSlowMemory(t *testing.T) {
	for name, wait := range idleWaits {
		t.Run(name, func(t *testing.T) {
			path := edited(t, "home.sm", "action(zz_wait, \"z\") {\n    stall_and_wait(requestPort, address);\n  }", wait)
			if name == "stalling" {
				replaceIn(t, path, "home.sm", "    zz_wait;\n", "    z_stall;\n")
			}
			p := parsed(t, "ordeal-program 1\nlayout spread\nlocations x\nthread 0\nload x\nthread 1\nstore x 1\n")
			for _, memory := range []event.Latency{{Base: 11_000}, {Base: 100_000}, {Base: 1 << 20}, {Base: 10, Jitter: 1 << 16}} {
				if name == "writing" && memory.Base > 11_000 { // executed each time, 32 times a cycle
					continue
				}
				r := newRunner(t, Options{SLICC: path, Core: core.InOrder, Hardware: ruby.Hardware{Memory: memory}})
				ends(t, r, sim.Job{Program: p, Rounds: 1, Seed: 1}, sim.Passed, "")
			}
		})
	}
}

// TestLostInIdleWaits loses an answer where others wait in all of these ways: a deadlock, as nothing is in flight.
func TestLostInIdleWaits(t *testing.T) {
	for name, wait := range idleWaits {
		t.Run(name, func(t *testing.T) {
			path := edited(t, "home.sm", "action(zz_wait, \"z\") {\n    stall_and_wait(requestPort, address);\n  }", wait)
			replaceIn(t, path, "cache.sm", "transition(M, Recall, I) {\n    e_evict;\n    r_return;\n", "transition(M, Recall, I) {\n    e_evict;\n")
			if name == "stalling" {
				replaceIn(t, path, "home.sm", "    zz_wait;\n", "    z_stall;\n")
			}
			r := newRunner(t, Options{SLICC: path, Core: core.InOrder, Prefetch: 0})
			report, err := r.Simulate(t.Context(), sim.Job{Program: randomProgram(t, 1, 4), Rounds: 1, Seed: 1})
			if err != nil || report.Outcome != sim.Deadlock {
				t.Errorf("%s: %s, %v, want deadlock", report.Outcome, report.Title, err)
			}
		})
	}
}

// refusing has the directory refuse requests of a line that another core has; the cache repeats them.
func refusing(t *testing.T) string {
	path := edited(t, "home.sm", "transition(O, Get, OR) {\n    q_rememberRequestor;\n    r_recall;\n", "transition(O, Get) {\n    a_ackPut;\n")
	repeatRefused(t, path)
	return path
}

// repeatRefused has a cache repeat a request that was refused.
func repeatRefused(t *testing.T, path string) {
	replaceIn(t, path, "cache.sm", "  transition({MI, II}, PutAck, I) {", "  transition(IM, PutAck) {\n    g_get;\n    o_popOrder;\n  }\n  transition({MI, II}, PutAck, I) {")
}

// TestLivelock repeats requests that are refused for ever.
func TestLivelock(t *testing.T) {
	for _, o := range []Options{{}, {Hardware: ruby.Hardware{Memory: event.Latency{Base: 100_000}}}, {Budget: 100_000}, {Watchdog: 1000}} {
		o.SLICC, o.Core = refusing(t), core.InOrder
		report, err := newRunner(t, o).Simulate(t.Context(), sim.Job{Program: randomProgram(t, 1, 4), Rounds: 5, Seed: 1})
		if err != nil || report.Outcome != sim.Livelock || !strings.HasPrefix(report.Title, "livelock: ") {
			t.Errorf("%s: %s, %v, want livelock\n%s", report.Outcome, report.Title, err, report.Detail)
		}
	}
}

// TestStarvation refuses requests of a core while another one has the line, which gives it up when it has
// performed many other accesses: how many decides whether the first core starves.
func TestStarvation(t *testing.T) {
	path := edited(t, "home.sm", "if (in_msg.Type == HomeRequest:Get) {",
		"if (in_msg.Type == HomeRequest:Get && getState(in_msg.addr) == State:O && in_msg.Requestor == createMachineID(MachineType:L1Cache, intToID(1))) {"+
			"\n trigger(Event:StalePut, in_msg.addr);\n } else if (in_msg.Type == HomeRequest:Get) {")
	replaceIn(t, path, "home.sm", "  Tick clockEdge();", "  Tick clockEdge();\n  MachineID createMachineID(MachineType type, NodeID id);\n  NodeID intToID(int n);")
	repeatRefused(t, path)
	for loads, want := range map[int]sim.Outcome{3: sim.Passed, 20_000: sim.Starvation} {
		p := parsed(t, "ordeal-program 1\nlayout spread\nlocations x y z a b c d\nthread 0\nstore x 1\n"+
			strings.Repeat("load y\n", loads)+"load z\nload a\nload b\nload c\nload d\nthread 1\ndelay 200\nload x\n")
		r := newRunner(t, Options{SLICC: path, Core: core.InOrder, Watchdog: 5000, Hardware: ruby.Hardware{Private: cache.Geometry{Sets: 1, Ways: 2}}})
		title := ""
		if want == sim.Starvation {
			title = "starvation: L1Cache is busy in IM"
		}
		ends(t, r, sim.Job{Program: p, Rounds: 1, Seed: 1}, want, title)
	}
	// An access that is never answered is none that starves, whatever others do meanwhile.
	p := parsed(t, "ordeal-program 1\nlayout spread\nlocations x y\nthread 0\nstore x 1\n"+strings.Repeat("load y\n", 20_000)+"thread 1\ndelay 200\nload x\n")
	report, err := newRunner(t, Options{SLICC: path, Core: core.InOrder, Watchdog: 5000}).Simulate(t.Context(), sim.Job{Program: p, Rounds: 1, Seed: 1})
	if err != nil || report.Outcome != sim.Livelock {
		t.Errorf("%s: %s, %v, want livelock", report.Outcome, report.Title, err)
	}
}

func parsed(t *testing.T, text string) *gen.Program {
	t.Helper()
	p, err := gen.Parse("p", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLongDelay has a core wait for long where the others poll a barrier: nothing is stuck.
func TestLongDelay(t *testing.T) {
	p := parsed(t, "ordeal-program 1\nlayout spread\nlocations x\nthread 0\nload x\nthread 1\ndelay 1000000\nstore x 1\n")
	r := newRunner(t, Options{Protocol: "mi", Core: core.InOrder, Barriers: agent.BarrierEnds})
	ends(t, r, sim.Job{Program: p, Rounds: 1, Seed: 1}, sim.Passed, "")
}

// TestRetriesAreTracedOnce recycles requests for as long as memory takes: the trace has the transition once until something
// else happens.
func TestRetriesAreTracedOnce(t *testing.T) {
	for _, wait := range []string{"nothing", "recycling"} {
		path := edited(t, "home.sm", "action(zz_wait, \"z\") {\n    stall_and_wait(requestPort, address);\n  }", idleWaits[wait])
		waits := 0
		r := newRunner(t, Options{SLICC: path, Core: core.InOrder, Hardware: ruby.Hardware{Memory: event.Latency{Base: 50_000}}, Trace: func(s ruby.Step) {
			if s.State == "VM" && s.Event == "Get" {
				waits++
			}
		}})
		p := parsed(t, "ordeal-program 1\nlayout spread\nlocations x\nthread 0\nload x\nthread 1\nstore x 1\n")
		ends(t, r, sim.Job{Program: p, Rounds: 1, Seed: 1}, sim.Passed, "")
		if waits != 1 {
			t.Errorf("%s: %d transitions that wait are traced, want 1", wait, waits)
		}
	}
}

// TestDeadlockBesidePrefetches loses an answer while caches prefetch for ever: a deadlock, as without prefetches.
func TestDeadlockBesidePrefetches(t *testing.T) {
	r := newRunner(t, Options{Protocol: "mesi-two-level", Core: core.InOrder, Prefetch: 200, Mutant: "MESI_Two_Level/L1Cache/(M,Fwd_GETX)/drop:d_sendDataToRequestor"})
	p := parsed(t, "ordeal-program 1\nlayout spread\nlocations x\nthread 0\nstore x 1\nload x\nthread 1\nstore x 2\nload x\n")
	ends(t, r, sim.Job{Program: p, Rounds: 1, Seed: 1}, sim.Deadlock, "deadlock: L2Cache is busy in MT_MB")
}

// TestDeadlockBesidePolls loses a request of the line at 0x100000 while other cores poll a barrier, whose lines they take
// from each other: a deadlock.
func TestDeadlockBesidePolls(t *testing.T) {
	path := edited(t, "home.sm", "if (in_msg.Type == HomeRequest:Get) {",
		"Addr zero;\nif (addressOffset(in_msg.addr, zero) == 1048576 && getState(in_msg.addr) == State:O) {\n requestPort.dequeue(clockEdge());\n } else if (in_msg.Type == HomeRequest:Get) {")
	replaceIn(t, path, "home.sm", "  Tick clockEdge();", "  Tick clockEdge();\n  int addressOffset(Addr addr, Addr base);")
	r := newRunner(t, Options{SLICC: path, Core: core.InOrder, Barriers: agent.BarrierRounds})
	p := parsed(t, "ordeal-program 1\nlayout spread\nlocations x\nthread 0\nfence\nthread 1\nfence\nthread 2\nfence\nthread 3\nstore x 1\nthread 4\ndelay 2000\nstore x 2\n")
	ends(t, r, sim.Job{Program: p, Rounds: 2, Seed: 1}, sim.Deadlock, "deadlock: L1Cache is busy in IM")
}

// TestConditionalStoresFail has the core that shares a cache of one line poll a barrier: each poll takes the place of the
// line between the linked load and the conditional store of the other core, which the title says.
func TestConditionalStoresFail(t *testing.T) {
	one := cache.Geometry{Sets: 1, Ways: 1}
	r := newRunner(t, Options{Protocol: "moesi-amd-base", Core: core.InOrder, RMW: core.LinkedLoad, Barriers: agent.BarrierEnds, Hardware: ruby.Hardware{Private: one, Shared: one}, Latency: event.Latency{Base: 300}})
	p := parsed(t, "ordeal-program 1\nlayout conflict\nlocations x\nthread 0\nload x\nthread 1\nadd x 1\nadd x 2\nadd x 4\nadd x 8\n")
	ends(t, r, sim.Job{Program: p, Rounds: 1, Seed: 1}, sim.Livelock, "livelock: "+sim.StoresFail)
}
