package serial

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/check/witness"
	"ordeal/parse"
)

// TestFromHistory: store buffering with a transaction, a fence and an update.
func TestFromHistory(t *testing.T) {
	h := &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, Loc: 0, Write: 1, RF: parse.NoOp},
			{Kind: parse.Read, Loc: 1, RF: parse.Init},
			{Kind: parse.Fence, Loc: -1, Mask: parse.FullFence, RF: parse.NoOp},
			{Kind: parse.Fence, Loc: -1, Mask: parse.LoadLoad, RF: parse.NoOp},
			{Kind: parse.RMW, Loc: 1, Read: 2, Write: 3, RF: 6},
			{Kind: parse.Read, Loc: 1, Read: 3, RF: 4},
			{Kind: parse.Write, Loc: 1, Write: 2, RF: parse.NoOp},
			{Kind: parse.Read, Loc: 0, RF: parse.Init},
		},
		Start: []parse.OpID{0, 6, 8}, ThreadNames: []string{"0", "1"}, Locations: []string{"x", "y"},
		Transactions: []parse.Transaction{{First: 0, End: 3}, {First: 4, End: 6}, {First: 6, End: 8}},
	}
	s, err := FromHistory(h, &witness.Order{Ops: []parse.OpID{1, 7, 0, 6, 4, 5}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `ordeal-events 1
execution
threads 0 1
variables x y
0 begin
0 write x
0 read y
1 begin
1 write y
1 read x
1 end
0 commit x
1 commit y
0 fence
0 end
0 begin
0 update y
0 read y
0 end
`
	if d := cmp.Diff(want, string(s.Text())); d != "" {
		t.Errorf("execution (-want +got):\n%s", d)
	}
	for _, row := range []struct {
		order *witness.Order
		want  string
	}{
		{&witness.Order{Ops: []parse.OpID{1, 7, 6, 0, 4, 5, 1}}, "operation 1 of thread 0: it is not in program order"},
		{&witness.Order{Ops: []parse.OpID{1, 7, 6, 4, 5, 0}}, "fence of thread 0 while its store buffer holds"},
		{&witness.Order{Ops: []parse.OpID{1, 7, 6, 6, 0, 4, 5}}, "operation 0 of thread 1: it is not the oldest in its store buffer"},
		{nil, "there is no order"},
	} {
		_, err := FromHistory(h, row.order)
		if got := fmt.Sprint(err); !strings.Contains(got, row.want) {
			t.Errorf("order %v: %s, want %q", row.order, got, row.want)
		}
	}
}
