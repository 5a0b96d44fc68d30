package types

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every line of the table is well-formed, and no signature is given twice.
func TestBuiltinTable(t *testing.T) {
	const name = `(\*|[A-Za-z_:0-9]+)`
	line := regexp.MustCompile(`^` + name + ` ([A-Za-z0-9_|]+\.)?[A-Za-z_0-9]+\((\[|` + name + `)*((\[|\|)?(, )?` + name + `)*\]*\)( const)?$`)
	for text := range strings.Lines(builtinTable) {
		if text = strings.TrimSpace(text); text != "" && !line.MatchString(text) {
			t.Errorf("malformed line %q", text)
		}
	}
	seen := map[string]bool{}
	for _, list := range builtins() {
		for _, b := range list {
			if seen[b.Key] {
				t.Errorf("%s is listed twice", b.Key)
			}
			seen[b.Key] = true
		}
	}
	if len(seen) != 348 {
		t.Errorf("%d builtins, want 348", len(seen))
	}
}

func TestReadSignature(t *testing.T) {
	for line, want := range map[string][]string{
		"Tick clockEdge([Cycles]) const":          {"Tick clockEdge()", "Tick clockEdge(Cycles)"},
		"void Set|NetDest.clear()":                {"void Set.clear()", "void NetDest.clear()"},
		"void NetDest.add(NodeID|MachineID)":      {"void NetDest.add(NodeID)", "void NetDest.add(MachineID)"},
		"int f(A, B[, C[, D, E]])":                {"int f(A, B)", "int f(A, B, C)", "int f(A, B, C, D, E)"},
		"* PerfectCacheMemory.lookup(Addr) const": {"* PerfectCacheMemory.lookup(Addr)"},
	} {
		var got []string
		for _, b := range readSignature(line) {
			got = append(got, b.String())
			if b.Const != strings.HasSuffix(line, " const") {
				t.Errorf("%s: const is %v", line, b.Const)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

func TestBuiltinFits(t *testing.T) {
	void := &Type{Name: "void", Kind: Void}
	machineID, nodeID := &Type{Name: "MachineID"}, &Type{Name: "NodeID"}
	overloads := Builtins("NetDest", "add")
	if len(overloads) != 2 {
		t.Fatalf("NetDest.add has %d overloads", len(overloads))
	}
	for _, row := range []struct {
		param *Type
		want  string
	}{{machineID, "NetDest.add(MachineID)"}, {nodeID, "NetDest.add(NodeID)"}} {
		for _, b := range overloads {
			if b.Fits(void, []*Type{row.param}) != (b.Key == row.want) {
				t.Errorf("%s with a %s", b.Key, row.param)
			}
		}
	}
	if overloads[0].Fits(nodeID, []*Type{nodeID}) || overloads[0].Fits(void, nil) {
		t.Error("a different result or another number of parameters fits")
	}
	if Builtins("", "nothing") != nil || Builtins("NetDest", "clockEdge") != nil {
		t.Error("unknown names have builtins")
	}
}
