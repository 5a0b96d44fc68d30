package repair

import (
	"slices"
	"strings"
	"testing"

	"ordeal/sim"
	"ordeal/sim/slicc/types"
)

// TestPermitting requires the permission of the state in which a functional read fails to change, and
// that of all states of its machine with the same one, before those of other machines.
func TestPermitting(t *testing.T) {
	b := bodiesOf(t, confused)
	a := &types.Machine{Name: "A", State: &types.Type{Enums: []*types.Enumerator{{Name: "I"}, {Name: "S", Permission: 1}, {Name: "M", Permission: 1}}}}
	p := &types.Protocol{Name: "P", Machines: []*types.Machine{a, {Name: "B", State: &types.Type{}}}}
	for title, want := range map[string][]string{
		"functional read finds no data: A in state S": {"0 A/S/permit:Invalid", "0 A/S/permit:Invalid + A/M/permit:Invalid"},
		"functional read finds no data: B in state S": {
			"1 A/I/permit:Busy", "1 A/S/permit:Invalid + A/M/permit:Invalid", "6 A/I/permit:Busy", "6 A/S/permit:Invalid", "6 A/M/permit:Invalid",
		},
		"overtaken data read in A(S)": nil,
	} {
		if got := edits(func(add func(int, ...string)) { b.permitting(p, title, add) }); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", title, got, want)
		}
	}
	if got := named("functional read finds an old value: Directory in state M_DWR"); len(got) != 1 || got[0] != (sim.Row{Machine: "Directory", State: "M_DWR", Event: ""}) {
		t.Errorf("rows %v", got)
	}
	p.Types = []*types.Type{{Name: "AccessPermission"}}
	list := candidates(p, b, "functional read finds no data: A in state S", &outcome{})
	if len(list) == 0 || !strings.HasSuffix(list[0].id, "A/S/permit:Invalid") {
		t.Errorf("candidates %v", list)
	}
}
