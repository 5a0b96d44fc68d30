package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns"
	"ordeal/campaigns/internal/must"
	"ordeal/gen"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/protocols"
)

func TestParseQuick(t *testing.T) {
	c, err := Load("../quick.yaml", []string{"seed=7", "configs.*.runs=3", "configs.shapes.runs=1", "configs.1.mix=load=1,store=1"})
	must.Succeed(t, err)
	if c.Name != "quick" || c.Seed != 7 {
		t.Errorf("name %q, seed %d, want quick, 7", c.Name, c.Seed)
	}
	if got, want := c.Runs(), 1+3*(len(c.Configs)-1); got != want {
		t.Errorf("%d runs of %d configurations, want %d", got, len(c.Configs), want)
	}
	if got := c.Configs[1].Mix.String(); got != "load=1,store=1" {
		t.Errorf("mix of configuration 1 is %q", got)
	}
	if c.Configs[1].Expect != "tso" || c.Timeout != Duration(time.Minute) {
		t.Errorf("defaults are not filled in: %+v", c)
	}
}

func TestParseFaults(t *testing.T) {
	const good = "name: a\nconfigs:\n  - name: b\n"
	for _, tt := range []struct {
		name, text string
		sets       []string
		want       string
	}{
		{"empty", "", nil, "f.yaml: the campaign file is empty"},
		{"scalar", "hello", nil, "f.yaml:1: a campaign file is a mapping"},
		{"syntax", "name: [", nil, "f.yaml:1: did not find"},
		{"two documents", good + "---\n" + good, nil, "more than one YAML document"},
		{"unknown key", good + "sede: 1\n", nil, `f.yaml:4: unknown key "sede" (did you mean "seed"?)`},
		{"unknown config key", good + "    treads: 1\n", nil, `f.yaml:4: unknown key "treads" (did you mean "threads"?)`},
		{"wild key", good + "    zzz: 1\n", nil, `f.yaml:4: unknown key "zzz" (ordeal campaign schema lists`},
		{"wild key above", good + "zzz: 1\n", nil, `f.yaml:4: unknown key "zzz" (known: any-latency, audit, budget, `},
		{"wrong type", good + "    threads: many\n", nil, "f.yaml:4: threads: many is not a whole number"},
		{"a fraction", good + "    threads: 2.5\n", nil, "f.yaml:4: threads: 2.5 is not a whole number"},
		{"a large number", good + "    threads: 99999999999999999999\n", nil, "f.yaml:4: threads: 99999999999999999999 is not a whole number"},
		{"a word for a switch", good + "    repair: perhaps\n", nil, "f.yaml:4: repair: cannot use str `perhaps` as bool"},
		{"a value of ours", good + "    mix: [load]\n", nil, "f.yaml:4: mix: want one value"},
		{"wrong unit", good + "budget: 5\n", nil, `f.yaml:4: budget: "5" is not a duration: want as 90s, 1m30s or 8h`},
		{"no list", good + "    classify: sc\n", nil, "f.yaml:4: classify: want a list"},
		{"no mapping", good + "stop: 1\n", nil, "f.yaml:4: stop: want a mapping"},
		{"nothing listed", good + "  -\n", nil, "f.yaml:4: configs: want a mapping"},
		{"nothing in a list", good + "    classify: [~]\n", nil, "f.yaml:4: classify: want one value"},
		{"zero threads", good + "    threads: 0\n", nil, "f.yaml:4: threads: 0: want 1 to 64"},
		{"zero runs", good + "    runs: 0\n", nil, "f.yaml:4: runs: 0: want 1 to 10000000"},
		{"duplicate key", good + "    runs: 1\n    runs: 1\n", nil, "f.yaml:5:"},
		{"bad model", good + "    expect: tos\n", nil, `f.yaml:4: expect: unknown value "tos"`},
		{"expected twice", good + "    classify: [sc, tso]\n", nil, `f.yaml:4: classify: "tso" is the expected model already`},
		{"bad layout", good + "    layout: loose\n", nil, "f.yaml:4: layout:"},
		{"bad sync", good + "    sync: never\n", nil, `f.yaml:4: sync: unknown value "never"`},
		{"bad mix", good + "    mix: load=x\n", nil, `f.yaml:4: mix: "load=x"`},
		{"no configs", "name: a\n", nil, "f.yaml:1: configs: no configuration"},
		{"same name twice", good + "  - name: b\n", nil, `f.yaml:4: name: "b" names two configurations`},
		{"bad duration", good + "timeout: -1s\n", nil, "f.yaml:4: timeout: -1s: want at least 0"},
		{"bad keep", good + "keep: some\n", nil, `f.yaml:4: keep: unknown value "some"`},
		{"set without value", good, []string{"seed"}, "--set seed: want KEY=VALUE"},
		{"set unknown", good, []string{"sede=1"}, `--set sede=1: unknown key "sede"`},
		{"set nowhere", good, []string{"configs.c.runs=1"}, `--set configs.c.runs=1: nothing is called "c" here`},
		{"set zero", good, []string{"configs.b.threads=0"}, "--set configs.b.threads=0: threads: 0: want 1 to 64"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("f.yaml", []byte(tt.text), tt.sets)
			if err == nil {
				t.Fatalf("accepted; want an error with %q", tt.want)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is\n%v\nwant %q in it", err, tt.want)
			}
		})
	}
}

// TestParseNothing wants a key without a value to have its default.
func TestParseNothing(t *testing.T) {
	c, err := Parse("f.yaml", []byte("name: a\nkeep:\nconfigs:\n  - {name: b, runs: ~, classify: null, threads: }\n"), nil)
	must.Succeed(t, err)
	want := DefaultConfig()
	want.Name = "b"
	if d := cmp.Diff(want, c.Configs[0]); d != "" || c.Keep != KeepFindings {
		t.Errorf("keep %q, and (-default +read):\n%s", c.Keep, d)
	}
}

// All faults are reported, not just the first.
func TestParseAllFaults(t *testing.T) {
	_, err := Parse("f.yaml", []byte("name: A B\nkeep: x\nconfigs:\n  - name: b\n    runs: -1\n    ops: 0\n"), nil)
	for _, want := range []string{"f.yaml:1: name:", "f.yaml:2: keep:", "f.yaml:5: runs:", "f.yaml:6: ops:"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is\n%v\nwant %q in it", err, want)
		}
	}
}

// TestParseMany refuses more configurations than a campaign may have before they are decoded, however
// they came to be in its list.
func TestParseMany(t *testing.T) {
	list := func(prefix string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "  - {name: %s%d, runs: 1}\n", prefix, i)
		}
		return b.String()
	}
	dir := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "base.yaml"), []byte("configs:\n"+list("a", 600)), 0o600))
	for _, c := range []struct{ what, text, count string }{
		{"1 MB", "configs:\n" + list("b", 10_000), "10000"},
		{"one more", "configs:\n" + list("b", 1001), "1001"},
		{"an alias", "x: &a\n" + list("b", 1001) + "configs: *a\n", "1001"},
		{"an included file", "include: base.yaml\nconfigs:\n" + list("b", 600), "1200"},
		{"as many as there may be", "name: f\nconfigs:\n" + list("b", 1000), ""},
	} {
		name := filepath.Join(dir, "f.yaml")
		must.Succeed(t, os.WriteFile(name, []byte(c.text), 0o600))
		if _, err := Load(name, nil); c.count == "" {
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
		} else if want := name + ": configs: " + c.count + " configurations, more than 1000"; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", c.what, err, want)
		}
	}
}

// TestParseEmbedded wants ten million operations of each protocol with each
// kind of core, evaluated by what the core promises.
func TestParseEmbedded(t *testing.T) {
	data, err := campaigns.Files.ReadFile("embedded.yaml")
	must.Succeed(t, err)
	c, err := Parse("embedded.yaml", data, nil)
	must.Succeed(t, err)
	machines := map[string]bool{}
	for i := range c.Configs {
		cfg := &c.Configs[i]
		machines[cfg.Protocol+" "+cfg.Core] = true
		if n := cfg.Runs * cfg.Threads * cfg.Ops * cfg.Rounds; n < 10_000_000 || cfg.Expect != cfg.Promise() {
			t.Errorf("%s: %d operations, expected to be %s", cfg.Name, n, cfg.Expect)
		}
	}
	kinds := slices.DeleteFunc(core.Kinds(), func(k core.Kind) bool {
		return k.Runs(gen.AArch64) || k.Runs(gen.RISCV64) // isa.yaml has them
	})
	if want := len(protocols.Names()) * len(kinds); len(machines) != want {
		t.Errorf("%d machines, want %d", len(machines), want)
	}
}

// TestWrittenZeros refuses a 0 that would be taken for the default, and takes it for none where that is possible.
func TestWrittenZeros(t *testing.T) {
	file := func(keys string) []byte {
		return []byte("name: z\nsim: builtin\nconfigs: [{name: a, protocol: mi, runs: 1, " + keys + "}]\n")
	}
	for _, keys := range []string{"memory-latency: 0", "latency: 0", "tbes: 0", "dirs: 0", "window: 0", "step-budget: 0", "jitter: 0"} {
		if _, err := Parse("f.yaml", file(keys), nil); err == nil {
			t.Errorf("%s is accepted", keys)
		}
	}
	c, err := Parse("f.yaml", file("latency-seeds: 0, latency: 6, jitter: 0, lock-hold: 0"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if o, err := c.Configs[0].Builtin(); err != nil || o.LatencySeeds != -1 || o.Latency != (event.Latency{Base: 6}) {
		t.Errorf("%+v, %v: want no seeds and no jitter", c, err)
	}
}
