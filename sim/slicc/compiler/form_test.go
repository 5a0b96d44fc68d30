package compiler

import (
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
	if m.TBE == nil || m.Entry == nil || m.Entry.Name != "Entry" || m.RequestTypes == nil {
		t.Errorf("TBE %v, entry %v, request types %v", m.TBE, m.Entry, m.RequestTypes)
	}
	if home := p.Machines[1]; home.TBE != nil || home.Entry != nil || home.Ordinal != 1 {
		t.Errorf("the home has TBE %v, entry %v, ordinal %d", home.TBE, home.Entry, home.Ordinal)
	}
	if s := m.State; s.Enum("S").Permission != 0 || s.Enum("IS").Permission != 4 || s.Default.Int != 0 {
		t.Errorf("states %+v, default %v", s.Enums, s.Default)
	}
	for i, want := range []types.Value{
		{}, {}, {Kind: types.IntValue, Int: 2}, {Kind: types.IntValue, Int: 1}, {Kind: types.BoolValue},
	} {
		if got := m.Params[i].Default; got != want {
			t.Errorf("parameter %s starts with %v, not %v", m.Params[i].Name, got, want)
		}
	}
	if n := m.Params[6].Network; n == nil || n.Direction != types.FromNetwork || n.VNet != 1 {
		t.Errorf("responseIn is attached as %+v", n)
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
	if port := m.InPorts[0]; port.Rank != 1 || port.Buffer.Name != "responseIn" || port.Var.Name != "responsePort" {
		t.Errorf("first port is %s with rank %d", port.Var.Name, port.Rank)
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
// gem5 takes twice the last action's count where there are several.
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
