package builtin

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
)

// relayed is the small protocol with a relay between the caches of the cores
// and the network, whose text is ../ruby/testdata/relay/relay.sm or another file.
func relayed(t *testing.T, file ...string) string {
	t.Helper()
	path := edited(t, "native.sm",
		"  L1Cache;\n", "  L0Cache;\n  L1Cache;\n",
	)
	dir := filepath.Dir(path)
	rename := strings.NewReplacer(
		"MachineType:L1Cache", "MachineType:L0Cache", "L1Cache_State", "L0Cache_State", "<L1Cache_TBE>", "<L0Cache_TBE>",
		"MessageBuffer * requestOut, network=\"To\", virtual_network=\"0\"", "MessageBuffer * requestToL1, network=\"To\"",
		"MessageBuffer * orderIn, network=\"From\", virtual_network=\"1\"", "MessageBuffer * orderFromL1, network=\"From\"",
		"MessageBuffer * returnOut, network=\"To\", virtual_network=\"2\"", "MessageBuffer * returnToL1, network=\"To\"",
		"RequestMsg, requestOut)", "RequestMsg, requestToL1)", "OrderMsg, orderIn)", "OrderMsg, orderFromL1)", "ReturnMsg, returnOut)", "ReturnMsg, returnToL1)",
	)
	name := filepath.Join(dir, "cache.sm")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	relay, err := os.ReadFile(append(file, "../ruby/testdata/relay/relay.sm")[0])
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"cache.sm": rename.Replace(string(text)), "relay.sm": string(relay)} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	replaceIn(t, path, "small.slicc", "include \"home.sm\";", "include \"relay.sm\";\ninclude \"home.sm\";")
	return path
}

// TestSharedBuffers runs caches whose buffers are those of another machine: of
// the relay of the same core, whatever their number and that of directories.
func TestSharedBuffers(t *testing.T) {
	path := relayed(t)
	for _, kind := range []core.Kind{core.InOrder, core.OOO} {
		r := newRunner(t, Options{SLICC: path, Core: kind, Hardware: ruby.Hardware{Directories: 2}})
		report := ends(t, r, sim.Job{Program: randomProgram(t, 5, 4), Rounds: 10, Seed: 1}, sim.Passed, "")
		for _, c := range report.Coverage {
			if c.Machine == "L1Cache" && c.Count == 0 {
				t.Errorf("%s cores: %s of the relay never happened", kind, c.Event)
			}
		}
	}
	replaceIn(t, path, "relay.sm", "MessageBuffer * returnFromL0", "MessageBuffer * backFromL0")
	replaceIn(t, path, "relay.sm", "ReturnMsg, returnFromL0)", "ReturnMsg, backFromL0)")
	if _, err := New(Options{SLICC: path, Core: core.TSO}); err == nil || !strings.Contains(err.Error(), "buffer backFromL0, which neither") {
		t.Errorf("a buffer that no machine shares: %v", err)
	}
}

// TestParameters measures the latencies that parameters, and the objects that
// depend on them, give the first messages between a cache and its relay.
func TestParameters(t *testing.T) {
	path := relayed(t)
	// of the request to the relay, and of the grant from it
	latencies := func(set ...string) (request, order int64) {
		at := map[string]int64{}
		r := newRunner(t, Options{SLICC: path, Core: core.InOrder, Parameters: set, Trace: func(s ruby.Step) {
			for _, what := range []string{s.Machine, s.Machine + s.Event} {
				if _, ok := at[what]; !ok {
					at[what] = int64(s.At)
				}
			}
		}})
		ends(t, r, sim.Job{Program: randomProgram(t, 5, 1), Rounds: 1, Seed: 1}, sim.Passed, "")
		return at["L1CacheRequest"] - at["L0Cache"], at["L0CacheGrant"] - at["L1CacheOrder"]
	}
	if request, order := latencies(); request != 2 || order != 2 {
		t.Errorf("a request takes %d and an order %d ticks, want 2 and 2", request, order)
	}
	if _, got := latencies("L1Cache.relay_latency=4"); got != 8 {
		t.Errorf("an order takes %d ticks with a latency of 4, want 8", got)
	}
	if got, _ := latencies("L0Cache.issue_latency=9", "L0Cache.issue_latency=7"); got != 7 {
		t.Errorf("a request takes %d ticks, want 7", got)
	}
	for set, want := range map[string]string{
		"L1Cache.relay_latency":      "want MACHINE.parameter=value",
		"relay_latency=2":            "want MACHINE.parameter=value",
		"L1Cache.relay_latency=few":  "no number",
		"L1Cache.relay_latency=-1":   "want at least 0",
		"L3Cache.relay_latency=2":    "no machine L3Cache: want one of L0Cache, L1Cache, Directory",
		"L1Cache.relay=2":            "no parameter relay: want one of",
		"L1Cache.requestFromL0=2":    "no parameter requestFromL0",
		"L0Cache.send_evictions=2":   "true or false",
		"L0Cache.number_of_TBEs=old": "no number",
	} {
		if _, err := New(Options{SLICC: path, Core: core.TSO, Parameters: []string{set}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", set, err, want)
		}
	}
	if _, err := New(Options{Core: core.TSO, Parameters: []string{"L1Cache.x=1"}}); err == nil {
		t.Error("a parameter of a memory without a protocol is accepted")
	}
}

// TestDefaults refuses what a parameter, an object or a field starts with when
// that is not understood or missing, by its place.
func TestDefaults(t *testing.T) {
	for _, edit := range []struct{ file, from, to, want string }{
		{"relay.sm", `default="(m_relay_latency << 1)"`, `default="(m_relay_latency <<< 1)"`, "relay.sm:25:7: default"},
		{"relay.sm", `default="(m_relay_latency << 1)"`, `default="(m_other << 1)"`, `no parameter or object "other"`},
		{"relay.sm", `default="*m_orderLatency_ptr + 1"`, `default="getenv(1)"`, `"getenv" is not known`},
		{"relay.sm", "relay_latency := 1;", "relay_latency;", "parameter relay_latency of L1Cache has no value"},
		{"cache.sm", "State CacheState;", `State CacheState; int extra, default="m_issue_latency";`, "default \"m_issue_latency\""},
	} {
		path := relayed(t)
		replaceIn(t, path, edit.file, edit.from, edit.to)
		if _, err := New(Options{SLICC: path, Core: core.TSO}); err == nil || !strings.Contains(err.Error(), edit.want) {
			t.Errorf("%s: error %v, want %q", edit.to, err, edit.want)
		}
	}
	path := relayed(t)
	replaceIn(t, path, "relay.sm", "relay_latency := 1;", "relay_latency;")
	newRunner(t, Options{SLICC: path, Core: core.TSO, Parameters: []string{"L1Cache.relay_latency=1"}})
}

// TestSteps runs relays that do everything in steps: with tables of slots,
// messages that are expected, queues of triggers, handlers of stalls, and
// transactions that start and end.
func TestSteps(t *testing.T) {
	const file = "../ruby/testdata/steps/relay.sm"
	steps := 0
	for _, set := range [][]string{nil, {"L1Cache.slots=1"}, {"L1Cache.slots=3", "L1Cache.recycle_time=1"}, {"L1Cache.busy_limit=1", "L1Cache.step_latency=9"}} {
		r := newRunner(t, Options{SLICC: relayed(t, file), Core: core.TSO, Parameters: set})
		report := ends(t, r, sim.Job{Program: randomProgram(t, 5, 4), Rounds: 10, Seed: 1}, sim.Passed, "")
		for _, c := range report.Coverage {
			if c.Machine != "L1Cache" {
				continue
			}
			if c.Count > 0 {
				steps++
			} else if len(set) != 1 || c.State != "B" { // with one slot no request comes before the last one ends
				t.Errorf("%v: (%s, %s) of the relay never happened", set, c.State, c.Event)
			}
		}
	}
	if steps != 3*10+8 {
		t.Errorf("%d transitions taken, want 10 in each system but 8 in that with one slot", steps)
	}
	for _, fault := range []struct{ from, to, title string }{
		{"    wakeup_port(readyPort, address);\n", "", "deadlock: "},
		{"    storage.removeEntryFromSlot(tbe.slot);\n    assert(storage.size() > 0);\n", "", "deadlock: "},
		{"    storage.decrementReserved();\n", "", "TBE storage: no slot is available in "},
		{"tbe.slot := storage.addEntryToNewSlot();", "tbe.slot := 1;", "TBE storage: share of a free slot in "},
		{"    waiting.pop();\n", "    waiting.pop(); waiting.pop();\n", "trigger queue: there is no element in "},
		{"tbe.expected.addExpectedCount(1);", "", "failed assertion in "},
		{"incomingTransactionEnd(address, curTransitionNextState());", "", "start of a transaction that is under way in "},
		{"Request, in_trans=\"yes\";", "Request; Other, in_trans=\"yes\";", "end of a transaction whose event is not marked in_trans in "},
		{"outgoingTransactionStart(address, curTransitionEvent());", "", "end of a transaction that is not under way in "},
	} {
		path := relayed(t, file)
		replaceIn(t, path, "relay.sm", fault.from, fault.to)
		o := Options{SLICC: path, Core: core.TSO, Watchdog: 20_000}
		if fault.title == "TBE storage: no slot is available in " {
			o.Parameters = []string{"L1Cache.slots=1"}
		}
		report, err := newRunner(t, o).Simulate(t.Context(), sim.Job{Program: randomProgram(t, 5, 4), Rounds: 10, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(report.Title, fault.title) {
			t.Errorf("without %q: %s %q, want %q", fault.from, report.Outcome, report.Title, fault.title)
		}
	}
	for _, refusal := range []struct{ from, to, want string }{
		{`template="<L1Cache_Waiting>"`, `template="<L1Cache_Other>"`, "template names no type"},
		{`constructor="this, m_slots"`, `constructor="this, slots()"`, `"slots" is not known`},
	} {
		path := relayed(t, file)
		replaceIn(t, path, "relay.sm", refusal.from, refusal.to)
		if _, err := New(Options{SLICC: path, Core: core.TSO}); err == nil || !strings.Contains(err.Error(), refusal.want) {
			t.Errorf("%s: error %v, want %q", refusal.to, err, refusal.want)
		}
	}
}

// withRoles is the small protocol with one machine that is the cache of a core, a
// second level, a home node and the cache of a device. The second and third pass
// requests on towards memory.
func withRoles(t *testing.T) string {
	t.Helper()
	path := edited(t, "native.sm",
		"  L1Cache;\n", "  L1Cache;\n  Cache;\n")
	for _, edit := range [][2]string{
		{"MachineType:L1Cache", "MachineType:Cache"},
		{`default="L1Cache_State_I"`, `default="Cache_State_I"`}, {`template="<L1Cache_TBE>"`, `template="<Cache_TBE>"`},
		{"L1Cache_State_to_permission", "Cache_State_to_permission"},
		{"    bool send_evictions;\n", `    bool send_evictions;
    bool is_HN;
    Cycles pass_latency := 1;
    MessageBuffer * requestIn, network="From", virtual_network="0", vnet_type="request";
`},
		{"    PutAck;\n  }\n", "    PutAck;\n    Pass;\n  }\n"},
		{"  MachineID mapAddressToMachine(Addr addr, MachineType mtype);\n", `  MachineID mapAddressToMachine(Addr addr, MachineType mtype);
  MachineID mapAddressToDownstreamMachine(Addr addr);
`},
		{"  in_port(orderPort, OrderMsg", `  in_port(passPort, RequestMsg, requestIn) {
    if (passPort.isReady(clockEdge())) {
      peek(passPort, RequestMsg) {
        trigger(Event:Pass, in_msg.addr, getCacheEntry(in_msg.addr), TBEs[in_msg.addr]);
      }
    }
  }
  in_port(orderPort, OrderMsg`},
		{"  transition(I, {Load, Store}, IM) {", `  action(p_pass, "pp") {
    peek(passPort, RequestMsg) {
      enqueue(requestPort, RequestMsg, pass_latency) {
        out_msg := in_msg;
        out_msg.Destination.clear();
        out_msg.Destination.add(mapAddressToDownstreamMachine(address));
        assert(is_HN == (machineIDToMachineType(mapAddressToDownstreamMachine(address)) == MachineType:Directory));
      }
    }
    passPort.dequeue(clockEdge());
  }
  transition(I, Pass) {
    p_pass;
  }
  transition(I, {Load, Store}, IM) {`},
	} {
		replaceIn(t, path, "cache.sm", edit[0], edit[1])
	}
	for _, message := range []string{"HomeRequest:Get", "HomeRequest:Put"} {
		data := ""
		if message == "HomeRequest:Put" {
			data = "      out_msg.DataBlk := tbe.DataBlk;\n"
		}
		from := "      out_msg.Type := " + message + ";\n      out_msg.Requestor := machineID;\n" + data +
			"      out_msg.Destination.add(mapAddressToMachine(address, MachineType:Directory));\n"
		replaceIn(t, path, "cache.sm", from, strings.Replace(from, "mapAddressToMachine(address, MachineType:Directory)", "mapAddressToDownstreamMachine(address)", 1))
	}
	replaceIn(t, path, "native.sm", "structure(DataBlock, external", "MachineType machineIDToMachineType(MachineID m);\nstructure(DataBlock, external")
	return path
}

// TestRoles runs one machine as the cache of a core, a second level and a home
// node.
func TestRoles(t *testing.T) {
	path := withRoles(t)
	const cores, banks = 3, 2
	for _, sharing := range []int{0, 2} {
		seconds := (cores + max(sharing, 1) - 1) / max(sharing, 1)
		passes, lines := map[int]map[uint64]bool{}, map[uint64]bool{} // by the number of the machine, and of all
		at := [2]int{}                                                // passes of second levels and of homes
		r := newRunner(t, Options{
			SLICC: path, Core: core.TSO, Hardware: ruby.Hardware{Directories: 3, Banks: banks, Sharing: sharing}, Parameters: []string{"HNF.pass_latency=20", "L2.pass_latency=3"},
			Trace: func(s ruby.Step) {
				if s.Machine != "Cache" || s.Event != "Pass" {
					return
				}
				if s.Number < cores+seconds {
					at[0]++
				} else {
					at[1]++
				}
				if passes[s.Number] == nil {
					passes[s.Number] = map[uint64]bool{}
				}
				passes[s.Number][uint64(s.Line)/64], lines[uint64(s.Line)/64%banks] = true, true
			},
		})
		ends(t, r, sim.Job{Program: randomProgram(t, 5, cores), Rounds: 10, Seed: 1}, sim.Passed, "")
		if at[0] != at[1] {
			t.Errorf("%d cores share: second levels pass %d requests on, homes %d", sharing, at[0], at[1])
		}
		for number := range cores + seconds + banks {
			want := number >= cores
			if number >= cores+seconds {
				want = lines[uint64(number-cores-seconds)]
			}
			if (len(passes[number]) > 0) != want {
				t.Errorf("%d cores share: cache %d passes %d lines on", sharing, number, len(passes[number]))
			}
			for line := range passes[number] {
				if number >= cores+seconds && int(line%banks) != number-cores-seconds {
					t.Errorf("%d cores share: home %d passes line %d on", sharing, number-cores-seconds, line)
				}
			}
		}
	}
	if _, err := New(Options{Protocol: "mi", Core: core.TSO, Hardware: ruby.Hardware{Sharing: 2}}); err == nil || !strings.Contains(err.Error(), "no second level") {
		t.Errorf("a second level to share in mi: %v", err)
	}
	if _, err := New(Options{SLICC: path, Core: core.TSO, Parameters: []string{"Cache.pass_latency=2"}}); err == nil ||
		!strings.Contains(err.Error(), "no machine Cache: want one of L1, L2, HNF, RNI, Directory") {
		t.Errorf("a parameter of a machine with roles: %v", err)
	}
	// More than 64 of one machine: sets of machines have several words for it.
	r := newRunner(t, Options{SLICC: path, Core: core.TSO, Cores: 64, Hardware: ruby.Hardware{Banks: 2}})
	report := ends(t, r, sim.Job{Program: randomProgram(t, 1, 64), Rounds: 1, Seed: 1}, sim.Passed, "")
	if report.Statistics.Events < 10000 {
		t.Errorf("%d events of 64 cores: that hardly shows anything", report.Statistics.Events)
	}
}

// TestRelayStepper has a stepper take a protocol with shared buffers, roles,
// TBEStorage and TriggerQueue.
func TestRelayStepper(t *testing.T) {
	tree, err := protocols.LoadFile(relayed(t, "../ruby/testdata/steps/relay.sm"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ruby.Compile(tree)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ruby.NewStepper(p, ruby.Options{Cores: 2}.WithDefaults(), []memory.Addr{memory.Base}, ruby.Data{Words: 1}); err != nil {
		t.Error(err)
	}
}

// TestDeviceRole runs devices through a machine that is a cache, too: they complete
// stores by a callback of their own, and ask the home node of a line.
func TestDeviceRole(t *testing.T) {
	path := withRoles(t)
	const plain, past = "sequencer.writeCallback(address, cache_entry.DataBlk);", "sequencer.writeUniqueCallback(address, cache_entry.DataBlk);"
	replaceIn(t, path, "native.sm", "  void writeCallback(Addr, DataBlock);\n", "  void writeCallback(Addr, DataBlock);\n  void writeUniqueCallback(Addr, DataBlock);\n")
	text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cache.sm"))
	if err != nil {
		t.Fatal(err)
	}
	complete := func(how string) {
		text := strings.ReplaceAll(string(text), plain, how)
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "cache.sm"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	complete("if (send_evictions) { " + plain + " } else { " + past + " }")
	o := gen.Defaults()
	o.Threads, o.DMA, o.Locations, o.Ops = 2, 2, 6, 60
	rng := rand.New(rand.NewPCG(1, 0))
	program, err := gen.Random(rng, o)
	if err != nil {
		t.Fatal(err)
	}
	const cores, banks = 2, 2
	homes := map[int]int{} // passes of home nodes for lines of the number of their own, and of others
	devices := 0
	r := newRunner(t, Options{SLICC: path, Core: core.TSO, Hardware: ruby.Hardware{Banks: banks}, Trace: func(s ruby.Step) {
		switch {
		case s.Machine != "Cache":
		case s.Number >= 2*cores+banks:
			devices++
			if s.Event == "Pass" {
				t.Errorf("a device passes a request on at tick %d", s.At)
			}
		case s.Event == "Pass" && s.Number >= 2*cores:
			homes[int(uint64(s.Line)/64%banks)-(s.Number-2*cores)]++
		}
	}})
	ends(t, r, sim.Job{Program: program, Rounds: 10, Seed: 1}, sim.Passed, "")
	if devices == 0 || homes[0] == 0 || len(homes) != 1 {
		t.Errorf("%d transitions of devices, passes by distance from the line's home: %v", devices, homes)
	}
	complete(past)
	ends(t, newRunner(t, Options{SLICC: path, Core: core.TSO}), sim.Job{Program: randomProgram(t, 5, cores), Rounds: 10, Seed: 1}, sim.Infra, "not simulated: a store of a core past the cache in L1")
}
