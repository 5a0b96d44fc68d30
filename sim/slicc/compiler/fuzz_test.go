package compiler

import (
	"os"
	"testing"
	"testing/fstest"

	"ordeal/sim/slicc/syntax"
)

// Any declarations in a machine either have faults, all of them placed, or
// give a protocol that keeps its promises.
func FuzzCheck(f *testing.F) {
	fsys := tree(f)
	for _, s := range []string{
		"action(a, 'a') { set_tbe(TBEs[address]); tbe.Pending := 1 + 2 * 3; } transition(I, Data, S) { a; }",
		"enumeration(RequestType) { R; } transition({I, S}, Load, *) {R} p_pop State getNextState(Addr a) { return State:I; }",
		"in_port(q, RequestMsg, responseIn, rank=1) { if (q.isReady(clockEdge())) { trigger(Event:Load, 1, OOD, OOD); } }",
		"structure(T) { int x, default='1'; Entry e; bool f(int y) { return x == y; } } T t; int g(T & u) { u.x := 1; return u.x; }",
		"action(a, 'a') { peek(inPort, RequestMsg) { enqueue(outPort, RequestMsg, latency) { out_msg := in_msg; } } }",
		"void f(AbstractCacheEntry e) { f2(static_cast(Entry, 'pointer', e)); } global(G) { int x := 1; } external_type(X::Y);",
		"machine(MachineType:Directory) : int x := -1; {} state_declaration(State) { I, AccessPermission:Busy; }",
	} {
		f.Add(s)
	}
	for _, name := range []string{"sampler-cache.sm", "sampler-messages.sm"} {
		src, err := os.ReadFile("../testdata/sampler/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(src))
	}
	f.Fuzz(func(t *testing.T, src string) {
		for _, root := range []string{"machine.slicc", "global.slicc"} {
			fsys["in.sm"] = &fstest.MapFile{Data: []byte(src)}
			file, err := syntax.Load(fsys, root)
			if err != nil {
				return
			}
			p, err := Check(file)
			if err == nil {
				err = verify(p)
				if err != nil {
					t.Fatal(err)
				}
				continue
			}
			for _, fault := range faultsOf(t, err) {
				if !fault.Pos.IsKnown() || fault.Msg == "" {
					t.Fatalf("fault without place: %v", fault)
				}
			}
		}
	})
}
