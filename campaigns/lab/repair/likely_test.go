package repair

import (
	"fmt"
	"ordeal/sim"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
	"slices"
	"strings"
	"testing"
)

// edits are those that are listed, with their kinds, without the name of the protocol.
func edits(list func(add func(kind int, ids ...string))) (got []string) {
	list(func(kind int, ids ...string) {
		got = append(got, fmt.Sprint(kind, " ", strings.ReplaceAll(strings.Join(ids, " + "), "P/", "")))
	})
	return got
}

// TestOthers requires what the state does with the event whose name is most alike early, and an
// action whose name is most alike in place of one.
func TestOthers(t *testing.T) {
	m := machine("sendData sendSharedData w", "A Load B sendData", "A Data C w", "B Load B sendSharedData w")
	m.Event.Enums[2].Name = "Datas"
	m.Transitions = append(m.Transitions, &types.Transition{State: 0, Event: 2, NextState: 1})
	for i, tr := range m.Transitions {
		tr.Decl = &syntax.Transition{States: make([]syntax.Ident, i)}
	}
	got := edits(func(add func(int, ...string)) {
		m.others(m.Transitions[3], func(kind int, edit string) { add(kind, edit) })
		m.edits(m.Transitions[0], func(kind int, edit string) {
			if strings.HasPrefix(edit, "replace:") {
				add(kind, edit)
			}
		})
	})
	want := []string{"1 copy:A@Data", "5 copy:A@Load", "5 replace:sendData>w", "1 replace:sendData>sendSharedData", "5 replace:sendData>w"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLeads requires a row that is missing in a state to which an edit leads to count for none: the
// edit's own fault hides nothing.
func TestLeads(t *testing.T) {
	p := machine("w", "A Load B w", "A Data C w", "C Load C w").Machine
	s := &search{protocol: &types.Protocol{Machines: []*types.Machine{p}}}
	for id, want := range map[string]bool{
		"(B,Load)/next:C": true, "(B,Load)/next:A": false, "(B,Data)/copy:A": true, "(B,Load)/copy:A@Data": true,
		"(B,Load)/copy:A": false, "(C,Data)/copy:A": false, "(B,Load)/drop:w": false,
	} {
		if got := s.leads("P/M/"+id, sim.Row{Machine: "M", State: "C", Event: "Ack"}); got != want {
			t.Errorf("%s: %v", id, got)
		}
	}
	if s.leads("P/M/(B,Load)/next:C", sim.Row{Machine: "N", State: "C", Event: "Ack"}) {
		t.Error("of another machine")
	}
}
