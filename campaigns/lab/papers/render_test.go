package papers

import "testing"

func TestTimes(t *testing.T) {
	for s, want := range map[Seconds]string{
		{}:                                        "–",
		{Mean: 1.5e-6, Histories: 1, Of: 1}:       "1.50 µs",
		{Mean: 0.99949e-3, Histories: 1, Of: 1}:   "999 µs",
		{Mean: 0.9996e-3, Histories: 1, Of: 1}:    "1.00 ms",
		{Mean: 0.0123, Histories: 2, Of: 4}:       "12.3 ms (2)",
		{Mean: 123.4, Histories: 1, Of: 1}:        "123 s",
		{Mean: 3, Histories: 2, Of: 2, GaveUp: 1}: "≥ 3.00 s",
	} {
		if got := s.String(); got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", 9.994: "9.99", 9.996: "10.0", 99.96: "100"} {
		if got := significant(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	table := Table{Title: "T", Columns: []Column{{Name: "x"}, {Name: "share", Unit: "%", Digits: 1}}, Rows: [][]any{{100, 2.25}, {"all", nil}}, Note: "N"}
	want := "T\nx    share (%)\n──────────────\n100        2.2\nall\nN\n"
	if got := table.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
