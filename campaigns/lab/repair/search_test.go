package repair

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/config"
)

// found is a finding of a mutant of MI_example.
func found(t *testing.T, mutant, title string) *audit.Finding {
	t.Helper()
	r, err := audit.Run(t.Context(), audit.Options{
		Machine: config.Machine{Protocol: "mi", Mutant: mutant}, Seed: 1, Steps: 20_000_000, Engines: []audit.Engine{audit.Sample},
		Stop: func(f *audit.Finding) bool { return f.Title == title && len(f.Conditions) == 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stopped == nil {
		t.Fatalf("%s was not found in %d steps", title, r.Steps)
	}
	return r.Stopped
}

const (
	notice = "MI_example/L1Cache/(M,Fwd_GETX)/"
	load   = "MI_example/L1Cache/(MI,Load)/"
	both   = notice + "drop:forward_eviction_to_cpu + " + load + "delete"
)

// TestLater requires what comes up with a repair to be repaired by a second edit: as long as loads
// end runs of a writeback, the notice that is missing besides is not seen.
func TestLater(t *testing.T) {
	f := found(t, both, "invalid transition (MI, Load) of L1Cache")
	r, err := Search(t.Context(), Options{Finding: f, Tries: 60, Best: 8, Steps: 300_000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Repairs) == 0 {
		t.Fatalf("no repair in %d tries", r.Tried)
	}
	if best := r.Repairs[0]; len(best.New) > 0 || best.Edits != 2 || !strings.Contains(best.ID, load+"copy:") || !strings.Contains(best.ID, notice+"insert:forward_eviction_to_cpu") {
		t.Errorf("first repair of %d tries: %+v", r.Tried, best)
	}
}

// TestAlone requires a repair that takes the finding away alone: what the protocol shows besides is
// left.
func TestAlone(t *testing.T) {
	f := found(t, both, "load not repeated after L1Cache(M,Fwd_GETX)")
	r, err := Search(t.Context(), Options{Finding: f, Tries: 40, Best: 8, Steps: 300_000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Repairs) == 0 {
		t.Fatalf("no repair in %d tries", r.Tried)
	}
	if alone := r.Repairs[0]; !strings.HasPrefix(alone.ID, notice+"insert:") || strings.Contains(alone.ID, load) || len(alone.New) > 0 || len(alone.Left) == 0 {
		t.Errorf("first repair: %+v", alone)
	}
}

// countdown is a context that is canceled when it is asked for its error for the last time of
// so many.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   *atomic.Int64
}

func (c countdown) Err() error {
	if c.left.Add(-1) == 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// TestInterrupted requires a search that is interrupted to end with what it has, whatever it does
// then, and an audit that is not to count as passed.
func TestInterrupted(t *testing.T) {
	f := found(t, both, "load not repeated after L1Cache(M,Fwd_GETX)")
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Search(ctx, Options{Finding: f, Tries: 40, Best: 8, Steps: 300_000, Seed: 1, OnTry: func(int, string) { cancel() }})
	if err != nil || r.Tried != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	interrupted := 0 // within a step of the search
	for _, left := range []int64{16, 64, 128} {
		late, cancel := context.WithCancel(t.Context())
		c := countdown{late, cancel, new(atomic.Int64)}
		r, err := Search(c, Options{Finding: f, Tries: 40, Best: 8, Steps: 300_000, Seed: 1, OnTry: func(tried int, _ string) {
			if tried == 1 {
				c.left.Store(left)
			}
		}})
		if late.Err() != nil {
			interrupted++
		}
		if cancel(); err != nil || r == nil || r.Tried == 0 {
			t.Errorf("interrupted after %d looks at the context: %+v, %v", left, r, err)
		}
	}
	if interrupted < 3 {
		t.Errorf("%d searches were interrupted", interrupted)
	}
	s := &search{o: Options{Finding: f, Steps: 300_000}, base: f.Machine, stock: &audit.Report{}}
	n := &node{candidate: candidate{id: notice + "insert:forward_eviction_to_cpu"}, findings: []*audit.Finding{f}}
	if r, passes, err := s.audit(ctx, n); passes || err == nil {
		t.Errorf("audit: %+v, %v, %v", r, passes, err)
	}
}

// TestConfirm requires runs with other seeds to count against an edit that leaves the finding, and
// not against one that takes it away.
func TestConfirm(t *testing.T) {
	f := found(t, both, "load not repeated after L1Cache(M,Fwd_GETX)")
	s := &search{o: Options{Finding: f}, base: f.Machine, stock: &audit.Report{}, other: f, otherRuns: audit.ShowTries}
	for id, shows := range map[string]bool{"": true, notice + "insert:forward_eviction_to_cpu": false} {
		n := &node{candidate: candidate{id: id}, findings: []*audit.Finding{f}}
		if err := s.confirm(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		if shows != n.against(n.title) {
			t.Errorf("with %q %q comes up", id, n.title)
		}
	}
}
