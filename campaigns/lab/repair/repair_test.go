package repair

import (
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/mutation"
	"ordeal/sim"
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/types"
)

// TestSearch requires the action that a mutant dropped to be put back: the first
// repair runs it in the row that lacks it.
func TestSearch(t *testing.T) {
	const row = "MI_example/L1Cache/(M,Fwd_GETX)/"
	const notice = "forward_eviction_to_cpu"
	o := audit.Options{
		Machine: config.Machine{Protocol: "mi", Mutant: row + "drop:" + notice}, Seed: 3, Steps: 20_000_000, Engines: []audit.Engine{audit.Faithful, audit.Sample},
		Stop: func(f *audit.Finding) bool {
			return f.Title == "load not repeated after L1Cache(M,Fwd_GETX)" && len(f.Conditions) == 0
		},
	}
	r, err := audit.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Stopped == nil {
		t.Fatalf("the mutant was not found in %d steps", r.Steps)
	}
	result, err := Search(t.Context(), Options{Finding: r.Stopped, Tries: 12, Best: 2, Steps: 300_000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Repairs) == 0 || !strings.HasPrefix(result.Repairs[0].ID, row+"insert:"+notice) {
		t.Fatalf("repairs of %d tries: %+v", result.Tried, result.Repairs)
	}
	patch, err := Patch(config.Machine{Protocol: "mi"}, row+"dup:"+notice, "dir")
	if err != nil || !strings.Contains(string(patch), "+++ b/dir/MI_example-cache.sm") {
		t.Errorf("patch: %v\n%s", err, patch)
	}
}

// edited is MI_example with an edit.
func edited(t *testing.T, id string) (*mutate.Catalogue, *types.Protocol) {
	t.Helper()
	target, err := mutation.Embedded("mi")
	must.Succeed(t, err)
	c, err := mutate.NewCatalogue(target.Tree)
	must.Succeed(t, err)
	m, err := c.Find(id)
	must.Succeed(t, err)
	c, err = mutate.NewCatalogue(c.Tree(m))
	must.Succeed(t, err)
	p, err := c.Protocol()
	must.Succeed(t, err)
	return c, p
}

// TestMissing requires a row that is missing to be copied from the state that is most
// alike, alone and with the other events of that declaration that are missing.
func TestMissing(t *testing.T) {
	const load, store = "MI_example/L1Cache/(MI,Load)/", "MI_example/L1Cache/(MI,Store)/"
	c, p := edited(t, load+"delete + "+store+"delete")
	var first []string
	for _, edit := range candidates(p, nil, absent("MI", "Load", "L1Cache"), new(outcome))[:2] {
		if _, err := c.Find(edit.id); err != nil || edit.edits != 1 {
			t.Errorf("%+v: %v", edit, err)
		}
		first = append(first, edit.id)
	}
	if want := []string{load + "copy:MII", load + "copy:MII + " + store + "copy:MII"}; !slices.Equal(first, want) {
		t.Errorf("%v, want %v", first, want)
	}
}

// TestMissingOfOneState requires a row that is missing to do what its state does with other
// events, the most alike first, those of one declaration once.
func TestMissingOfOneState(t *testing.T) {
	const at = "MI_example/L1Cache/(MI,Writeback_Nack)/"
	c, p := edited(t, at+"delete")
	var ids []string
	for _, edit := range candidates(p, nil, absent("MI", "Writeback_Nack", "L1Cache"), new(outcome)) {
		if from, ok := strings.CutPrefix(edit.id, at+"copy:MI@"); ok {
			if _, err := c.Find(edit.id); err != nil {
				t.Error(err)
			}
			ids = append(ids, from)
		}
	}
	if len(ids) < 3 || ids[0] != "Writeback_Ack" || !slices.Contains(ids, "Fwd_GETX") || slices.Contains(ids, "Load") && slices.Contains(ids, "Store") {
		t.Errorf("%v", ids)
	}
}

// TestCounterpart has next states of rows that are copied.
func TestCounterpart(t *testing.T) {
	names := &table{Machine: &types.Machine{State: &types.Type{Enums: []*types.Enumerator{{Name: "DR_L_W"}, {Name: "DW_L_W"}, {Name: "IS"}, {Name: "I"}}}}}
	for _, test := range [][4]string{
		{"DR_L_W", "O_DR_W", "O_DW_W", "DW_L_W"},
		{"DR_L_W", "O_DR_W", "O_DX_W", ""}, // there is no DX_L_W
		{"I", "IS", "IM", ""},              // has no part of it
		{"IS", "S", "SS", ""},              // nothing to replace
	} {
		if got := names.counterpart(test[0], test[1], test[2]); got != test[3] {
			t.Errorf("%v: %q", test, got)
		}
	}
}

// TestLikely puts the rows that a run took last on the line that failed between the
// rarest ones.
func TestLikely(t *testing.T) {
	at := func(state string, count uint64) sim.Transition {
		return sim.Transition{Row: sim.Row{Machine: "L1Cache", State: state, Event: "Load"}, Count: count}
	}
	shown := &outcome{
		taken: sim.Coverage{at("never", 0), at("often", 90), at("rare", 1), at("seldom", 5), at("always", 100)},
		last:  []sim.Row{{Machine: "L1Cache", State: "always", Event: "Load"}, {Machine: "L1Cache", State: "failed", Event: "Load"}, {Machine: "L1Cache", State: "rare", Event: "Load"}},
	}
	var states []string
	for _, r := range likely(shown) {
		states = append(states, r.State)
	}
	// Places among the last: always 0, failed 1, rare 2. Among the rarest: rare 0, seldom 1, often 2.
	if want := []string{"always", "rare", "failed", "seldom", "often"}; !slices.Equal(states, want) {
		t.Errorf("%v, want %v", states, want)
	}
	shown.value = true
	states = nil
	for _, r := range likely(shown) {
		states = append(states, r.State)
	}
	if want := []string{"always", "failed", "rare", "seldom", "often"}; !slices.Equal(states, want) {
		t.Errorf("of a lost value: %v, want %v", states, want)
	}
}

// TestTaking requires the actions of a row that pass the data of a message on to be left out
// together, early where a value was lost.
func TestTaking(t *testing.T) {
	const at = "MI_example/Directory/(IM,Memory_Data)/"
	c, p := edited(t, at+"insert:w_writeMemory")
	bodies := newBodyEdits(c)
	const want = at + "drop:d_sendData + " + at + "drop:w_writeMemory"
	for value, rank := range map[bool]int{true: insertEdit, false: dropEdit} {
		shown := &outcome{taken: sim.Coverage{{Row: sim.Row{Machine: "Directory", State: "IM", Event: "Memory_Data"}, Count: 1}}, value: value}
		list := candidates(p, bodies, sim.Failure{Kind: ""}, shown)
		i := slices.IndexFunc(list, func(x candidate) bool { return x.id == want })
		if i < 0 || list[i].rank != rank || list[i].edits != 1 {
			t.Errorf("value lost %v: candidate %d, want %s of rank %d", value, i, want, rank)
		}
	}
	shown := &outcome{value: true} // in the most frequent of many rows, too
	for _, m := range p.Machines {
		for _, tr := range m.Transitions {
			r := (&table{Machine: m}).row(tr)
			count := uint64(1)
			if r == (sim.Row{Machine: "Directory", State: "IM", Event: "Memory_Data"}) {
				count = 1000
			}
			shown.taken = append(shown.taken, sim.Transition{Row: r, Count: count})
		}
	}
	list := candidates(p, bodies, sim.Failure{Kind: ""}, shown)
	if i := slices.IndexFunc(list, func(x candidate) bool { return x.id == want }); i < 0 || list[i].rank != noticeRank {
		t.Errorf("in a frequent row: candidate %d, want rank %d", i, noticeRank)
	}
}

// TestNotices requires a missing notice to be tried early where the line is lost, in a row
// that is the most frequent of many.
func TestNotices(t *testing.T) {
	const edit = "MI_example/L1Cache/(M,Replacement)/"
	_, p := edited(t, edit+"drop:forward_eviction_to_cpu")
	var taken sim.Coverage
	for _, m := range p.Machines {
		for _, tr := range m.Transitions {
			one := sim.Transition{Row: sim.Row{Machine: m.Name, State: m.State.Enums[tr.State].Name, Event: m.Event.Enums[tr.Event].Name}, Count: 1}
			if one.Machine == "L1Cache" && one.State == "M" && one.Event == "Replacement" {
				one.Count = 1000
			}
			taken = append(taken, one)
		}
	}
	for _, x := range candidates(p, nil, sim.Failure{Kind: "history forbidden by sc: coherence"}, &outcome{taken: taken}) {
		if strings.HasPrefix(x.id, edit+"insert:forward_eviction_to_cpu") {
			if x.rank > noticeRank {
				t.Errorf("%+v, want a rank of at most %d", x, noticeRank)
			}
			return
		}
	}
	t.Error("the notice is no candidate")
}

// TestLeaving requires a title that names a state to give one candidate that puts a notice into
// all rows that leave it, as soon as one is missing.
func TestLeaving(t *testing.T) {
	const row = "MI_example/L1Cache/(M,"
	c, p := edited(t, row+"Replacement)/drop:forward_eviction_to_cpu + "+row+"Fwd_GETX)/drop:forward_eviction_to_cpu")
	list := candidates(p, nil, sim.Failure{Kind: sim.KindOvertaken, Row: sim.Row{Machine: "L1Cache", State: "M"}}, &outcome{})
	const insert = "insert:forward_eviction_to_cpu@"
	if len(list) == 0 {
		t.Fatal("no candidates")
	}
	parts := strings.Split(list[0].id, " + ")
	if list[0].edits != 1 || len(parts) != 2 || !strings.HasPrefix(parts[0], row+"Replacement)/"+insert) && !strings.HasPrefix(parts[0], row+"Fwd_GETX)/"+insert) || !strings.Contains(parts[1], insert) || parts[0] == parts[1] {
		t.Errorf("first candidate %+v", list[0])
	}
	if _, err := c.Find(list[0].id); err != nil {
		t.Error(err)
	}
}

// TestKnown requires a finding that the protocol itself shows in the finding's own runs not to
// be new, whatever its audit showed.
func TestKnown(t *testing.T) {
	const dropped = "MI_example/L1Cache/(M,Fwd_GETX)/drop:o_popForward"
	r, err := audit.Run(t.Context(), audit.Options{Machine: config.Machine{Protocol: "mi", Mutant: dropped}, Seed: 1, Engines: []audit.Engine{audit.Sample}, Steps: 2_000_000, Stop: func(*audit.Finding) bool { return true }})
	if err != nil || r.Stopped == nil {
		t.Fatal("no finding", err)
	}
	s := &search{base: config.Machine{Protocol: "mi", Mutant: dropped}, stock: &audit.Report{}, shown: map[string]bool{}, absent: map[string]int{}}
	if known, err := s.known(t.Context(), r.Stopped); err != nil || !known {
		t.Errorf("%s: known %v, %v", r.Stopped.Title, known, err)
	}
	s = &search{base: config.Machine{Protocol: "mi"}, stock: &audit.Report{}, shown: map[string]bool{}, absent: map[string]int{}}
	if known, err := s.known(t.Context(), r.Stopped); err != nil || known {
		t.Errorf("of the protocol without the bug: known %v, %v", known, err)
	}
}

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"M_DRD", "M_DWR", 3}, {"M_DRD", "M_DRDI", 5}, {"S", "M", 0}, {"", "M", 0}, {"aba", "aba", 3}} {
		if got := alike(c.a, c.b); got != c.want {
			t.Errorf("alike(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestNoProtocol(t *testing.T) {
	if _, err := Search(t.Context(), Options{Finding: &audit.Finding{}}); err != ErrNoProtocol {
		t.Errorf("%v, want %v", err, ErrNoProtocol)
	}
}
