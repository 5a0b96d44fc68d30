package bugs

import (
	"strings"
	"testing"

	"ordeal/sim/slicc/mutate"
)

func TestRowOperator(t *testing.T) {
	row := func(next, actions string) tableRow { return tableRow{actions: strings.Fields(actions), next: next} }
	all := map[pair]tableRow{{"S", "E"}: row("M", "a b c"), {"T", "E"}: row("M", "x y z")}
	for _, c := range []struct {
		from, to tableRow
		want     mutate.Operator
	}{
		{row("M", "a b c"), row("M", "a b c"), ""},
		{row("M", "a b c"), row("M", "a c"), mutate.Drop},
		{row("M", "a b c"), row("M", "b a c"), mutate.Swap},
		{row("M", "a b c"), row("M", "a d c"), mutate.Replace},
		{row("M", "a b c"), row("M", "a d b c"), mutate.Insert},
		{row("M", "a b c"), row("M", "a b b c"), mutate.Dup},
		{row("M", "a b c"), row("S", "a b c"), mutate.Next},
		{row("M", "a b c"), row("I", "x y z"), mutate.Copy},
		{row("M", "a b c"), row("I", "d e"), none},
	} {
		if got := rowOperator(c.from, true, c.to, all, pair{"S", "E"}); got != c.want {
			t.Errorf("from %v to %v: %q, want %q", c.from, c.to, got, c.want)
		}
	}
	if got := rowOperator(tableRow{}, false, row("M", "x y z"), all, pair{"U", "E"}); got != mutate.Copy {
		t.Errorf("a row more: %q, want %q", got, mutate.Copy)
	}
}

func TestBodyOperators(t *testing.T) {
	const fixed = "action(a) {\n  x := 1;\n  y := 2;\n}\n"
	for _, c := range []struct {
		buggy string
		want  []mutate.Operator
		ok    bool
	}{
		{fixed, nil, true},
		{strings.Replace(fixed, "  y := 2;\n", "", 1), []mutate.Operator{mutate.Skip}, true},
		{strings.Replace(fixed, "y := 2", "y := 3", 1), []mutate.Operator{mutate.Set}, true},
		{strings.Replace(fixed, "  y := 2;\n", "  y := 2;\n  z := 1;\n", 1), nil, false},
	} {
		got, ok := bodyOperators(map[string]string{"a": fixed}, map[string]string{"a": c.buggy})
		if ok != c.ok || ok && len(got) != len(c.want) || len(c.want) > 0 && got[0] != c.want[0] {
			t.Errorf("%s: %v, %v, want %v, %v", c.buggy, got, ok, c.want, c.ok)
		}
	}
}

// TestOperators takes mutants of one operator for the protocol without a fix, and wants
// that operator.
func TestOperators(t *testing.T) {
	for _, c := range []struct {
		edit Edit
		want mutate.Operator
	}{
		{Edit{File: "MI_example-cache.sm", At: "transition(M, Fwd_GETX", Drop: "forward_eviction_to_cpu;"}, mutate.Drop},
		{Edit{File: "MI_example-cache.sm", At: "transition(M, Fwd_GETX", Remove: true}, mutate.Delete},
	} {
		trees := &Trees{Before: protocolFiles(t, &c.edit), After: protocolFiles(t, nil)}
		got, ok, err := Operators(trees)
		if err != nil || !ok || len(got) != 1 || got[0] != c.want {
			t.Errorf("%+v: %v, %v, %v: want %s", c.edit, got, ok, err, c.want)
		}
	}
}
