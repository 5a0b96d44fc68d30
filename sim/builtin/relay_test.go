package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/ruby"
)

// relayed is the small protocol with a relay between the caches of the cores
// and the network.
func relayed(t *testing.T) string {
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
	relay, err := os.ReadFile("ruby/testdata/relay/relay.sm")
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
		r := newRunner(t, Options{SLICC: path, Core: kind, Directories: 2})
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
