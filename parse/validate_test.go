package parse_test

import (
	"strings"
	"testing"

	"ordeal/parse"
)

// sound is a history in which every field is used: thread 0 stores 1 to x,
// fences and reads y; thread 1 reads x and exchanges y after that.
func sound() *parse.History {
	return &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, Loc: 0, RF: parse.NoOp, Write: 1},
			{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp},
			{Kind: parse.Read, Loc: 1, RF: parse.Init},
			{Kind: parse.Read, Loc: 0, RF: 0, Read: 1},
			{Kind: parse.RMW, Loc: 1, RF: parse.Init, Write: 2},
		},
		Start: []parse.OpID{0, 3, 5}, ThreadNames: []string{"0", "1"}, Locations: []string{"x", "y"},
		Final:      []parse.OpID{0, parse.NoOp},
		StoreOrder: [][]parse.OpID{{0}, {4}},
		Deps:       []parse.Dep{{From: 3, To: 4}},
	}
}

// TestValidate breaks a sound history in one way at a time.
func TestValidate(t *testing.T) {
	if err := sound().Validate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want    string
		corrupt func(h *parse.History)
	}{
		{"no Start", func(h *parse.History) { h.Start = nil }},
		{"thread 0: starts at operation 1", func(h *parse.History) { h.Start[0] = 1 }},
		{"thread 1: starts at operation 6 and ends at 5", func(h *parse.History) { h.Start[1] = 6 }},
		{"threads end at operation 4 of 5", func(h *parse.History) { h.Start[2] = 4 }},
		{"names 1 threads of 2", func(h *parse.History) { h.ThreadNames = h.ThreadNames[:1] }},
		{"thread 1 operation 0: unknown kind 9", func(h *parse.History) { h.Ops[3].Kind = 9 }},
		{"thread 0 operation 1: fence with mask 0x10", func(h *parse.History) { h.Ops[1].Mask = 16 }},
		{"thread 0 operation 1: fence with location 0", func(h *parse.History) { h.Ops[1].Loc = 0 }},
		{"thread 0 operation 1: fence with a reads-from", func(h *parse.History) { h.Ops[1].RF = parse.Init }},
		{"thread 0 operation 0: access with fence mask", func(h *parse.History) { h.Ops[0].Mask = parse.LoadLoad }},
		{"thread 0 operation 2: location 2 of 2", func(h *parse.History) { h.Ops[2].Loc = 2 }},
		{"thread 0 operation 2: location -1 of 2", func(h *parse.History) { h.Ops[2].Loc = -1 }},
		{"thread 1 operation 1: writes 0", func(h *parse.History) { h.Ops[4].Write = 0 }},
		{"thread 0 operation 0: write with a reads-from", func(h *parse.History) { h.Ops[0].RF = parse.Init }},
		{"thread 0 operation 2: reads 5 from y, but from the initial write", func(h *parse.History) { h.Ops[2].Read = 5 }},
		{"thread 1 operation 0: reads from operation 5 (out of range)", func(h *parse.History) { h.Ops[3].RF = 5 }},
		{"thread 1 operation 0: reads from operation -2 (out of range)", func(h *parse.History) { h.Ops[3].RF = parse.NoOp }},
		{"thread 1 operation 1: reads from itself", func(h *parse.History) { h.Ops[4].RF, h.Ops[4].Read = 4, 2 }},
		{"thread 1 operation 0: reads from thread 0 operation 2, which does not write", func(h *parse.History) { h.Ops[3].RF = 2 }},
		{"thread 1 operation 0: reads x from thread 1 operation 1, which writes another location", func(h *parse.History) { h.Ops[3].RF = 4 }},
		{"reads 7 from x, but from thread 0 operation 0, which writes 1", func(h *parse.History) { h.Ops[3].Read = 7 }},
		{"final values of 1 locations of 2", func(h *parse.History) { h.Final = h.Final[:1] }},
		{"final value of x: thread 1 operation 1 does not write it", func(h *parse.History) { h.Final[0] = 4 }},
		{"store order of 1 locations of 2", func(h *parse.History) { h.StoreOrder = h.StoreOrder[:1] }},
		{"store order of x: thread 1 operation 1 does not write it", func(h *parse.History) { h.StoreOrder[0][0] = 4 }},
		{"store order of y: thread 1 operation 1 is missing", func(h *parse.History) { h.StoreOrder[1] = nil }},
		{"store order of x: thread 0 operation 0 is listed twice", func(h *parse.History) { h.StoreOrder[0] = []parse.OpID{0, 0} }},
		{"dependency 0: from thread 1 operation 0 to operation 9", func(h *parse.History) { h.Deps[0].To = 9 }},
		{"dependency 0: thread 0 operation 0 does not read", func(h *parse.History) { h.Deps[0] = parse.Dep{From: 0, To: 1} }},
		{"dependency 0: thread 1 operation 0 is not later than thread 0 operation 2", func(h *parse.History) { h.Deps[0] = parse.Dep{From: 2, To: 3} }},
		{"dependency 1: not after dependency 0", func(h *parse.History) { h.Deps = append(h.Deps, h.Deps[0]) }},
	} {
		h := sound()
		c.corrupt(h)
		if err := h.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %q, got %v", c.want, err)
		}
	}
}
