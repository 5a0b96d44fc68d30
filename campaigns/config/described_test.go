package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/ruby/description"
)

// builtinWith is what a machine with a description of MI, or of another embedded protocol, is refused for.
func builtinWith(t *testing.T, protocol, text string, cores int) error {
	t.Helper()
	file := filepath.Join(t.TempDir(), "m.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := (&Machine{Protocol: protocol, MachineFile: file, Cores: cores}).Builtin()
	if err == nil {
		_, _, err = o.Coherent()
	}
	return err
}

// TestContradictions has each contradiction of a description refused, with the file and the line.
func TestContradictions(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		line int
		want string
	}{
		"unknown machine":      {"machines:\n- {name: L7Cache, count: 1}", 2, "no machine L7Cache"},
		"unknown key":          {"machines:\n- {name: L1Cache, number: 1}", 2, `unknown key "number"`},
		"unknown key of all":   {"machine:\n- {name: L1Cache}", 1, `unknown key "machine"`},
		"no name":              {"machines:\n- {count: 1}", 2, "no machine"},
		"duplicate key":        {"machines:\n- name: L1Cache\n  count: 2\n  count: 3", 4, "count"},
		"twice":                {"machines:\n- {name: Directory, count: 1}\n- {name: Directory, count: 1}", 3, "described twice"},
		"unknown parameter":    {"machines:\n- name: L1Cache\n  instances:\n  - {parameters: [data_latency=2]}\n  - {parameters: [sise=2]}", 5, "no parameter sise"},
		"parameter as text":    {"machines:\n- {name: L1Cache, parameters: [data_latency=slow]}", 2, "neither true nor false"},
		"negative parameter":   {"machines:\n- {name: L1Cache, parameters: [data_latency=-1]}", 2, "at least 0"},
		"truth value":          {"machines:\n- {name: L1Cache, parameters: [send_evictions=7]}", 2, "true or false"},
		"parameters as map":    {"machines:\n- name: L1Cache\n  parameters: {data_latency: 2}", 3, "want a list"},
		"count 0":              {"machines:\n- {name: Directory, count: 0}", 0, "no controller of machine Directory"},
		"count as text":        {"machines:\n- {name: Directory, count: two}", 2, "not a whole number"},
		"fraction":             {"machines:\n- {name: Directory, count: 1.5}", 2, "not a whole number"},
		"negative count":       {"machines:\n- {name: Directory, count: -1}", 2, "0 to 64"},
		"large count":          {"machines:\n- {name: Directory, count: 100000000}", 2, "0 to 64"},
		"count and instances":  {"machines:\n- name: L1Cache\n  count: 3\n  instances: [{}, {}]", 2, "as many as its count"},
		"machines as map":      {"machines:\n  L1Cache: 2", 2, "want a list"},
		"core at two":          {"machines:\n- name: L1Cache\n  instances:\n  - {cores: [0]}\n  - {cores: [0]}", 5, "two controllers"},
		"core without one":     {"machines:\n- name: L1Cache\n  instances:\n  - {cores: [0]}\n  - {cores: [2]}", 5, "no controller"},
		"too many at one":      {"machines:\n- name: L1Cache\n  instances:\n  - {cores: [0, 1]}", 4, "1 sequencers"},
		"core of a directory":  {"machines:\n- name: Directory\n  instances:\n  - {cores: [0]}", 4, "0 sequencers"},
		"two owners":           {"machines:\n- name: Directory\n  instances:\n  - {ranges: ['0:0x80000000']}\n  - {ranges: ['0x400000:0x80000000']}", 2, "2 owners"},
		"range gap":            {"machines:\n- name: Directory\n  instances:\n  - {ranges: ['0:0x110000']}\n  - {ranges: ['0x120000:0x80000000']}", 2, "no range"},
		"some ranges":          {"machines:\n- name: Directory\n  instances:\n  - {ranges: ['0:0x80000000']}\n  - {}", 2, "others have none"},
		"range as text":        {"machines:\n- name: Directory\n  instances:\n  - {ranges: [all]}", 4, "want START:END"},
		"unknown cache":        {"machines:\n- {name: L1Cache, caches: [L9cache=2x2]}", 2, "no cache"},
		"huge cache":           {"machines:\n- {name: L1Cache, caches: [cacheMemory=1073741824x64]}", 2, "lines"},
		"cluster":              {"machines:\n- name: L1Cache\n  instances:\n  - {cluster: 64}", 4, "0 to 63"},
		"virtual network":      {"networks:\n- {number: 40, ordered: false}", 2, "virtual network 40"},
		"network twice":        {"networks:\n- {number: 1, latency: 3}\n- {number: 1, latency: 4}", 3, "each once"},
		"jitter alone":         {"networks:\n- {number: 1, jitter: 3}", 2, "no latency"},
		"latency":              {"networks:\n- {number: 1, latency: 99999999}", 2, "1048576"},
		"ordered":              {"networks:\n- {number: 1, ordered: 3}", 2, "ordered"},
		"two documents":        {"machines: []\n---\nmachines: []", 0, "document"},
		"an include":           {"include: other.yaml", 1, "includes no files"},
		"a list":               {"- 1", 0, ""},
		"tabs":                 {"machines:\n\t- x", 2, ""},
		"a bomb":               {"a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f]", 0, ""},
		"gem5 without Ruby":    {`{"type": "Root", "path": "root"}`, 1, "no Ruby"},
		"gem5, other lines":    {`{"type": "Root", "r": {"type": "RubySystem", "block_size_bytes": 128}}`, 1, "block_size_bytes is 128"},
		"gem5, other protocol": {`{"type": "Root", "r": {"type": "L7_Controller", "path": "x", "version": 0}}`, 1, "no machine L7"},
		"gem5, twice":          {`{"type": "Root", "r": {"type": "L1Cache_Controller", "version": 0}, "q": {"type": "L1Cache_Controller", "version": 0}}`, 1, "each once"},
		"gem5, part":           {`{"type": "Root", "r": {"type": "L1Cache_Controller", "version": 0}}`, 0, "no controller of machine Directory"},
		"gem5, cut":            {`{"type": "Root", "r": {"type": `, 1, ""},
	} {
		err := builtinWith(t, "mi", c.text, 0)
		place := "m.yaml"
		if c.line > 0 {
			place = fmt.Sprintf("m.yaml:%d", c.line)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v\nwant %q at %s", name, err, c.want, place)
		}
	}
	two := "machines:\n- {name: L1Cache, count: 2}"
	if err := builtinWith(t, "mi", two, 3); err == nil || !strings.Contains(err.Error(), "3 cores: the machine has sequencers for 2") {
		t.Errorf("three cores on two: %v", err)
	}
	if err := builtinWith(t, "ideal", two, 0); err == nil {
		t.Error("memory without a protocol has a description")
	}
	for _, text := range []string{"", "# nothing\n", "{}", "machines: []", two, "machines:\n- {name: L1Cache, caches: [cacheMemory=4x4], parameters: [data_latency=3]}\nnetworks:\n- {number: 2, ordered: false, latency: 3, jitter: 9}",
		"machines:\n- name: Directory\n  instances:\n  - {ranges: ['0:0x80000000:0:64']}\n  - {ranges: ['0:0x80000000:1:64']}"} {
		if err := builtinWith(t, "mi", text, 0); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// gem5Config is the part that counts of what gem5 writes of two L1s and a directory, each somewhere
// else in the tree: the classes of v24, or with a prefix those of v25.
func gem5Config(prefix string) string {
	l1 := func(n, core int) string {
		return fmt.Sprintf(`{"type": "%sL1Cache_Controller", "path": "system.ruby.c%d", "version": %d, "cluster_id": 0, "issue_latency": %d, "send_evictions": true, "power_state": "x",
"addr_ranges": ["0:18446744073709551615"], "cacheMemory": {"type": "RubyCache", "path": "c%d", "size": 1024, "assoc": 2, "start_index_bit": 6},
"sequencer": {"type": "RubySequencer", "path": "s%d", "version": %d}}`, prefix, n, n, 2+n, n, n, core)
	}
	return fmt.Sprintf(`{"type": "Root", "path": "root", "board": {"cpu": [%s, %s]}, "system": {"ruby": {"type": "RubySystem", "block_size_bytes": 64,
"anything": {"type": "%sDirectory_Controller", "path": "d", "version": 0, "addr_ranges": ["2147483648:4294967296"]}}}}`, l1(1, 0), l1(0, 1), prefix)
}

// TestGem5 reads controllers by their class, wherever they are: cores by the versions of sequencers,
// caches in bytes, memory that does not begin at 0.
func TestGem5(t *testing.T) {
	for _, prefix := range []string{"", "MI_example_"} {
		s, err := ReadMachine("config.json", []byte(gem5Config(prefix)))
		if err != nil {
			t.Fatal(err)
		}
		one := func(n, core int) description.Instance {
			return description.Instance{
				Parameters: []string{fmt.Sprintf("version=%d", n), "cluster_id=0", fmt.Sprintf("issue_latency=%d", 2+n), "send_evictions=true"},
				Caches:     []string{"cacheMemory=8x2"}, Cores: []int{core}, At: fmt.Sprintf("config.json:%d", 1+2*(1-n)),
			}
		}
		want := description.System{File: "config.json", Gem5: true, Machines: []description.Machine{
			{Name: prefix + "L1Cache", At: "config.json:3", Instances: []description.Instance{one(0, 1), one(1, 0)}},
			{Name: prefix + "Directory", At: "config.json:6", Instances: []description.Instance{{
				Parameters: []string{"version=0"}, Cores: []int{}, Ranges: []string{"0:2147483648"}, At: "config.json:6",
			}}},
		}}
		if !reflect.DeepEqual(*s, want) {
			t.Errorf("got  %+v\nwant %+v", *s, want)
		}
		if err := builtinWith(t, "mi", gem5Config(prefix), 0); err != nil {
			t.Error(err)
		}
	}
}

// TestDescribedRecord has a record keep what a file said.
func TestDescribedRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.yaml")
	if err := os.WriteFile(file, []byte("machines:\n- name: L1Cache\n  instances:\n  - {cores: []}\n  - {}"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := Machine{Protocol: "mi", MachineFile: file}
	before, err := m.Builtin()
	if err != nil || os.Remove(file) != nil {
		t.Fatal(err)
	}
	after, err := m.Builtin()
	if err != nil || !reflect.DeepEqual(before.Machine, after.Machine) {
		t.Errorf("%v: %+v became %+v", err, before.Machine, after.Machine)
	}
}

// TestDescribedRuns runs the same program on machines with and without a description: an empty one
// changes nothing, and cores in another order, ranges and an unordered network keep the values right.
func TestDescribedRuns(t *testing.T) {
	program, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations x y z\nthread 0\nstore x 1\nload y\nstore z 2\nthread 1\nstore y 3\nload x\nexchange z 4\n"))
	if err != nil {
		t.Fatal(err)
	}
	logs := map[string]string{}
	for _, text := range []string{"none", "{}", "machines:\n- name: L1Cache\n  instances: [{cores: [1], caches: [cacheMemory=1x1]}, {cores: [0]}]\n- name: Directory\n  instances: [{ranges: ['0:0x80000000:0:64']}, {ranges: ['0:0x80000000:1:64']}]\nnetworks: [{number: 2, latency: 90, jitter: 9}]"} {
		m := Machine{Protocol: "mi"}
		if text != "none" {
			m.MachineFile = filepath.Join(t.TempDir(), "m.yaml")
			if err := os.WriteFile(m.MachineFile, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		o, err := m.Builtin()
		if err != nil {
			t.Fatal(err)
		}
		on, err := builtin.New(o)
		if err != nil {
			t.Fatal(err)
		}
		res, err := on.Run(t.Context(), sim.Job{Program: program, Rounds: 20, Seed: 3})
		if err != nil || res.Outcome != sim.Passed {
			t.Fatalf("%s: %s %s, %v", text, res.Outcome, res.Detail, err)
		}
		logs[text] = res.Detail
	}
	if logs["{}"] != logs["none"] || len(logs) != 3 {
		t.Errorf("%q", logs)
	}
	for text, log := range logs {
		if len(text) > 4 && log == logs["none"] {
			t.Error("the description changes nothing")
		}
	}
}

func FuzzReadMachine(f *testing.F) {
	f.Add("machines:\n- name: L1Cache\n  instances:\n  - {cores: [1], ranges: ['0:64:1:64']}\nnetworks:\n- {number: 1, ordered: true}")
	f.Add(gem5Config(""))
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ReadMachine("m", []byte(text))
		if err != nil {
			return
		}
		written, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		o, err := (&Machine{Protocol: "mi", MachineFile: string(written)}).Builtin()
		if err == nil {
			_, _, _ = o.Coherent() // it may contradict the protocol
		}
	})
}
