package compiler

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

func load(t testing.TB, fsys fs.FS, root string) *types.Protocol {
	t.Helper()
	file, err := syntax.Load(fsys, root)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Check(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// sampler loads the protocol that uses every construct.
func sampler(t testing.TB) *types.Protocol {
	t.Helper()
	return load(t, os.DirFS("../testdata/sampler"), "sampler.slicc")
}

// The sampler's machine as its text says.
func TestSampler(t *testing.T) {
	p := sampler(t)
	if len(p.Warnings) > 0 {
		t.Errorf("warnings:\n%v", p.Warnings)
	}
	m := p.Machines[0]
	if m.TBE == nil || m.RequestTypes == nil {
		t.Errorf("TBE %v, request types %v, want both", m.TBE, m.RequestTypes)
	}
	if m.Entry == nil || m.Entry.Name != "Entry" {
		t.Errorf("entry %v, want Entry", m.Entry)
	}
	home := p.Machines[1]
	if home.TBE != nil || home.Entry != nil {
		t.Errorf("the home has TBE %v, entry %v, want neither", home.TBE, home.Entry)
	}
	if home.Ordinal != 1 {
		t.Errorf("the home has ordinal %d, want 1", home.Ordinal)
	}
	states := map[string]int64{"S": int64(m.State.Enum("S").Permission), "IS": int64(m.State.Enum("IS").Permission), "default": m.State.Default.Int}
	if diff := cmp.Diff(map[string]int64{"S": 0, "IS": 4, "default": 0}, states); diff != "" {
		t.Errorf("permissions of states, and the default (-want +got):\n%s", diff)
	}
	for i, want := range []types.Value{
		{}, {}, {Kind: types.IntValue, Int: 2}, {Kind: types.IntValue, Int: 1}, {Kind: types.BoolValue},
	} {
		if got := m.Params[i].Default; got != want {
			t.Errorf("parameter %s starts with %v, not %v", m.Params[i].Name, got, want)
		}
	}
	if n := m.Params[6].Network; n == nil {
		t.Error("responseIn is not attached to the network")
	} else if n.Direction != types.FromNetwork || n.VNet != 1 {
		t.Errorf("responseIn has direction %v, virtual network %d, want %v, 1", n.Direction, n.VNet, types.FromNetwork)
	}
	if m.Params[7].Network != nil {
		t.Error("mandatoryQueue is attached to the network")
	}
	if o := m.Objects[1]; o.Name != "blockBits" || o.Default.Int != 6 {
		t.Errorf("object %s starts with %v", o.Name, o.Default)
	}
	msg := p.Type("RequestMsg")
	for field, want := range map[string]int64{"Tries": 3, "Dirty": 1, "MessageSize": 0, "Type": 2, "addr": 0} {
		if got := msg.Field(field).Default.Int; got != want {
			t.Errorf("field %s starts with %d, not %d", field, got, want)
		}
	}
	port := m.InPorts[0]
	if port.Rank != 1 {
		t.Errorf("first port has rank %d, want 1", port.Rank)
	}
	if diff := cmp.Diff([]string{"responsePort", "responseIn"}, []string{port.Var.Name, port.Buffer.Name}); diff != "" {
		t.Errorf("first port and its buffer (-want +got):\n%s", diff)
	}
}

// transitions writes a machine's table, one row a line.
func transitions(m *types.Machine) string {
	var b strings.Builder
	for _, t := range m.Transitions {
		b.WriteString(m.State.Enums[t.State].Name + " " + m.Event.Enums[t.Event].Name + " > ")
		if t.Next == types.Wildcard {
			b.WriteString("*")
		} else {
			b.WriteString(m.State.Enums[t.NextState].Name)
		}
		for _, a := range t.Actions {
			b.WriteString(" " + a.Short)
		}
		if t.Stall {
			b.WriteString(" stall")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestTransitionTable(t *testing.T) {
	want := strings.TrimLeft(`
I Load > IS c a m
I Store > IS c a m
IS Data > * w l p
S Load > S l m
S Replace > I d b
S Other > S
IS Other > IS
IS Load > IS z stall
IS Store > IS z stall
IS Replace > IS \z r
I Other > I e
`, "\n")
	m := sampler(t).Machines[0]
	if got := transitions(m); got != want {
		t.Errorf("got:\n%s", got)
	}
}

// Demands: enqueues inside enqueues do not count, both branches of an if do.
// gem5 takes twice the last action's count where there are several, and asks for nothing
// before a transition_no_stall.
func TestDemands(t *testing.T) {
	fsys := tree(t)
	fsys["in.sm"] = &fstest.MapFile{Data: []byte(`
		action(one, "1") {
		  enqueue(outPort, RequestMsg, 1) { enqueue(outPort, RequestMsg, 1) {} }
		  check_allocate(TBEs);
		}
		action(two, "2") {
		  if (hits == hits) { enqueue(outPort, RequestMsg, 1) {} }
		  else { peek(inPort, RequestMsg) { enqueue(outPort, RequestMsg, 1) {} } }
		}
		transition(I, Data, S) { one; }
		transition(I, Load, S) { one; two; }
		transition(S, Data, S) { two; one; p_pop; }
		transition(S, Load, S) { one; two; one; }`)}
	m := load(t, fsys, "machine.slicc").Machines[0]
	var got []map[string]int
	for _, row := range m.Transitions {
		slots := map[string]int{}
		for _, d := range row.Demands {
			slots[d.Resource.Name] = d.Slots
		}
		got = append(got, slots)
	}
	want := []map[string]int{{"outPort": 1, "TBEs": 1}, {"outPort": 4, "TBEs": 1}, {"outPort": 2, "TBEs": 1}, {"outPort": 2, "TBEs": 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("slots that each row demands (-want +got)\n%s", diff)
	}
	src := fsys["in.sm"].Data
	fsys["in.sm"].Data = bytes.ReplaceAll(src, []byte("transition("), []byte("transition_no_stall("))
	for _, row := range load(t, fsys, "machine.slicc").Machines[0].Transitions {
		if row.Demands != nil {
			t.Errorf("a row that does not stall demands %v", row.Demands)
		}
	}
}

// Calls name the overload that the simulator must run.
func TestBuiltinsAreBound(t *testing.T) {
	fsys := tree(t)
	fsys["in.sm"] = &fstest.MapFile{Data: []byte(`
		action(a, "a") {
		  cacheMemory.setMRU(cache_entry);
		  cacheMemory.setMRU(address);
		  TBEs[address].Pending := 1;
		  cache_entry.changePermission(L1Cache_State_to_permission(State:I));
		  L1Cache_State_to_string(State:I);
		  assert(true);
		}
		transition(I, Data, S) { a; p_pop; }`)}
	actions := load(t, fsys, "machine.slicc").Machines[0].Actions
	var got []string
	for _, s := range actions[len(actions)-1].Body {
		var x types.Expr
		switch s := s.(type) {
		case *types.Eval:
			x = s.X
		case *types.Assign:
			x = s.Left.(*types.Member).X
		}
		got = append(got, x.(*types.Call).Func.Builtin.Key)
	}
	want := "CacheMemory.setMRU(AbstractCacheEntry) CacheMemory.setMRU(Addr) TBETable.lookup(Addr)" +
		" AbstractCacheEntry.changePermission(AccessPermission) to_string(*) assert(bool)"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s", strings.Join(got, " "))
	}
}

// A value with a sign is a literal, too.
func TestNegativeValues(t *testing.T) {
	fsys := tree(t)
	fsys["in.sm"] = &fstest.MapFile{Data: []byte("int z := -3; int y := 4;")}
	p := load(t, fsys, "global.slicc")
	objects := p.Objects[len(p.Objects)-2:]
	if z, y := objects[0].Default, objects[1].Default; z.Int != -3 || y.Int != 4 {
		t.Errorf("z starts with %v, y with %v", z, y)
	}
}
