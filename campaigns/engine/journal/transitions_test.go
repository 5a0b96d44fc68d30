package journal

import (
	"math"
	"slices"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"ordeal/campaigns/run"
	"ordeal/sim"
)

// TestLostTransitions decodes lines of a simulator that lists only what was
// taken. If one is lost, later lines that refer to it are refused.
func TestLostTransitions(t *testing.T) {
	var lines []*Entry
	written := make(transitions)
	for _, event := range []string{"Load", "Store", "Inv", "Store"} {
		e := &Entry{
			ConfigName: "a", Result: &run.Result{Covered: new(run.Covered)},
			Coverage: sim.Coverage{{Row: sim.Row{Machine: "L1", State: "I", Event: event}, Count: 1}},
		}
		written.encode(e)
		lines = append(lines, e)
	}
	for i, fresh := range []int{1, 1, 1, 0} {
		if got := lines[i].Covered.New; got != fresh {
			t.Errorf("line %d: %d new transitions, want %d", i, got, fresh)
		}
	}
	for _, tt := range []struct {
		lines []int
		fails bool
	}{{[]int{0, 1, 2, 3}, false}, {[]int{0, 2, 3}, true}, {[]int{1}, true}} {
		read := make(transitions)
		var err error
		for _, i := range tt.lines {
			line := *lines[i]
			line.Result = new(run.Result)
			if err = read.decode(&line, false); err == nil && line.Coverage[line.Known+len(line.New)-1].Machine != "L1" {
				t.Errorf("lines %v: coverage of line %d is %v", tt.lines, i, line.Coverage)
			}
		}
		if (err != nil) != tt.fails {
			t.Errorf("lines %v: %v", tt.lines, err)
		}
	}
}

func TestCounts(t *testing.T) {
	for text, want := range map[string]counts{
		"[18446744073709551615,0,7]": {math.MaxUint64, 0, 7},
		"[18446744073709551616]":     nil,
		"[1,-2]":                     nil,
		"[1,2.0]":                    nil,
		"[[1],2]":                    nil,
		`["1"]`:                      nil,
		"[]":                         nil,
		"5":                          nil,
		"null":                       nil,
	} {
		var got counts
		if err := jsonv2.Unmarshal([]byte(text), &got); (err == nil) != (want != nil) || err == nil && !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}
