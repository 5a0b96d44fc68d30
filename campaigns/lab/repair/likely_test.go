package repair

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/audit"
	"ordeal/sim"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// confused is a protocol with a function, a port and actions in which one state, value or receiver is
// taken for another.
const confused = `machine(MachineType:A, "a") : int n; {
  state_declaration(State, desc="") { I, AccessPermission:Invalid, desc=""; S, AccessPermission:Busy, desc=""; M, AccessPermission:Busy, desc=""; }
  structure(TBE, desc="") { MachineID Owner, desc=""; }
  bool holds(State s) { if (s == State:S || s == State:M) { return true; } return false; }
  action(x, "x", desc="") { enqueue(out, T, 1) { out_msg.Type := K:ONE; out_msg.Destination.add(in_msg.Requestor); } }
  action(y, "y", desc="") { enqueue(out, T, 1) { out_msg.Type := K:TWO; out_msg.Destination.add(in_msg.Requestor); } }
}
machine(MachineType:B, "b") : int n; {
  in_port(p, T, b) { peek(p, T) { if (in_msg.Type == K:ONE || in_msg.Type == K:TWO) { trigger(Event:Data, in_msg.addr); } } }
  in_port(q, T, b) { peek(q, T) { if (in_msg.Type == K:ONE || in_msg.Type == K:SIX) { assert(one); trigger(Event:Ack, in_msg.addr); } } }
}
protocol "P";
`

// edits are those that are listed, with their kinds, without the name of the protocol.
func edits(list func(add func(kind int, ids ...string))) (got []string) {
	list(func(kind int, ids ...string) {
		got = append(got, fmt.Sprint(kind, " ", strings.ReplaceAll(strings.Join(ids, " + "), "P/", "")))
	})
	return got
}

// TestSending requires the receivers of what is not expected to be others, one message alone and
// all that go to the same one, the last first.
func TestSending(t *testing.T) {
	b := bodiesOf(t, confused)
	const edit = "/call:out_msg.Destination.add(in_msg.Requestor)>out_msg.Destination.add(tbe.Owner)"
	both := "1 A/y" + edit + " + A/x" + edit
	want := []string{"1 A/x" + edit, both, "1 A/y" + edit, both}
	if got := edits(func(add func(int, ...string)) { b.sending("B", "Data", add) }); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := edits(func(add func(int, ...string)) { b.sending("A", "Data", add) }); len(got) > 0 {
		t.Errorf("of another machine: %q", got)
	}
}

// TestUnsent requires the action that sends what is not expected to be left out of all rows, of which the
// edit adds one, where the row is missing, and nothing of an event that is not.
func TestUnsent(t *testing.T) {
	c, p := edited(t, "MI_example/L1Cache/(M,Fwd_GETX)/insert:b_issuePUT")
	const row, drop = "MI_example/L1Cache/", "/drop:b_issuePUT"
	const dma = "MI_example/DMA/"
	want := []string{"0 " + row + "(M,Fwd_GETX)" + drop + " + " + row + "(M,Replacement)" + drop, "0 " + dma + "(IR,Data)" + drop + " + " + dma + "(IW,Data)" + drop}
	got := edits(func(add func(int, ...string)) {
		newBodyEdits(c).unsent(p, "Directory", "PUTX", func(ids ...string) { add(0, ids...) })
	})
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	id := row + "(M,Fwd_GETX)" + drop + " + " + row + "(M,Replacement)" + drop
	for title, want := range map[string]bool{"invalid transition (IM, PUTX) of Directory": true, "invalid transition (M, PUTX) of Directory": false} {
		list := candidates(p, newBodyEdits(c), title, &outcome{})
		if got := slices.ContainsFunc(list, func(x candidate) bool { return x.id == id && x.rank == nextEdit && x.edits == 1 }); got != want {
			t.Errorf("%s: %v", title, got)
		}
	}
}

// TestTriggering requires the conditions under which a port triggers an event, those of all ports
// that ask the same at once.
func TestTriggering(t *testing.T) {
	b := bodiesOf(t, confused)
	got := edits(func(add func(int, ...string)) { b.triggering("B", "Data", add) })
	const one = "/omit:in_msg.Type == K:ONE"
	for _, want := range []string{"2 B/p" + one, "2 B/q" + one + " + B/p" + one} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in %q", want, got)
		}
	}
	if slices.ContainsFunc(got, func(id string) bool { return strings.Contains(id, " B/q") && !strings.Contains(id, "B/p") }) {
		t.Errorf("of another event: %q", got)
	}
}

// TestWidened requires a condition to hold in a state that the title names, first of all, and an
// assertion to be left out last where the title names its line.
func TestWidened(t *testing.T) {
	b := bodiesOf(t, confused)
	p := &types.Protocol{Name: "P", Machines: []*types.Machine{{Name: "A"}}, Types: []*types.Type{{Name: "AccessPermission"}}}
	for _, title := range []string{"a core may write in M while another is in I", "overtaken data read in A(I)"} {
		list := candidates(p, b, title, &outcome{})
		if i := slices.IndexFunc(list, func(c candidate) bool { return c.id == "P/A/holds/also:s == State:I@s == State:M" }); i != 0 {
			t.Errorf("%s: candidate %d", title, i)
		}
	}
	list := b.titled("failed assertion at t.sm:10:77")
	if len(list) == 0 || list[len(list)-1] != "P/B/q/skip:assert(one)" {
		t.Errorf("%q", list)
	}
}

// TestMoving requires assignments that move under a condition early where a title says that data
// are old or lost.
func TestMoving(t *testing.T) {
	const edit = "P/A/x/under:e.Data := in_msg.Data"
	b := bodiesOf(t, `machine(MachineType:A, "a") : int n; { action(x, "x", desc="") { e.Data := in_msg.Data; if (in_msg.Dirty) { e.Dirty := true; } } } protocol "P";`)
	p := &types.Protocol{Name: "P", Types: []*types.Type{{Name: "AccessPermission"}}}
	for title, want := range map[string]bool{"memory returned other code than the executable has": true, "value lost after Ack in DMA": true, "deadlock: Directory is busy in MD": false} {
		list := candidates(p, b, title, &outcome{})
		if got := slices.ContainsFunc(list, func(c candidate) bool { return c.id == edit && c.rank == nextEdit }); got != want {
			t.Errorf("%s: %v", title, list)
		}
	}
}

// TestReordering requires ports that a machine looks at before others where nothing goes on, those of the
// machine that the title names first.
func TestReordering(t *testing.T) {
	b := bodiesOf(t, confused)
	p := &types.Protocol{Name: "P", Types: []*types.Type{{Name: "AccessPermission"}}, Machines: []*types.Machine{{Name: "A"}, {Name: "B"}}}
	want := candidate{"P/B/q/before:p", nextEdit, 1}
	for title, want := range map[string][]candidate{
		"deadlock: B is busy in S": {want}, "deadlock: A is busy in S": {{want.id, dropEdit, 1}}, "livelock: no core completes a store": {{want.id, dropEdit, 1}}, "value lost after Ack in B": nil,
	} {
		got := slices.DeleteFunc(candidates(p, b, title, &outcome{}), func(c candidate) bool { return !strings.Contains(c.id, "/before:") })
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", title, got, want)
		}
	}
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

// TestCommon requires repairs with fewest new titles first, those apart that come up with edits of
// several places.
func TestCommon(t *testing.T) {
	repair := func(at string, titles ...string) *Repair { return &Repair{ID: "P/M/(" + at + ")/drop:a", New: titles} }
	list := []*Repair{repair("A,E", "own"), repair("B,E", "all", "both"), repair("C,E", "all", "both", "third", "other"), repair("D,E"), repair("E,E", "all", "both")}
	new(search).common(list)
	got := ""
	for _, r := range list {
		got += r.ID[5:6]
	}
	if got != "DBEAC" {
		t.Errorf("order %s", got)
	}
}

// TestUncovering requires edits that are at fault themselves, or with which nothing goes on, not to
// be listed; none of these is run.
func TestUncovering(t *testing.T) {
	s := &search{o: Options{Finding: &audit.Finding{Title: "value lost after Ack in DMA"}}}
	for _, title := range []string{"peek of an empty port", "deadlock: Directory is busy in MD"} {
		list, err := s.uncovering(t.Context(), []*node{{title: title}}, 1, false)
		if err != nil || len(list) > 0 {
			t.Errorf("%s: %d, %v", title, len(list), err)
		}
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
