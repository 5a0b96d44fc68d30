package table_test

import (
	"bytes"
	"strings"
	"testing"

	"ordeal/sim/protocols"
	"ordeal/sim/slicc/compiler"
	"ordeal/sim/slicc/table"
)

func tables(t *testing.T) []*table.Table {
	t.Helper()
	tree, err := protocols.LoadFile("../../protocols/slicc/MI_example.slicc")
	if err != nil {
		t.Fatal(err)
	}
	p, err := compiler.Check(tree)
	if err != nil {
		t.Fatal(err)
	}
	var list []*table.Table
	for _, m := range p.Machines {
		list = append(list, table.Of(m))
	}
	return list
}

// The cells are what MI_example-cache.sm declares.
func TestCells(t *testing.T) {
	l1 := tables(t)[0]
	at := func(state, event string) *table.Cell {
		for i, s := range l1.States {
			for k, e := range l1.Events {
				if s == state && e == event {
					return l1.Cells[i][k]
				}
			}
		}
		t.Fatalf("no state %s or event %s", state, event)
		return nil
	}
	if c := at("I", "Load"); c.Next != "IS" || c.Stall || !strings.HasPrefix(c.Place, "MI_example-cache.sm:") || c.Names[0] != "i_allocateEntry" {
		t.Errorf("(I,Load): %+v", c)
	}
	if c := at("I", "Data"); c != nil || c.String() != "" {
		t.Errorf("(I,Data): %+v, want none", c)
	}
	if got := unhandled(l1); got != len(l1.States)*len(l1.Events)-l1.Handled {
		t.Errorf("%d pairs are not handled, and %d of %d are", got, l1.Handled, len(l1.States)*len(l1.Events))
	}
}

// unhandled counts the pairs that Unhandled lists.
func unhandled(t *table.Table) int {
	n := 0
	for _, u := range t.Unhandled() {
		n += len(u.Events)
	}
	return n
}

func TestWriteText(t *testing.T) {
	l1 := tables(t)[0]
	for _, width := range []int{1, 80, 10_000} {
		var b bytes.Buffer
		if err := l1.WriteText(&b, width); err != nil {
			t.Fatal(err)
		}
		for _, event := range l1.Events {
			if strings.Count(b.String(), event+" ")+strings.Count(b.String(), event+"\n") == 0 {
				t.Errorf("width %d: no column %s", width, event)
			}
		}
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(strings.TrimSpace(line))); width == 80 && n > width {
				t.Errorf("a line of %d characters: %s", n, line)
			}
		}
	}
}

// Names of a protocol are data.
func TestWriteHTML(t *testing.T) {
	l1 := tables(t)[0]
	l1.Machine = "<script>alert(1)</script>"
	var b bytes.Buffer
	if err := table.WriteHTML(&b, "a & b", []*table.Table{l1}); err != nil {
		t.Fatal(err)
	}
	if page := b.String(); strings.Contains(page, "<script") || !strings.Contains(page, "<h1>a &amp; b</h1>") ||
		strings.Count(page, `<td class="none">`) != unhandled(l1) {
		t.Errorf("page: %.300s", page)
	}
}
