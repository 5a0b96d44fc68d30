package compiler

import (
	"strings"
	"testing"
	"testing/fstest"

	"ordeal/sim/slicc/syntax"
)

// supplied checks a machine's body with a file of builtins, and gives the fault or the
// warnings.
func supplied(t *testing.T, body, builtins string) string {
	t.Helper()
	fsys := tree(t)
	fsys["in.sm"] = &fstest.MapFile{Data: []byte(body)}
	fsys["own.builtins"] = &fstest.MapFile{Data: []byte(builtins)}
	file, err := syntax.LoadWith(fsys, "machine.slicc", "own.builtins")
	if err != nil {
		return err.Error()
	}
	protocol, err := Check(file)
	if err != nil {
		return err.Error()
	}
	return strings.Join(protocol.Stubs, " ") + "|" + protocol.Warnings.Error()
}

// TestSupplied has a file of builtins say what functions do, and wants what is wrong with
// such a file to be reported at its line.
func TestSupplied(t *testing.T) {
	const body = `
		structure(Counter, external="yes") { void count(Addr); int seen(Addr, bool); bool isPresent(Addr); }
		Counter counter;
		bool chosen(Addr a, int way);
		int trace();
		MachineID home(Addr a, MachineType t, int way);
		MachineID mapAddressToMachine(Addr a, MachineType t);
		action(a, "a") { counter.count(address); if (chosen(address, trace())) { trace(); } home(address, MachineType:L1Cache, 1); }
		transition(I, Data, S) { a; p_pop; }
		`
	const rest = "bool chosen(Addr, int) returns false; int trace() returns 0; MachineID home(Addr, MachineType, int) as mapAddressToMachine;"
	for _, c := range []struct{ name, builtins, want string }{
		{"everything", rest + "void Counter.count(Addr) does nothing;", "Counter.count(Addr) chosen(Addr, int) trace() home(Addr, MachineType, int)|"},
		{"a body with this", rest + "void Counter.count(Addr a) { if (this.isPresent(a)) { count(a, 1); } } void Counter.count(Addr a, int n) does nothing; bool Counter.isPresent(Addr) returns true;", "Counter.isPresent(Addr)"},
		{"fields", rest + "structure(Counter) { int n, default=\"0\"; void count(Addr a) { this.n := this.n + 1; } }", "Counter.count(Addr)"},
		{"missing", "int trace() returns 0;", "say what it does in a file for --builtins, as `void Counter.count(Addr) does nothing;`"},
		{"missing with a result", "void Counter.count(Addr) does nothing;", "as `bool chosen(Addr, int) returns false;`"},
		{"recursion", rest + "void Counter.count(Addr a)\n{ this.count(a); }", "own.builtins:2:8: Counter.count calls itself"},
		{"recursion of two", rest + "void Counter.count(Addr a) { this.seen(a, true); } int Counter.seen(Addr a, bool b)\n{ this.count(a); return 1; }", "own.builtins:2:8: Counter.count calls itself"},
		{"no value", "int trace() { trace2(); }", "own.builtins:1:15: unknown function trace2"},
		{"no return", rest[:37] + "int trace() { int a := 1; }" + "MachineID home(Addr, MachineType, int) as mapAddressToMachine; void Counter.count(Addr) does nothing;", "trace does not return a value"},
		{"wrong result", strings.Replace(rest, "returns 0", "returns true", 1) + "void Counter.count(Addr) does nothing;", "own.builtins:1:"},
		{"as what is not there", strings.Replace(rest, "as mapAddressToMachine", "as nowhere", 1) + "void Counter.count(Addr) does nothing;", "no nowhere with result MachineID takes"},
		{"void returns", "void Counter.count(Addr) returns 1;", "own.builtins:1:26: count is void and returns nothing"},
		{"a result that is nothing", "int trace() does nothing;", "trace has a result of type int"},
		{"twice", rest + "\nint trace() returns 1;", "own.builtins:2:5: trace is already declared at own.builtins:1"},
		{"unused", rest + "void Counter.count(Addr) does nothing;\nvoid other(int) does nothing;", "own.builtins:2:6: other(int) with result void stands for nothing"},
		{"side effects", rest + "void Counter.count(Addr) does nothing;\nvoid set_tbe(TBE) does nothing;", "own.builtins:2:6: set_tbe stands for a function with side effects"},
		{"a machine", "machine(MachineType:L1Cache) : {}", "own.builtins:1:1: expected a function, a method or a structure, found keyword machine"},
		{"no end", rest + "void Counter.count(Addr);", "expected what count does: a body in braces"},
		{"a brace", "} void f() does nothing;", "own.builtins:1:1: expected a type, found '}'"},
	} {
		if got := supplied(t, body, c.builtins); !strings.Contains(got, c.want) {
			t.Errorf("%s: got\n%s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestCalledByNothing accepts functions that nothing implements where nothing that runs
// calls them, and warns of those that differ from gem5's.
func TestCalledByNothing(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`bool surprise(Addr a); bool asks(Addr a) { return surprise(a); }`, "|"},
		{`bool surprise(Addr a); action(a, "a") { surprise(address); }`, "action a of machine L1Cache is not used"},
		{`bool surprise(Addr a); bool asks(Addr a) { return surprise(a); } action(a, "a") { asks(address); } transition(I, Data, S) { a; }`,
			"in.sm:1:51: function surprise(Addr) is declared without a body"},
		{`structure(CacheMemory2, external="yes") {} structure(PersistentTable, external="yes") { int isLocked(Addr); }`, "differs from the builtin bool PersistentTable.isLocked(Addr), nothing may call it"},
	} {
		if got := supplied(t, c.body, ""); !strings.Contains(got, c.want) {
			t.Errorf("%s: got\n%s\nwant %s", c.body, got, c.want)
		}
	}
}
