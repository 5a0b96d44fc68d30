package summary

import "testing"

// TestBetter orders reproducers: a reduced one, then those that recur, then
// short ones, then the first.
func TestBetter(t *testing.T) {
	list := []Reproducer{
		{Number: 9, Operations: 900, Reduced: true}, {Number: 8, Operations: 100, Recurs: true}, {Number: 2, Operations: 200, Recurs: true},
		{Number: 7, Operations: 10}, {Number: 1, Operations: 20}, {Number: 3, Operations: 20},
	}
	for i := range list {
		for k := range list {
			if got := list[i].Better(&list[k]); got != (i < k) {
				t.Errorf("%+v better than %+v: %v", list[i], list[k], got)
			}
		}
	}
}
