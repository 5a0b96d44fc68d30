package mutate

import (
	"slices"
	"strings"
	"testing"

	"ordeal/sim/slicc/syntax"
)

// sending is a protocol of two machines, the first of which sends what triggers events of the second.
const sending = `machine(MachineType:A, "a") : int n; {
  state_declaration(State, desc="") { I, AccessPermission:Invalid, desc=""; S, AccessPermission:Busy, desc=""; M, AccessPermission:Busy, desc=""; }
  structure(TBE, desc="") { MachineID Owner, desc=""; int Len, desc=""; }
  bool holds(State s) { if (valid && (s == State:S || s == State:M)) { return true; } return s == State:M; }
  action(x, "x", desc="") { enqueue(out, T, 1) { out_msg.Type := K:ONE; out_msg.Destination.add(in_msg.Requestor); } }
  action(y, "y", desc="") { enqueue(out, T, 1) { out_msg.Type := K:TWO; out_msg.Destination.add(tbe.Owner); } }
}
machine(MachineType:B, "b") : int n; {
  in_port(p, T, b) { peek(p, T) { if (in_msg.Type == K:ONE) { trigger(Event:Data, in_msg.addr); } else if (in_msg.Type == K:TWO) { trigger(Event:Ack, in_msg.addr); } } }
}
protocol "P";
`

func catalogueOf(t *testing.T, text string) *Catalogue {
	t.Helper()
	f, err := syntax.Parse("t.sm", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCatalogue(f)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestWider requires a condition with several states to hold in the one that it lacks, and one with
// a single state to stay as it is.
func TestWider(t *testing.T) {
	c := catalogueOf(t, sending)
	var got []string
	for _, a := range c.Repairs() {
		if a.Operator != Also {
			continue
		}
		m, err := c.Find(a.ID)
		if err != nil {
			t.Fatal(err)
		}
		if text := syntax.PrintAll(c.Tree(m)); !strings.Contains(text, "if (valid && (s == State:S || s == State:M || s == State:I))") {
			t.Errorf("%s:\n%s", a.ID, text)
		}
		got = append(got, a.State+" "+a.ID)
	}
	if want := []string{"I P/A/holds/also:s == State:I@s == State:M"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestReceivers requires a message to be sent to each controller that the TBE names, once.
func TestReceivers(t *testing.T) {
	var got []string
	c := catalogueOf(t, strings.Replace(sending, "out_msg.Destination.add(tbe.Owner)", "go()", 1))
	for _, a := range append(c.Repairs(), catalogueOf(t, sending).Repairs()...) {
		if strings.Contains(a.ID, "/call:out_msg.Destination.add(in_msg.Requestor)") {
			got = append(got, a.ID)
		}
	}
	const want = "P/A/x/call:out_msg.Destination.add(in_msg.Requestor)>out_msg.Destination.add(tbe.Owner)"
	if !slices.Equal(got, []string{want, want}) {
		t.Errorf("%q, want %s once of each", got, want)
	}
}

// TestSenders requires the action that sends the type that a port asks for before it triggers an
// event.
func TestSenders(t *testing.T) {
	c := catalogueOf(t, sending)
	for event, want := range map[string][]Sender{"Data": {{Machine: "A", Action: "x"}}, "Ack": {{Machine: "A", Action: "y"}}, "Load": nil} {
		if got := c.Senders("B", event); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", event, got, want)
		}
	}
}
