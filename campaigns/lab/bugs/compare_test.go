package bugs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/audit"
)

// TestCompared requires a bug to count for a strategy if all strategies searched for it, in
// the order of times, and one that a single engine found to be named there.
func TestCompared(t *testing.T) {
	result := func(id string, status Status, cpu int) *Result {
		r := &Result{Bug: &Bug{ID: id}, Status: status}
		if status == Found {
			r.Finding = &audit.Finding{CPU: time.Duration(cpu) * time.Second}
		}
		return r
	}
	r := compared([]string{"sample", "guided", mixture}, map[string]*Report{
		"sample": {Results: []*Result{result("A", Found, 3), result("B", Found, 1), result("C", Found, 1)}},
		"guided": {Results: []*Result{result("A", Missed, 0), result("B", Found, 2), result("C", Refused, 0)}},
		mixture:  {Results: []*Result{result("A", Found, 9), result("B", Missed, 0), result("C", Found, 1)}},
	})
	c := r.Compared
	if c.Searched != 2 { // not C
		t.Errorf("%d searched, want 2", c.Searched)
	}
	got := ""
	for _, s := range c.Strategies {
		got += fmt.Sprintf("%s %v %v %v; ", s.Name, s.Found, s.Times, s.Only)
	}
	if want := "sample [B A] [1 3] [A]; guided [B] [2] []; all together [A] [9] []; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, want := range []string{"sample 2 2 0 0 2 A", "guided 1 2 0 0 1", "all together 1 2 0 0 1"} { // found, of, by 0.1, 1 and 10 s
		if text := strings.Join(strings.Fields(c.table().String()), " "); !strings.Contains(text, want) {
			t.Errorf("table %s: want %s", text, want)
		}
	}
	if n := strings.Count(string(c.Curves()), `<path class="curve `); n != 3*2*2 { // in the legend and below it, in two widths
		t.Errorf("%d curves, want 12", n)
	}
}
