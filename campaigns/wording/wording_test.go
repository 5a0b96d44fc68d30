package wording

import "testing"

func TestWording(t *testing.T) {
	for got, want := range map[string]string{
		Group(0): "0", Group(999): "999", Group(1000): "1,000", Group(-100): "-100", Group(-1234567): "-1,234,567",
		Plural(1, "run"): "1 run", Plural(0, "run"): "0 runs", Plural(12345, "run"): "12,345 runs", Plural(2, "canary"): "2 canaries",
		Rate(9.96): "10.0", Rate(99.94): "99.9", Rate(100): "100", Rate(1234.5): "1,235",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
