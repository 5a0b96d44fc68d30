package explore

import (
	"slices"
	"strings"
	"testing"

	"ordeal/sim/explore/machine"
	"ordeal/sim/ruby"
)

// TestReplay replays the path to a deadlock, which the reference explorer finds
// as well, and sees the transitions of its steps.
func TestReplay(t *testing.T) {
	c := tiny(edited(t, "MI_example-cache.sm", "out_msg.Destination.add(in_msg.Requestor);\n        out_msg.DataBlk := cache_entry.DataBlk;",
		"out_msg.DataBlk := cache_entry.DataBlk;"), 2, 1)
	want, err := Reference(c, 1000)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(want.Findings, func(f Finding) bool { return f.Property == machine.Deadlock })
	if i < 0 {
		t.Fatal("the reference explorer finds no deadlock")
	}
	path := want.Findings[i].Path
	var rows, messages []string
	got, err := Replay(c, path,
		func(s ruby.Step) { rows = append(rows, s.State+" "+s.Event) },
		func(m ruby.Message) { messages = append(messages, m.Type()) })
	if err != nil {
		t.Fatal(err)
	}
	if got == nil || got.Title() != want.Findings[i].Title() {
		t.Errorf("%v, want %s", got, want.Findings[i].Title())
	}
	if text := strings.Join(rows, ", "); !strings.Contains(text, "M Fwd_GETX") || len(messages) == 0 {
		t.Errorf("rows %s, %d messages", text, len(messages))
	}
	if _, err := Replay(c, append(slices.Clone(path), "core 9 loads line 1"), nil, nil); err == nil ||
		!strings.Contains(err.Error(), "core 9 loads line 1") {
		t.Errorf("a step that is not possible: %v", err)
	}
}
