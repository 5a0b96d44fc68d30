package journal

import (
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

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

// TestCounts has lists of counts that are cut out of a line give what the decoder gives of the
// whole line, or stay in the line, where it refuses them.
func TestCounts(t *testing.T) {
	for text, cut := range map[string]bool{
		"[18446744073709551615,0,7]": true, "[5]": true,
		"[18446744073709551616]": false, "[1,-2]": false, "[1,2.0]": false, "[[1],2]": false, `["1"]`: false, "[]": false, "[1,]": false, "[,1]": false, "[1": false, "5": false, "null": false,
	} {
		line := []byte(`{"number":3,"title":",\"counts\":[9]","counts":` + text + `,"known":4}`)
		var want, got struct {
			Number, Known int
			Counts        []uint64
			Title         string
		}
		wrong := jsonv2.Unmarshal(line, &want, jsonv2.MatchCaseInsensitiveNames(true))
		for _, passing := range []bool{false, true} {
			c := &Cursor{passing: passing}
			rest, list := c.cut(line, `,"counts":[`, make([]uint64, 9))
			if (list != nil) != cut {
				t.Errorf("%s: cut out as %v", text, list)
			}
			got.Counts = nil
			if err := jsonv2.Unmarshal(rest, &got, jsonv2.MatchCaseInsensitiveNames(true)); (err == nil) != (wrong == nil) {
				t.Errorf("%s: %v, want %v", text, err, wrong)
			}
			if cut {
				got.Counts = list
			}
			if diff := cmp.Diff(want, got); wrong == nil && diff != "" {
				t.Errorf("%s: (-want +got)\n%s", text, diff)
			}
		}
	}
}
