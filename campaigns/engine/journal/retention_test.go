package journal

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/gen"
	"ordeal/sim"
)

// TestRetention requires that the first run of each kind stays, and of what a
// user may look into all of them.
func TestRetention(t *testing.T) {
	clean := &config.Config{Name: "clean"}
	canary := &config.Config{Name: "canary", Bug: &config.Bug{By: []string{"crash"}}}
	entryOf := func(c *config.Config, outcome sim.Outcome, answer string) *Entry {
		r := &run.Result{Outcome: outcome, Answers: []run.Answer{{Model: "sc", Answer: answer}}}
		return &Entry{ConfigName: c.Name, Config: c, Result: r}
	}
	for keep, wants := range map[config.Keep][2]bool{config.KeepFindings: {true, false}, config.KeepAll: {true, true}} {
		r := NewRetention(&config.Campaign{Keep: keep, KeepPerFinding: 1})
		for _, tt := range []struct {
			name  string
			entry *Entry
			wants [2]bool // the first such run, the second one
		}{
			{"pass", entryOf(clean, sim.Passed, "allowed"), wants},
			{"pass with another answer", entryOf(clean, sim.Passed, "forbidden"), wants},
			{"undecided", entryOf(clean, sim.Passed, "unknown"), [2]bool{true, true}},
			{"failure", entryOf(clean, sim.Crash, "allowed"), wants},
			{"infrastructure", entryOf(canary, sim.Infra, ""), [2]bool{true, true}},
			{"caught", entryOf(canary, sim.Crash, ""), wants},
			{"fails otherwise", entryOf(canary, sim.Deadlock, ""), wants},
			{"canary passes", entryOf(canary, sim.Passed, "allowed"), [2]bool{wants[1], wants[1]}},
		} {
			may := r.MayKeep(tt.entry)
			if first, _ := r.Keep(tt.entry); may != tt.wants[0] || first != may {
				t.Errorf("keep=%s: %s: the first run may stay: %v, stays: %v; want %v", keep, tt.name, may, first, tt.wants[0])
			}
			if got, _ := r.Keep(tt.entry); got != tt.wants[1] {
				t.Errorf("keep=%s: %s: the second run stays: %v, want %v", keep, tt.name, got, tt.wants[1])
			}
		}
	}
}

// TestBetter orders examples: those that recur, then short ones, then the first.
func TestBetter(t *testing.T) {
	list := []Example{
		{Number: 8, Operations: 100, Recurs: true}, {Number: 2, Operations: 200, Recurs: true}, {Number: 7, Operations: 10}, {Number: 1, Operations: 20}, {Number: 3, Operations: 20},
		{Number: 0, Operations: 1, Recurs: true, Conditions: 1}, {Number: 0, Operations: 1, Recurs: true, Conditions: 2},
	}
	for i := range list {
		for k := range list {
			if got := list[i].Better(&list[k]); got != (i < k) {
				t.Errorf("%+v better than %+v: %v", list[i], list[k], got)
			}
		}
	}
}

// TestRetentionOfFindings has a finding of configurations whose programs have
// different sizes: half of the limit are its first runs, others the first of other
// configurations, and one is the best example.
func TestRetentionOfFindings(t *testing.T) {
	for _, tt := range []struct {
		limit int
		// Of each run the name of the configuration, the operations of its program,
		// and + if it recurs alone.
		runs string
		// Of each run whether it stays: + or -, or the number of the run that it
		// replaces.
		want string
	}{
		{1, "a9 a8 b1+", "+ - -"},
		{2, "a9 a9 b9 b8 c8 c7 b8 c7+ c7+", "+ - - + - 3 - 5 -"},
		{4, "a9 a9 a9 b9 b8 c7 a9", "+ + - + + 4 -"},
		// The best is among the first ones: a better one replaces none.
		{4, "a9 a1 a8 b8 c7+ c6+", "+ + - + + 4"},
		{5, "a9 b8 c7 d6 e5 f6", "+ + + + 3 -"},
	} {
		r := NewRetention(&config.Campaign{Keep: config.KeepFindings, KeepPerFinding: tt.limit})
		var got []string
		stay := make(map[int]bool)
		for number, word := range strings.Fields(tt.runs) {
			e := failed(number, word)
			may := r.MayKeep(e)
			keep, replaces := r.Keep(e)
			if may != keep {
				t.Errorf("limit %d: run %d may stay: %v, stays: %v", tt.limit, number, may, keep)
			}
			switch {
			case replaces != nil:
				got = append(got, strconv.Itoa(*replaces))
				delete(stay, *replaces)
			case keep:
				got = append(got, "+")
			default:
				got = append(got, "-")
			}
			if keep {
				stay[number] = true
			}
			if len(stay) > tt.limit {
				t.Errorf("limit %d: %v stay after %q", tt.limit, stay, got)
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", tt.limit, diff)
		}
	}
	r := NewRetention(&config.Campaign{Keep: config.KeepFindings, KeepPerFinding: 1})
	r.Keep(failed(0, "a9"))
	other := failed(1, "a9")
	other.Title = "other"
	if keep, _ := r.Keep(other); !keep {
		t.Error("the first run of another finding does not stay")
	}
}

// failed is a failed run of a configuration, described as in
// TestRetentionOfFindings.
func failed(number int, word string) *Entry {
	c := &config.Config{Name: word[:1], Programs: config.Programs{Options: gen.Options{Threads: 1, Ops: int(word[1] - '0')}, Rounds: 1}}
	e := &Entry{Number: number, ConfigName: c.Name, Config: c, Result: &run.Result{Outcome: sim.Crash, Title: "t"}}
	if word[2:] == "+" {
		e.Alone = &run.Alone{Recurs: true}
	}
	return e
}

// TestMayReplace has campaigns whose findings have examples of one worth, or of
// several.
func TestMayReplace(t *testing.T) {
	for text, want := range map[string]bool{
		"{name: a, runs: 1, ops: 5}, {name: b, runs: 1, ops: 5}":                       false,
		"{name: a, runs: 1, ops: 5}, {name: b, runs: 1, ops: 6}":                       true,
		"{name: a, runs: 1, ops: 5, protocol: mi}, {name: b, runs: 1, ops: 6}":         false, // another system
		"{name: a, runs: 1, ops: 5, protocol: mi}, {name: b, runs: 1, protocol: mi}":   true,
		"{name: a, runs: 8, sim: gem5, gem5: /x, gem5-tree: /y, batch: 4}":             true,
		"{name: a, runs: 8, sim: gem5, gem5: /x, gem5-tree: /y, batch: 1, rounds: 10}": false,
	} {
		c := parse(t, "{name: test, sim: builtin, configs: ["+text+"]}")
		if got := mayReplace(c); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		if c.KeepPerFinding = 1; mayReplace(c) {
			t.Errorf("%s: the only directory of a finding is replaced", text)
		}
	}
}

// TestRetentionOfParts requires that the parts of a campaign keep all that the
// whole keeps at its end, and that a campaign that goes on after a kill decides as
// before, knowing only the runs that stayed until then.
func TestRetentionOfParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 0))
	for range 2000 {
		c := &config.Campaign{Keep: config.KeepFindings, KeepPerFinding: 1 + rng.IntN(6)}
		runs := make([]*Entry, 1+rng.IntN(12))
		for n := range runs {
			runs[n] = failed(n, fmt.Sprintf("%c%d%s", 'a'+rng.IntN(4), 1+rng.IntN(4), []string{"", "", "+"}[rng.IntN(3)]))
		}
		whole, first, second, resumed := NewRetention(c), NewRetention(c), NewRetention(c), NewRetention(c)
		stay, partsStay := make(map[int]bool), make(map[int]bool)
		killed := rng.IntN(len(runs))
		keep := func(r *Retention, stay map[int]bool, e *Entry) (bool, *int) {
			kept, replaces := r.Keep(e)
			if stay[e.Number] = kept; replaces != nil {
				stay[*replaces] = false
			}
			return kept, replaces
		}
		for n, e := range runs {
			keep([]*Retention{first, second}[n%2], partsStay, e)
			if n == killed {
				for before := range n {
					if stay[before] {
						resumed.Keep(runs[before])
					}
				}
			}
			kept, replaces := keep(whole, stay, e)
			if n >= killed {
				if again, other := resumed.Keep(e); again != kept || !cmp.Equal(other, replaces) {
					t.Fatalf("run %d stays: %v, after a kill before run %d: %v", n, kept, killed, again)
				}
			}
		}
		merged, mergedStay := NewRetention(c), make(map[int]bool)
		for n, e := range runs {
			if partsStay[n] {
				keep(merged, mergedStay, e)
			}
		}
		for n := range runs {
			if stay[n] != mergedStay[n] {
				t.Fatalf("limit %d: run %d of %d stays: %v, in merged parts: %v", c.KeepPerFinding, n, len(runs), stay[n], mergedStay[n])
			}
		}
	}
}
