package bugs

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/audit"
)

// TestSameRepair requires the edit that puts back what was taken out to be the fix, and
// another edit of the row not to be.
func TestSameRepair(t *testing.T) {
	edit := &Edit{File: "MI_example-cache.sm", At: "transition(M, Replacement", Drop: "forward_eviction_to_cpu;"}
	trees := &Trees{Before: protocolFiles(t, edit), After: protocolFiles(t, nil)}
	fixed, err := checked(trees.After)
	if err != nil {
		t.Fatal(err)
	}
	const row, notice = "MI_example/L1Cache/(M,Replacement)/", "forward_eviction_to_cpu"
	actions, at := fixed.rows["L1Cache"][pair{"M", "Replacement"}].actions, 0
	for actions[at] != notice {
		at++
	}
	next := actions[at+1]
	fix := row + "insert:" + notice + "@" + next
	for id, want := range map[string]bool{
		fix: true, row + "insert:" + notice: false, row + "drop:" + next: false,
		fix + " + " + row + "next:I": false, fix + " + MI_example/L1Cache/a_issueGETX/skip:enqueue(requests)": false,
	} {
		if got, part, err := same(trees, id); err != nil || got != want || part != want {
			t.Errorf("%s for %v: %v, part %v, %v, want %v", id, actions, got, part, err, want)
		}
	}
	another := &Edit{File: "MI_example-cache.sm", At: "transition(MI, Writeback_Nack", Remove: true}
	trees.Before = protocolFiles(t, edit, another) // two bugs of one fix
	for id, want := range map[string]bool{fix: true, fix + " + " + row + "next:I": false, row + "insert:" + notice: false} {
		if equal, part, err := same(trees, id); err != nil || equal || part != want {
			t.Errorf("%s, with two bugs: %v, part %v, %v, want part %v", id, equal, part, err, want)
		}
	}
	if (&Repaired{Tried: 3}).Good() || !(&Repaired{Equal: 1}).Good() || !(&Repaired{Passes: 2}).Good() {
		t.Error("Good")
	}
}

// TestUncheckedRepairs requires what prevents a check of repairs to be a result: the
// search for other bugs goes on.
func TestUncheckedRepairs(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.slicc")
	for _, trees := range []*Trees{{Before: missing, After: missing}, {Before: missing}, nil} { // without trees it panics
		r := &Result{Trees: trees, Finding: new(audit.Finding)}
		found, err := new(Bench).repairs(t.Context(), r)
		if err != nil || found.Reason == "" || strings.HasPrefix(found.Reason, "panic: ") != (trees == nil) {
			t.Errorf("%+v: %v, %+v", trees, err, found)
		}
	}
}

// TestInterruptedRepairs requires an interrupted search to leave no result, with which a later call
// would take it for one that found nothing.
func TestInterruptedRepairs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := &Result{Trees: &Trees{}}
	if found, err := new(Bench).repairs(ctx, r); err == nil {
		t.Errorf("%+v", found)
	}
}

// TestPortOrder requires what leaves the order of ports as it is to be no part of a fix that moves
// one.
func TestPortOrder(t *testing.T) {
	trees := &Trees{Before: protocolFiles(t), After: protocolFiles(t, &Edit{File: "MI_example-cache.sm", At: "in_port(accesses", Before: "in_port(dataIn"})}
	if equal, part, err := same(trees, "MI_example/L1Cache/(M,Replacement)/next:I"); err != nil || equal || part {
		t.Errorf("%v, part %v, %v", equal, part, err)
	}
}
