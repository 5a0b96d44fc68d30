package builtin

import (
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/cache"
)

// withPrefetches gives the caches of the small protocol a queue of prefetches: a
// line that is not there is fetched, in state IP. A prefetcher sees the misses.
func withPrefetches(t *testing.T) string {
	t.Helper()
	return edited(t, "cache.sm",
		"machine(", `structure(RubyPrefetcher, external="yes") {
  void observeMiss(Addr, RubyRequestType);
}
machine(`,
		"  action(m_popMandatory, \"m\") {\n", `  action(v_observeMiss, "v") {
    peek(mandatoryPort, RubyRequest) {
      prefetcher.observeMiss(in_msg.LineAddress, in_msg.Type);
    }
  }
  action(m_popMandatory, "m") {
`,
		"    MessageBuffer * mandatoryQueue;\n", "    MessageBuffer * mandatoryQueue;\n    MessageBuffer * prefetchQueue;\n    RubyPrefetcher * prefetcher;\n",
		"    II, AccessPermission:Busy, desc=\"likewise, after a recall\";\n", "    II, AccessPermission:Busy;\n    IP, AccessPermission:Busy;\n",
		"    Replacement;\n    Grant;\n", "    Replacement;\n    Prefetch;\n    Grant;\n",
		"  out_port(returnPort, ReturnMsg, returnOut);\n", `  out_port(returnPort, ReturnMsg, returnOut);
  out_port(prefetchOut, RubyRequest, prefetchQueue);
  void enqueuePrefetch(Addr address, RubyRequestType type) {
    enqueue(prefetchOut, RubyRequest, 1) {
      out_msg.LineAddress := address;
      out_msg.Type := type;
    }
  }
  in_port(prefetchPort, RubyRequest, prefetchQueue) {
    if (prefetchPort.isReady(clockEdge())) {
      peek(prefetchPort, RubyRequest, block_on="LineAddress") {
        Entry cache_entry := getCacheEntry(in_msg.LineAddress);
        if (is_valid(cache_entry) || cacheMemory.cacheAvail(in_msg.LineAddress)) {
          trigger(Event:Prefetch, in_msg.LineAddress, cache_entry, TBEs[in_msg.LineAddress]);
        }
      }
    }
  }
  action(x_popPrefetch, "x") {
    prefetchPort.dequeue(clockEdge());
  }
`,
		"  transition(I, {Load, Store}, IM) {\n", "  transition(I, {Load, Store}, IM) {\n    v_observeMiss;\n",
		"  transition(M, Load) {\n", `  transition(I, Prefetch, IP) {
    a_allocate;
    g_get;
    x_popPrefetch;
  }
  transition(M, Prefetch) {
    x_popPrefetch;
  }
  transition(IP, Grant, M) {
    w_write;
    o_popOrder;
  }
  transition(M, Load) {
`,
		"transition({IM, MI, II}, {Load, Store, Replacement}) {", "transition({IM, IP, MI, II}, {Load, Store, Replacement, Prefetch}) {",
	)
}

// TestPrefetches runs programs while caches prefetch their lines at random.
func TestPrefetches(t *testing.T) {
	path := withPrefetches(t)
	r := newRunner(t, Options{SLICC: path, Core: core.OOO, Prefetch: 50})
	for seed := range uint64(3) {
		report := ends(t, r, sim.Job{Program: randomProgram(t, seed, 4), Rounds: 5, Seed: seed}, sim.Passed, "")
		for _, row := range report.Coverage {
			if row.State == "I" && row.Event == "Prefetch" && row.Count < 10 {
				t.Errorf("%d prefetches of lines that are not there", row.Count)
			}
		}
	}
	for _, o := range []Options{{Core: core.TSO, Prefetch: 9}, {Protocol: "mi", Core: core.TSO, Prefetch: 9}, {SLICC: path, Core: core.TSO, Prefetch: -1}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestPrefetchesBelow has second levels that are cores' own, or two cores share, prefetch in
// the place of caches that know no prefetches for stores: these and the cores' caches take
// prefetches, home nodes do not.
func TestPrefetchesBelow(t *testing.T) {
	path := withRoles(t)
	for _, edit := range [][2]string{
		{"machine(", `structure(RubyPrefetcherProxy, external="yes") {
  void completePrefetch(Addr);
}
machine(`},
		{"    MessageBuffer * mandatoryQueue;\n", "    MessageBuffer * mandatoryQueue;\n    MessageBuffer * prefetchQueue;\n    bool use_prefetcher, default=\"false\";\n"},
		{"    PutAck;\n", "    PutAck;\n    Prefetch;\n"},
		{"  Tick clockEdge();\n", "  Tick clockEdge();\n  RubyPrefetcherProxy proxy;\n"},
		{"  in_port(orderPort, OrderMsg", `  in_port(prefetchPort, RubyRequest, prefetchQueue) {
    if (prefetchPort.isReady(clockEdge())) {
      peek(prefetchPort, RubyRequest) {
        assert(use_prefetcher);
        trigger(Event:Prefetch, in_msg.LineAddress, getCacheEntry(in_msg.LineAddress), TBEs[in_msg.LineAddress]);
      }
    }
  }
  in_port(orderPort, OrderMsg`},
		{"  transition(I, {Load, Store}, IM) {", `  action(x_popPrefetch, "x") {
    proxy.completePrefetch(address);
    prefetchPort.dequeue(clockEdge());
  }
  transition({I, M, IM, MI, II}, Prefetch) {
    x_popPrefetch;
  }
  transition(I, {Load, Store}, IM) {`},
	} {
		replaceIn(t, path, "cache.sm", edit[0], edit[1])
	}
	const cores = 3
	for _, sharing := range []int{0, 2} {
		seconds := (cores + max(sharing, 1) - 1) / max(sharing, 1)
		took := map[int]int{}
		r := newRunner(t, Options{
			SLICC: path, Core: core.TSO, Hardware: ruby.Hardware{Banks: 2, Sharing: sharing}, Prefetch: 20,
			Trace: func(s ruby.Step) {
				if s.Machine == "Cache" && s.Event == "Prefetch" {
					took[s.Number]++
				}
			},
		})
		ends(t, r, sim.Job{Program: randomProgram(t, 5, cores), Rounds: 10, Seed: 1}, sim.Passed, "")
		for number := range cores + seconds {
			if took[number] == 0 {
				t.Errorf("%d cores share: cache %d of %d and %d second levels takes no prefetch", sharing, number, cores, seconds)
			}
			delete(took, number)
		}
		if len(took) > 0 {
			t.Errorf("%d cores share: caches that are neither a core's nor a second level take prefetches: %v", sharing, took)
		}
	}
}

// TestPrefetchStreams loads four lines in sequence: one more is prefetched when as many misses as
// are asked for have followed the first one (a load of a prefetched line is no miss).
func TestPrefetchStreams(t *testing.T) {
	path := withPrefetches(t)
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations a b c d\nthread 0\nload a\nload b\nload c\nload d\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		streams int
		want    uint64 // prefetches of lines that are not there
	}{{0, 0}, {1, 1}, {2, 1}, {3, 1}, {4, 0}} {
		r := newRunner(t, Options{SLICC: path, Core: core.InOrder, PrefetchStreams: tc.streams, Hardware: ruby.Hardware{Private: cache.Geometry{Sets: 8, Ways: 1}}})
		report := ends(t, r, sim.Job{Program: p, Rounds: 1, Seed: 1}, sim.Passed, "")
		var got uint64
		for _, row := range report.Coverage {
			if row.State == "I" && row.Event == "Prefetch" {
				got += row.Count
			}
		}
		if got != tc.want {
			t.Errorf("after %d misses in sequence there are %d prefetches, want %d", tc.streams, got, tc.want)
		}
	}
	for _, o := range []Options{{PrefetchStreams: 4}, {Protocol: "mi", PrefetchStreams: 4}, {SLICC: path, PrefetchStreams: -1}} {
		o.Core = core.TSO
		if _, err := New(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}
