package counters

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"ordeal/sim/protocols"
	"ordeal/sim/slicc/compiler"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// TestAnalyze gives the caches of MI a variable count and another one, a field of messages
// and a function, and an action that uses them.
func TestAnalyze(t *testing.T) {
	const never = -1
	for _, c := range []struct {
		statements string
		read       bool
		limit      int64 // never: none
	}{
		{"", false, never},
		{"count := count + 1;", false, never},
		{"count := count - 1;", false, never},
		{"count := twice(count);", false, never},
		{"other := count;", false, never},
		{"other := count + 2 * count; count := other;", false, never},
		{"int x := count; other := x;", false, never},
		{"other := count; if (other == 1) { w := true; }", true, 2},
		{"if (count == 4) { w := true; }", true, 5},
		{"if (4 >= count) { w := true; } count := count + 1;", true, 5},
		{"if (count > most) { w := true; }", true, 12},
		{"if (count < 2 && count != 7) { w := true; } count := 1 + count;", true, 8},
		{"if (count < 2) { w := true; } count := count - 1;", true, never},
		{"if (count < 2) { w := true; } count := (count + 5) - 5;", true, never},
		{"if (count < other) { w := true; }", true, never},
		{"if (count + 1 < 5) { w := true; }", true, never},
		{"if (twice(count) < 5) { w := true; }", true, never},
		{"if (same(count) < 5) { w := true; }", true, never}, // what a function gives is no copy
		{"if (small(count)) { w := true; }", true, 4},
		{"other := count; if (other == 8) { w := true; } if (count == 2) { w := true; }", true, 9},
		{"other := count + 1; if (other == 8) { w := true; }", true, never},
		{"int x := count; other := x; if (other == 8) { w := true; }", true, 9},
		{"other := count; count := other; if (other == 8) { w := true; }", true, 9},
		{"w := count == 1;", true, 2},
		{"assert(count < 3);", true, 4},
	} {
		m := edited(t, c.statements)
		n := Analyze(m, func(*types.Type) bool { return false }, func(v *types.Var) (int64, bool) { return 11, v.Name == "most" })
		count := variable(t, m, "count")
		if read := !n.Unread(count); read != c.read {
			t.Errorf("%q: read is %v, want %v", c.statements, read, c.read)
		}
		limit, ok := n.Limit(count)
		if !ok {
			limit = never
		}
		if limit != c.limit {
			t.Errorf("%q: limit %d, want %d", c.statements, limit, c.limit)
		}
		if line := variable(t, m, "line"); n.Unread(line) {
			t.Errorf("%q: an address is a number", c.statements)
		}
	}
}

func variable(t *testing.T, p *types.Protocol, name string) *types.Var {
	t.Helper()
	for _, m := range p.Machines {
		for _, v := range m.Objects {
			if v.Name == name {
				return v
			}
		}
	}
	t.Fatalf("no variable %s", name)
	return nil
}

// edited is MI with statements in the action that asks for a line.
func edited(t *testing.T, statements string) *types.Protocol {
	t.Helper()
	const file, before, action = "MI_example-cache.sm", "  void set_cache_entry(", "    enqueue(requests, RequestMsg, request_latency) {\n      out_msg.addr := address;\n      out_msg.Type := RequestKind:GETX;\n"
	const declared = `  int count, default="0";
  int other, default="0";
  bool w, default="false";
  Addr line;
  int twice(int x) { return x + x; }
  int same(int x) { return x; }
  bool small(int x) { return x < 3; }
`
	fsys := fstest.MapFS{}
	names, err := fs.Glob(protocols.Files(), "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(protocols.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if name == file {
			for _, edit := range [][2]string{{"bool send_evictions", "int most := 11; "}, {before, declared}, {action, statements + "\n"}} {
				if n := strings.Count(text, edit[0]); n != 1 {
					t.Fatalf("%s has %q %d times", file, edit[0], n)
				}
				text = strings.Replace(text, edit[0], edit[1]+edit[0], 1)
			}
		}
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	tree, err := syntax.Load(fsys, "MI_example.slicc")
	if err != nil {
		t.Fatal(err)
	}
	p, err := compiler.Check(tree)
	if err != nil {
		t.Fatalf("%q: %v", statements, err)
	}
	return p
}
