package mutate

import (
	"slices"
	"strings"
	"testing"

	"ordeal/sim/protocols"
	"ordeal/sim/slicc/syntax"
)

// TestRepairs requires every repair to be found by its name, to be there once, and to change
// the text into another one that can be read.
func TestRepairs(t *testing.T) {
	const root = "MI_example.slicc"
	tree, err := syntax.Load(protocols.Files(), root)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCatalogue(tree)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	operators := map[Operator]int{}
	for i, a := range c.Repairs() {
		if ids[a.ID] {
			t.Errorf("%s is listed twice", a.ID)
		}
		ids[a.ID] = true
		if operators[a.Operator]++; operators[a.Operator]%7 != 1 || i > 400 {
			continue
		}
		if m, err := c.Find(a.ID); err != nil || m.ID != a.ID {
			t.Errorf("%s: found %s, %v", a.ID, m.ID, err)
		}
		if files, err := Text(protocols.Files(), root, a.ID); err != nil || len(files) != 1 || string(files[0].Old) == string(files[0].New) {
			t.Errorf("%s: %d files, %v", a.ID, len(files), err)
		}
	}
	for _, op := range []Operator{Add, Call, Case, Set} {
		if operators[op] == 0 {
			t.Errorf("no repair by %s", op)
		}
	}
}

// TestRepairPoints lists the repairs of a small body, in which an action may say what others
// say, with the statements that each puts into the text.
func TestRepairPoints(t *testing.T) {
	const text = `machine(MachineType:A, "a") : int n; {
  action(x, "x", desc="") { free(a); unset(); out.addr := b; go(one, two); }
  action(y, "y", desc="") { free(a); out.addr := c; error("no"); go(one, three); free(a); }
  in_port(p, T, b) { if (m.Type == K:ONE || m.Type == K:TWO) { go(one, two); } }
  void functionalRead(Addr addr, Packet *pkt) { out.addr := d; }
  void setState(Addr addr) { assert(three); out.addr := d; if (one) { go(one, two); } }
  int least(int n) { if (n == one) { return two; } return three; }
  action(u, "u", desc="") { tbe.Dirty := true; tbe.Dirty := false; }
  action(v, "v", desc="") { assert(tbe.n != three); assert(tbe.n == two); out.addr := b; out.len := one; }
}
protocol "P";
`
	f, err := syntax.Parse("t.sm", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCatalogue(f)
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Split(syntax.PrintAll(f), "\n")
	var got []string
	for _, a := range c.Repairs() {
		m, err := c.Find(a.ID)
		if err != nil {
			t.Fatal(err)
		}
		after := strings.Split(syntax.PrintAll(c.Tree(m)), "\n")
		at := 0 // of the first line that differs
		for after[at] == before[at] {
			at++
		}
		got = append(got, a.Place+"/"+strings.TrimPrefix(a.ID, "P/A/"+a.Place+"/")+" => "+strings.TrimSpace(after[at-1])+" "+strings.TrimSpace(after[at]))
	}
	want := []string{
		`x/add:unset()@free(a) => unset(); unset();`,
		`x/set:out.addr=c => unset(); out.addr := c;`,
		`x/set:out.addr=d => unset(); out.addr := d;`,
		`x/add:out.len := one@out.addr := b => out.addr := b; out.len := one;`,
		`x/call:go(one, two)>go(one, three) => out.addr := b; go(one, three);`,
		`y/add:unset()@free(a) => free(a); unset();`,
		`y/set:out.addr=b => free(a); out.addr := b;`,
		`y/set:out.addr=d => free(a); out.addr := d;`,
		`y/add:out.len := one@out.addr := c => out.addr := c; out.len := one;`,
		`y/call:error("no")>free(a) => out.addr := c; free(a);`,
		`y/call:error("no")>go(one, three) => out.addr := c; go(one, three);`,
		`y/call:go(one, three)>go(one, two) => error("no"); go(one, two);`,
		`y/add:free(a)@go(one, three) => free(a); free(a);`,
		`y/add:unset()@free(a)#2 => free(a); unset();`,
		`p/omit:m.Type == K:ONE => in_port(p, T, b) { if (m.Type == K:TWO) {`,
		`p/omit:m.Type == K:TWO => in_port(p, T, b) { if (m.Type == K:ONE) {`,
		`p/case:K:ONE>K:TWO => in_port(p, T, b) { if (m.Type == K:TWO || m.Type == K:TWO) {`,
		`p/case:K:TWO>K:ONE => in_port(p, T, b) { if (m.Type == K:ONE || m.Type == K:ONE) {`,
		`p/call:go(one, two)>go(one, three) => if (m.Type == K:ONE || m.Type == K:TWO) { go(one, three);`,
		`least/omit:n == one => int least(int n) { if (true) {`,
		`u/set:tbe.Dirty=false#2 => action(u, "u", desc="") { tbe.Dirty := false;`, // the mutant is named so without a number
		`u/set:tbe.Dirty=true#2 => tbe.Dirty := true; tbe.Dirty := true;`,
		`v/skip:assert(tbe.n != three) => action(v, "v", desc="") { assert(tbe.n == two);`,
		`v/skip:assert(tbe.n == two) => assert(tbe.n != three); out.addr := b;`,
		`v/make:tbe.n == two => assert(tbe.n != three); tbe.n := two;`,
		`v/set:out.addr=c => assert(tbe.n == two); out.addr := c;`,
		`v/set:out.addr=d => assert(tbe.n == two); out.addr := d;`,
		`functionalRead/set:out.addr=b => void functionalRead(Addr addr, Packet * pkt) { out.addr := b;`,
		`functionalRead/set:out.addr=c => void functionalRead(Addr addr, Packet * pkt) { out.addr := c;`,
		`functionalRead/add:out.len := one@out.addr := d => out.addr := d; out.len := one;`,
		`setState/skip:assert(three) => void setState(Addr addr) { out.addr := d;`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestData requires the actions that pass on data of a message, and no others.
func TestData(t *testing.T) {
	const text = `machine(MachineType:A, "a") : int n; {
  action(x, "x", desc="in_msg.DataBlk") { free(a); }
  action(y, "y", desc="") { peek(p, T) { entry.DataBlk := in_msg.DataBlk; } }
  action(z, "z", desc="") { peek(p, T) { TBEs.allocate(address); tbe.DataBlk := in_msg.DataBlk; } }
  action(b, "b", desc="") { peek(p, T) { if (go(in_msg.DataBlk)) { free(a); } } }
}
protocol "P";
`
	f, err := syntax.Parse("t.sm", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCatalogue(f)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(c.Data()["A"], " "); got != "b y" {
		t.Errorf("%q, want b and y", got)
	}
}

// TestQueues requires the actions that do nothing but take a message or let it wait.
func TestQueues(t *testing.T) {
	const text = `machine(MachineType:A, "a") : int n; {
  action(x, "x", desc="") { p.dequeue(now()); }
  action(y, "y", desc="") { p.recycle(now(), later()); }
  action(z, "z", desc="") { stall_and_wait(q, address); }
  action(b, "b", desc="") { p.dequeue(now()); free(a); }
  action(c, "c", desc="") { p.dequeue2(now()); }
  action(d, "d", desc="") { profile(p.dequeue(now())); }
  action(e, "e", desc="") { Tick delay := p.dequeue(now()); profileDelay(0, delay); }
  action(f, "f", desc="") { Tick delay := p.dequeue(now()); go(delay); }
  action(g, "g", desc="") { p.dequeue(now()); q.dequeue(now()); }
}
protocol "P";
`
	f, err := syntax.Parse("t.sm", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCatalogue(f)
	if err != nil {
		t.Fatal(err)
	}
	want := []Queue{{Machine: "A", Action: "d", Port: "p"}, {Machine: "A", Action: "e", Port: "p"}, {Machine: "A", Action: "x", Port: "p"}, {Machine: "A", Action: "y", Port: "p", Waits: true}, {Machine: "A", Action: "z", Port: "q", Waits: true}}
	if got := c.Queues(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
