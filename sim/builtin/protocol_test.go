package builtin

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/ruby"
)

// smallProtocol is the protocol that the tests run.
const smallProtocol = "../ruby/testdata/small/small.slicc"

// edited is a copy of the small protocol in which texts, each of which a file
// has once, are replaced by the texts that follow them.
func edited(t *testing.T, file string, replace ...string) string {
	t.Helper()
	dir := t.TempDir()
	names, err := filepath.Glob("../ruby/testdata/small/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, filepath.Base(smallProtocol))
	for i := 0; i < len(replace); i += 2 {
		replaceIn(t, path, file, replace[i], replace[i+1])
	}
	return path
}

// TestSpareCore runs one core on controllers with two, whose second is
// notified of evictions like the first.
func TestSpareCore(t *testing.T) {
	path := edited(t, "cache.sm",
		"Sequencer * sequencer;", "Sequencer * sequencer;\n    Sequencer * other;",
		"sequencer.evictionCallback(address);", "sequencer.evictionCallback(address);\n      other.evictionCallback(address);")
	r := newRunner(t, Options{SLICC: path, Core: core.TSO})
	ends(t, r, sim.Job{Program: randomProgram(t, 3, 1), Rounds: 10}, sim.Passed, "")
	if _, err := New(Options{SLICC: path, Core: core.TSO, RMW: core.Locked}); err == nil {
		t.Error("locks of cores that share a controller are accepted")
	}
}

// TestProtocolCoverage requires every transition of the small protocol taken but
// those that only more than one directory could show.
func TestProtocolCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("rare transitions take a hundred runs")
	}
	var counts sim.Coverage
	r := newRunner(t, Options{SLICC: smallProtocol, Core: core.OOO})
	for seed := range uint64(100) {
		report := ends(t, r, sim.Job{Program: randomProgram(t, seed, 4), Rounds: 10, Seed: seed}, sim.Passed, "")
		counts.Add(report.Coverage)
	}
	// The sequencer keeps a second request of a line under way back, a line in
	// a transient state without an entry is never a victim, memory answers a
	// read after the writes before it, and the acknowledgement of a put that
	// no recall crossed comes before the grant of a later request.
	unreachable := map[string]bool{
		"L1Cache IM Replacement": true, "L1Cache MI Replacement": true, "L1Cache II Replacement": true,
		"L1Cache MI Load": true, "L1Cache MI Store": true,
		"Directory O Written": true, "Directory OR Written": true,
	}
	for _, c := range counts.Missing() {
		if row := c.Machine + " " + c.State + " " + c.Event; !unreachable[row] {
			t.Errorf("%s never happened", row)
		}
	}
	if len(counts) < 30 {
		t.Errorf("only %d transitions", len(counts))
	}
}

const oneStore = `ordeal-program 1
layout spread
locations x
thread 0
store x 1
`

// TestTrace follows one store of one core through the small protocol.
func TestTrace(t *testing.T) {
	p, err := gen.Parse("p", []byte(oneStore))
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	var messages []string
	note := func(m ruby.Message) {
		what := "receive " + m.Buffer
		if m.To != "" {
			what = "send " + m.Buffer + " > " + m.To
		}
		messages = append(messages, what)
		if line := m.String(); !strings.Contains(line, m.Buffer) || !strings.Contains(line, "=0x100000") {
			t.Errorf("line %q", line)
		}
	}
	r := newRunner(t, Options{SLICC: smallProtocol, Core: core.InOrder, Messages: note, Trace: func(s ruby.Step) {
		steps = append(steps, fmt.Sprintf("%s %s %s>%s", s.Machine, s.Event, s.State, s.Next))
		if line := s.String(); !strings.Contains(line, s.State+">"+s.Next) || !strings.Contains(line, "[0x100000, line 0x100000]") {
			t.Errorf("line %q", line)
		}
	}})
	ends(t, r, sim.Job{Program: p, Rounds: 1}, sim.Passed, "")
	want := []string{"L1Cache Store I>IM", "Directory Get V>VM", "Directory Data VM>O", "L1Cache Grant IM>M", "L1Cache Load M>M"}
	if !slices.Equal(steps, want) { // the load reads the final value
		t.Errorf("steps %q, want %q", steps, want)
	}
	want = []string{
		"send L1Cache 0 requestOut > Directory 0 requestIn", "receive Directory 0 requestIn",
		"receive Directory 0 responseFromMemory",
		"send Directory 0 orderOut > L1Cache 0 orderIn",
		"receive L1Cache 0 mandatoryQueue", // where the store waited for the grant
		"receive L1Cache 0 orderIn",
		"receive L1Cache 0 mandatoryQueue",
	}
	if !slices.Equal(messages, want) {
		t.Errorf("messages %q, want %q", messages, want)
	}
}

// TestProtocolFaults breaks the small protocol in one place after the other.
func TestProtocolFaults(t *testing.T) {
	for name, f := range map[string]struct {
		file, text, by string
		outcome        sim.Outcome
		title          string
		detail         []string
	}{
		"missing row": {
			"cache.sm", "transition(MI, Recall, II)", "transition(II, Recall, II)",
			sim.Crash, "invalid transition (MI, Recall) of L1Cache",
			[]string{"L1Cache ", "tick ", "on line 0x10", "last messages for the line:", "OrderMsg addr=0x10", "Type=Recall"},
		},
		"assertion": {
			"cache.sm", "assert(in_msg.LineAddress == address)", "assert(in_msg.LineAddress != address)",
			sim.Crash, "failed assertion in L1Cache.", []string{"transition (IM, Grant)"},
		},
		"error": {
			"cache.sm", "in_msg.Type == CacheOrder:PutAck", "in_msg.Type == CacheOrder:Grant",
			sim.Crash, "error in L1Cache.orderPort: unknown order", nil,
		},
		"stale pointer": {
			"cache.sm", "    d_deallocate;\n    o_popOrder;", "    d_deallocate;\n    a_stale;\n    o_popOrder;",
			sim.Crash, "use of a stale pointer in L1Cache.", []string{"the Entry of line 0x10"},
		},
		"invalid pointer": {
			"cache.sm", "    TBEs.allocate(address);\n    set_tbe(TBEs[address]);", "    TBEs.allocate(address);",
			sim.Crash, "use of an invalid pointer in L1Cache.", nil,
		},
		"table": {
			"cache.sm", "    TBEs.deallocate(address);\n", "    TBEs.deallocate(address);\n    TBEs.deallocate(address);\n",
			sim.Crash, "TBE table: deallocate of an absent line", nil,
		},
		"full set": {
			"cache.sm", "cacheMemory.cacheAvail(in_msg.LineAddress) == false", "false",
			sim.Crash, "cache: line allocated in a full set in L1Cache.a_allocate: ", nil,
		},
		"wrong answer": {
			"cache.sm", "transition(M, Load) {\n    l_load;", "transition(M, Load) {\n    s_store;",
			sim.Crash, "sequencer: write completed where a read was issued", nil,
		},
		"no destination": {
			"home.sm", "out_msg.Destination.add(getDirectoryEntry(address).Owner);", "",
			sim.Deadlock, "deadlock: Directory is busy in OR", []string{"in state OR"},
		},
		"empty port": {
			"cache.sm", "transition(M, Recall, I) {\n    e_evict;", "transition(M, Recall, I) {\n    o_popOrder;",
			sim.Crash, "dequeue of an empty port", nil,
		},
		"lost message": {
			"cache.sm", "transition(MI, Recall, II) {\n    r_return;", "transition(MI, Recall, II) {",
			sim.Deadlock, "deadlock: Directory is busy in OR", []string{"Directory 0 requestIn: ", "TBE TBEState=II", "waits for", "Directory 0: line 0x10", ": in state OR: Entry "},
		},
		"head never leaves": {
			"home.sm", "transition(O, Get, OR) {\n    q_rememberRequestor;\n    r_recall;\n    i_popRequest;",
			"transition(O, Get) {\n    y_recycle;",
			sim.Deadlock, "deadlock: Directory holds back requestIn in O", []string{"nothing is in flight; what has arrived waits and is tried again: no operation has been performed in the last "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := edited(t, f.file, f.text, f.by)
			if name == "stale pointer" { // by an action after the deallocation
				replaceIn(t, path, "cache.sm", "    unset_cache_entry();\n", "")
				replaceIn(t, path, "cache.sm", `  action(e_evict, "e")`, `  action(a_stale, "st") { cacheMemory.setMRU(cache_entry); } action(e_evict, "e")`)
			}
			r := newRunner(t, Options{SLICC: path, Core: core.InOrder})
			for seed := range uint64(20) {
				report, err := r.Simulate(t.Context(), sim.Job{Program: randomProgram(t, seed, 4), Rounds: 10, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				if report.Outcome == sim.Passed {
					continue
				}
				if report.Outcome != f.outcome || !strings.HasPrefix(report.Title, f.title) {
					t.Fatalf("seed %d: %s: %s\n%s", seed, report.Outcome, report.Title, report.Detail)
				}
				for _, want := range f.detail {
					if !strings.Contains(report.Detail, want) {
						t.Errorf("seed %d: detail lacks %q:\n%s", seed, want, report.Detail)
					}
				}
				return
			}
			t.Error("every run passes")
		})
	}
}

// replaceIn replaces a text that a file beside a protocol has once.
func replaceIn(t *testing.T, path, file, from, to string) {
	t.Helper()
	name := filepath.Join(filepath.Dir(path), file)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte(from)); n != 1 {
		t.Fatalf("%s has %q %d times", file, from, n)
	}
	if err := os.WriteFile(name, bytes.Replace(data, []byte(from), []byte(to), 1), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestBadProtocolFile(t *testing.T) {
	for path, want := range map[string]string{
		edited(t, "cache.sm", "MessageBuffer * orderIn, network=\"From\", virtual_network=\"1\", vnet_type=\"order\";", "MessageBuffer * orderIn;"): "buffer orderIn, which neither",
		"../ruby/testdata/none.slicc":                                                                   "no such file",
		edited(t, "cache.sm", "set_tbe(TBEs[address]);", "set_tbe(1);"):                                 "cache.sm:",
		edited(t, "cache.sm", "Sequencer * sequencer;", "Sequencer * sequencer;\nDirectoryMemory * d;"): "2 with a DirectoryMemory",
	} {
		if _, err := New(Options{SLICC: path, Core: core.TSO}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
	if err := (Options{SLICC: smallProtocol, Protocol: Ideal, Core: core.TSO}).Validate(); err == nil {
		t.Error("a file and a named protocol are accepted")
	}
	if err := (Options{Repair: true, Core: core.TSO}).Validate(); err == nil {
		t.Error("a repair of nothing is accepted")
	}
}
