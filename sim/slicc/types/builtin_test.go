package types

import (
	"regexp"
	"strings"
	"testing"
)

// Every line of the tables is a signature, and none is given twice.
func TestBuiltinTables(t *testing.T) {
	const name = `(\*|[A-Za-z_:0-9]+)`
	line := regexp.MustCompile(`^` + name + ` ([A-Za-z0-9]+\.)?[A-Za-z_0-9]+\((` + name + `(, ` + name + `)*)?\)$`)
	seen := map[string]bool{}
	for text := range strings.Lines(functionTable + methodTable) {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		if !line.MatchString(text) {
			t.Errorf("malformed line %q", text)
		}
		b := readSignature(text)
		if b.String() != text {
			t.Errorf("%q reads as %q", text, b)
		}
		if seen[b.Key] {
			t.Errorf("%s is listed twice", b.Key)
		}
		seen[b.Key] = true
	}
	if len(seen) < 200 {
		t.Errorf("only %d builtins", len(seen))
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
