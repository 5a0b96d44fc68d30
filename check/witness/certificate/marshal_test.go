package certificate

import (
	"encoding/json"
	"testing"
)

// TestMarshal compares Marshal with json.Marshal, with no, empty and other orders, and with
// texts that look like one.
func TestMarshal(t *testing.T) {
	orders := []*Accesses{nil, {}, {{0, 0}}, {{0, 1}, {2, 30}, initial}}
	for i, first := range orders {
		for j, second := range orders {
			c := &Trace{
				Trace: `,"order":[]`, ThreadNames: []string{`"order":[]`, "<&>"},
				Verdicts: []Verdict{{Model: "sc", Reason: `","order":[]`, Order: first}, {Order: second, Closure: &Closure{}}, {Order: first}},
			}
			want, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Marshal()
			if err != nil || string(got) != string(want) {
				t.Errorf("orders %d and %d: %s, %v, want %s", i, j, got, err, want)
			}
			if c.Verdicts[0].Order != first || c.Verdicts[1].Order != second {
				t.Error("the certificate has been changed")
			}
		}
	}
}
