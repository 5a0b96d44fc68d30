package parse_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
)

// TestNativeTransactions: transactions of every round, delays left out; what
// a partial log lacks is cut off.
func TestNativeTransactions(t *testing.T) {
	p := mustProgram(t, `ordeal-program 1
layout spread
locations x
thread 0
begin
delay 3
end
load x
begin
load x
delay 2
load x
end
load x
thread 1
begin
store x 1
fence
end
`)
	w := wire.NewWriter(p, 2)
	second := w.AppendThread(nil, 1, nil)
	whole := w.AppendThread(second, 0, make([]gen.Value, 8))
	h, err := parse.Native(p, 2, whole)
	if err != nil {
		t.Fatal(err)
	}
	want := []parse.Transaction{{First: 1, End: 3}, {First: 5, End: 7}, {First: 8, End: 10}, {First: 10, End: 12}}
	if diff := cmp.Diff(want, h.Transactions); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	h, err = parse.Native(p, 2, w.AppendThread(w.AppendThread(nil, 1, nil), 0, make([]gen.Value, 6)))
	if err == nil {
		t.Fatal("no error of a partial log")
	}
	want = []parse.Transaction{{First: 1, End: 3}, {First: 5, End: 6}, {First: 6, End: 8}, {First: 8, End: 10}}
	if diff := cmp.Diff(want, h.Transactions); diff != "" {
		t.Errorf("partial (-want +got):\n%s", diff)
	}
}
