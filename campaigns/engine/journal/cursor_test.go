package journal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
)

// TestCursor reads a journal in two parts, split at every line, and requires the same runs as without a split.
func TestCursor(t *testing.T) {
	w := create(t, "{name: test, configs: [{name: a, runs: 4}, {name: b, runs: 4}]}", config.Shard{})
	for number, events := range []string{"AB", "A", "BC", "D", "", "EA", "D", "F"} {
		appendAll(t, w, entry(w.Archive, number, strings.Split(events, "")...))
	}
	read := func(c *Cursor, n int) []*Entry {
		var list []*Entry
		for e, err := range w.EntriesAfter(c) {
			must.Succeed(t, err)
			if list = append(list, e); len(list) == n {
				break
			}
		}
		return list
	}
	whole := read(new(Cursor), -1)
	for n := 1; n <= len(whole); n++ {
		first := new(Cursor)
		got := read(first, n)
		lines := []int{first.Lines}
		got = slices.Concat(got, read(first, -1))
		if diff := cmp.Diff(whole, got); diff != "" {
			t.Errorf("split after %d lines (-whole +parts):\n%s", n, diff)
		}
		if diff := cmp.Diff([]int{n, len(whole)}, append(lines, first.Lines)); diff != "" {
			t.Errorf("lines before the second part and after it (-want +got):\n%s", diff)
		}
	}
}

// line is the line of an entry.
func line(t *testing.T, e *Entry) []byte {
	t.Helper()
	text, err := e.encode()
	must.Succeed(t, err)
	return text
}

// TestPassing requires that entries whose memory is shared are those of Entries,
// where a line has less than the one before, too.
func TestPassing(t *testing.T) {
	w := create(t, "{name: test, configs: [{name: a, runs: 4}, {name: b, runs: 4}]}", config.Shard{})
	for number, events := range []string{"AB", "A", "BC", "D", "", "EA", "D", "F"} {
		e := entry(w.Archive, number, strings.Split(events, "")...)
		if number%3 == 0 {
			e.Title, e.Alone = "<lost>", &run.Alone{Recurs: true}
			e.Answers = slices.Repeat([]run.Answer{{Model: "sc", Answer: "forbidden"}}, 8-number)
			e.Covered = &run.Covered{Taken: number, Total: 9}
		}
		appendAll(t, w, e)
	}
	var want []string
	for e, err := range w.Entries() {
		must.Succeed(t, err)
		want = append(want, fmt.Sprintf("%s %+v", line(t, e), e.Coverage))
	}
	var got []string
	for e, err := range w.Passing() {
		must.Succeed(t, err)
		got = append(got, fmt.Sprintf("%s %+v", line(t, e), e.Coverage))
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 8 {
		t.Errorf("%d runs (-entries +passing):\n%s", len(got), diff)
	}
}
