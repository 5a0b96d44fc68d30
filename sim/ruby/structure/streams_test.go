package structure

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// TestStreams gives prefetchers the misses ("m12") and the uses ("u13") of lines by number, from
// a page's first line on, and compares what they ask for. The requests are derived by hand from
// RubyPrefetcher.cc of gem5 v24.0.0.1, whose lines the cases name.
func TestStreams(t *testing.T) {
	const page = 64 // lines
	type access struct {
		use  bool
		line int
	}
	misses := func(lines ...int) (list []access) {
		for _, l := range lines {
			list = append(list, access{line: l})
		}
		return list
	}
	uses := func(lines ...int) (list []access) {
		for _, l := range lines {
			list = append(list, access{use: true, line: l})
		}
		return list
	}
	for _, tc := range []struct {
		name  string
		train int
		list  []access
		want  []int
	}{
		{"the fifth miss of a sequence begins a stream (:276)", 4, misses(0, 1, 2, 3, 4), []int{5}},
		{"the fourth does not", 4, misses(0, 1, 2, 3), nil},
		{"each use goes on by a line (:184)", 4, append(misses(0, 1, 2, 3, 4), uses(5, 6)...), []int{5, 6, 7}},
		{"a use of another line does nothing (:161)", 4, append(misses(0, 1, 2, 3, 4), uses(4, 6)...), []int{5}},
		{"a miss of what was asked for is in no sequence (:98)", 1, misses(0, 1, 2, 3), []int{2}},
		{"downwards (:125)", 2, misses(9, 8, 7), []int{6}},
		{"a stride of three lines: two misses for it, and more hits than are trained (:311)", 2, misses(0, 3, 6, 9, 12), []int{15}},
		{"a stride back", 1, misses(40, 30, 20, 10), []int{0}},
		{"a stride that changes is forgotten (:326)", 1, misses(0, 3, 6, 10, 13), nil},
		{"a stream does not leave its page (:231)", 1, misses(page-2, page-1), nil},
		{"nor go on beyond it (:172)", 1, append(misses(page-3, page-2), uses(page-1, page-1)...), []int{page - 1}},
		{"eight sequences are watched (RubyPrefetcher.py)", 1, misses(0, 200, 300, 400, 500, 600, 700, 800, 900, 1), nil},
		{"seven others do not matter", 1, misses(0, 200, 300, 400, 500, 600, 700, 800, 1), []int{2}},
		{"of four streams the one used longest ago ends (:200)", 1, append(misses(0, 1, 100, 101, 200, 201, 300, 301), append(uses(2), append(misses(400, 401), uses(102, 3)...)...)...), []int{2, 102, 202, 302, 3, 402, 4}},
	} {
		var got []int
		s := NewStreams(tc.train, func(line memory.Addr, kind uint64) {
			if kind != 7 {
				t.Errorf("%s: a prefetch of kind %d, want that of the miss", tc.name, kind)
			}
			got = append(got, int(line/64))
		})
		for i, a := range tc.list {
			line, now := memory.Addr(64*a.line), event.Tick(i)
			if a.use {
				s.Use(line, now)
			} else {
				s.Miss(line, 7, now)
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: lines differ (-want +got):\n%s", tc.name, diff)
		}
	}
}
