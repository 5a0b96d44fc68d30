package audit

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/gen"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/ruby"
)

// TestParameters requires faults that only one value of a parameter shows to be
// found, and the finding to say which value that is, and nothing else that its run
// had by chance.
func TestParameters(t *testing.T) {
	for i, c := range []struct{ parameters, shows, want string }{
		{`bool careless := "False";`, "careless", "parameter L1Cache.careless=1"},
		{"int policy := 0;", "policy == 2", "parameter L1Cache.policy=2"},
		{`bool careless := "False"; bool early := "True";`, "careless && (early == false)", "parameter L1Cache.careless=1, parameter L1Cache.early=0"},
	} {
		if i == 0 && !*soak { // the last has this one and another
			continue
		}
		path := mutant(t, "mi", "")
		file := filepath.Join(filepath.Dir(path), "MI_example-cache.sm")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		const others = `bool idle := "False"; bool unused := "True"; int kind := 1;`
		changed := strings.NewReplacer("    bool send_evictions;\n", "    bool send_evictions; "+others+c.parameters+"\n",
			"if (send_evictions) {", "if (send_evictions && ("+c.shows+") == false) {").Replace(string(text))
		if err := os.WriteFile(file, []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
		found := 0
		violation := func(f *Finding) bool { return f.Outcome == "violation" }
		r, err := Run(t.Context(), Options{Machine: config.Machine{SLICC: path}, Seed: 2, Steps: 20 * steps, Engines: []Engine{Sample}, Stop: violation})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			if f.Outcome == "violation" {
				found++
				if got := strings.Join(f.Conditions, ", "); got != c.want {
					t.Errorf("%s: conditions %s, want %s", f.Title, got, c.want)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: no violation found", c.shows)
		}
	}
}

// TestGroups requires parameters whose names differ in the last word to be set alike in some
// sets, of one machine alone and of two, with nothing else.
func TestGroups(t *testing.T) {
	p := func(role, name string, value int64) ruby.Parameter {
		return ruby.Parameter{Role: role, Name: name, Value: value}
	}
	choices := []ruby.Parameter{
		p("A", "keep_clean", 0), p("A", "fast", 1), p("A", "keep_dirty", 0), p("A", "keep_shared", 1), p("A", "slots_up", 2), p("A", "slots_down", 2), p("A", "alone_here", 1),
		p("B", "keep_clean", 1), p("B", "keep_dirty", 1),
	}
	if got, want := fmt.Sprint(groups(choices, "A")), "[[A.keep_clean=0 A.keep_dirty=0] [A.keep_shared=1]]"; got != want {
		t.Errorf("groups %s, want %s", got, want)
	}
	seen := map[string]bool{}
	for i := range parameterSets {
		seen[strings.Join(parameterSet(choices, i), " ")] = true
	}
	for _, want := range []string{"", "A.keep_clean=0 A.keep_dirty=0", "A.keep_shared=1", "B.keep_clean=1 B.keep_dirty=1", "A.keep_clean=0 A.keep_dirty=0 B.keep_clean=1 B.keep_dirty=1"} {
		if !seen[want] {
			t.Errorf("no set %q", want)
		}
	}

	wide := slices.Clone(choices)
	for i := range 60 {
		wide = append(wide, p("B", fmt.Sprint("other", i), 1))
	}
	counts := map[string]int{}
	for i := range parameterSets {
		counts[strings.Join(parameterSet(wide, i), " ")]++
	}
	if n := counts["A.keep_clean=0 A.keep_dirty=0"]; n < 20 {
		t.Errorf("%d of %d sets are one group of a machine, among %d choices", n, parameterSets, len(wide))
	}
	if n := counts["A.keep_clean=0 A.keep_dirty=0 A.keep_shared=1"]; n < 20 {
		t.Errorf("%d of %d sets are two groups of a machine, among %d choices", n, parameterSets, len(wide))
	}
}

// TestAsIn requires sets that give a machine the truth values of another one: those that
// differ, and no numbers.
func TestAsIn(t *testing.T) {
	p := func(role, name string, value int64) ruby.Parameter {
		return ruby.Parameter{Role: role, Name: name, Value: value}
	}
	choices := []ruby.Parameter{
		p("A", "exclusive", 1), p("A", "fast", 1), p("A", "keeps", 0), p("A", "slots", 2), p("A", "mine", 1), p("A", "policy", 2),
		p("B", "exclusive", 0), p("B", "fast", 1), p("B", "keeps", 1), p("B", "slots", 2), p("B", "policy", 1),
	}
	if got, want := fmt.Sprint(asIn(choices, "A", "B")), "[A.exclusive=1 A.keeps=0]"; got != want {
		t.Errorf("A as B: %s, want %s", got, want)
	}
	if got := asIn(choices, "A", "C"); len(got) > 0 {
		t.Errorf("A as a machine without parameters: %v", got)
	}
	counts := map[string]int{}
	for i := range parameterSets {
		counts[strings.Join(parameterSet(choices, i), " ")]++
	}
	for _, want := range []string{"A.exclusive=1 A.keeps=0", "B.exclusive=0 B.keeps=1"} {
		if counts[want] < 40 { // a fourteenth of the sets that have parameters, or more
			t.Errorf("%d of %d sets are %s", counts[want], parameterSets, want)
		}
	}
}

// TestStreams requires prefetches that follow misses to be drawn for a protocol with a prefetcher, and for no other, and
// a subject to go without them.
func TestStreams(t *testing.T) {
	path := mutant(t, "mi", "")
	if got := drawnStreams(t, path); got != "0" {
		t.Errorf("streams %s without a prefetcher, want 0", got)
	}
	file := filepath.Join(filepath.Dir(path), "MI_example-cache.sm")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer(
		"    bool send_evictions;\n", "    bool send_evictions;\n    MessageBuffer * prefetchQueue;\n",
		"  out_port(requests, RequestMsg, requestBuffer);\n", `  out_port(requests, RequestMsg, requestBuffer);
  out_port(prefetches, RubyRequest, prefetchQueue);
  void enqueuePrefetch(Addr address, RubyRequestType type) {
    enqueue(prefetches, RubyRequest, 1) {
      out_msg.LineAddress := address;
      out_msg.Type := type;
    }
  }
`).Replace(string(text))
	if err := os.WriteFile(file, []byte(changed), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := drawnStreams(t, path); got != "0 1 4" {
		t.Errorf("streams %s, want 0 1 4", got)
	}
	s := subject{machine: config.Machine{Streams: 4, RMW: "access"}, program: &gen.Program{}}
	list := s.features()
	if len(list) != 1 || list[0].name != needStreams {
		t.Fatalf("features %v, want %q", list, needStreams)
	}
	if list[0].remove(&s); s.machine.Streams != 0 {
		t.Errorf("%d misses are left", s.machine.Streams)
	}
}

// TestBarriers requires barriers in memory to be drawn, and a subject to go without them.
func TestBarriers(t *testing.T) {
	got := drawn(t, mutant(t, "mi", ""), func(m *config.Machine) string { return m.Barriers })
	if want := []string{"", "ends", "rounds"}; !slices.Equal(got, want) {
		t.Errorf("barriers %q, want %q", got, want)
	}
	s := subject{machine: config.Machine{Barriers: "rounds", RMW: "access"}, program: &gen.Program{}}
	list := s.features()
	if len(list) != 1 {
		t.Fatalf("features %v, want one", list)
	}
	if list[0].remove(&s); s.machine.Barriers != "" {
		t.Errorf("barriers %s are left", s.machine.Barriers)
	}
}

// drawnStreams lists what machines for a protocol may have for prefetch-streams.
func drawnStreams(t *testing.T, path string) string {
	t.Helper()
	streams := drawn(t, path, func(m *config.Machine) int { return m.Streams })
	return strings.Trim(fmt.Sprint(streams), "[]")
}

// drawn lists what machines for a protocol may have of something.
func drawn[T cmp.Ordered](t *testing.T, path string, of func(*config.Machine) T) []T {
	t.Helper()
	p, _, err := builtin.Options{SLICC: path, Core: core.InOrder}.Coherent()
	if err != nil {
		t.Fatal(err)
	}
	var zero T
	seen := map[T]bool{zero: true}
	for _, z := range sizes(p, false) {
		for i := range z.n {
			var m config.Machine
			z.set(&m, i)
			seen[of(&m)] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
