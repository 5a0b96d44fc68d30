package mutate

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ordeal/sim/slicc/syntax"
)

// TestGuards requires guards where statements lack them, and none where a body has one: with
// the text that each puts in, in front of the statement or after it.
func TestGuards(t *testing.T) {
	const text = `machine(MachineType:A, "a") : int n; {
  action(v, "v", desc="") { TBEs.allocate(address); }
  action(has, "h", desc="") { check_allocate(TBEs); TBEs.allocate(address); }
  action(room, "r", desc="") { cache.allocate(address); }
  action(w, "w", desc="") { TBEs.deallocate(address); }
  action(unset, "u", desc="") { TBEs.deallocate(address); unset_tbe(); }
  action(line, "l", desc="") { cache.deallocate(address); }
  in_port(p, T, b) { peek(p, T) { trigger(Event:Load, in_msg.LineAddress); Addr victim := cache.cacheProbe(in_msg.LineAddress); trigger(Event:Evict, victim); } }
  in_port(q, T, b) { peek(q, T) { trigger(Event:Evict, cache.cacheProbe(in_msg.LineAddress)); } }
  in_port(r, T, b) { peek(r, T) { check_on_cache_probe(r, a); trigger(Event:Evict, cache.cacheProbe(a)); } }
  in_port(s, T, b) { peek(s, T) { trigger(Event:Ack, address); } }
  in_port(t, T, b) { peek(t, T) { trigger(Event:Data, in_msg.addr, TBEs[in_msg.addr]); trigger(Event:Ack, makeLineAddress(in_msg.addr)); } }
  TimerTable timer;
  void wakeUpBuffers(Addr a);
  action(z, "z", desc="") { p.recycle(clockEdge(), cyclesToTicks(latency)); }
  action(late, "t", desc="") { timer.set(address, cyclesToTicks(latency)); timer.set(address, clockEdge() + cyclesToTicks(latency)); table.set(address, cyclesToTicks(latency)); }
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
	want := map[string]string{
		"v/put:check_allocate(TBEs)@TBEs.allocate(address)":                                                                                                "check_allocate(TBEs); TBEs.allocate(address);",
		"w/add:unset_tbe()@TBEs.deallocate(address)":                                                                                                       "TBEs.deallocate(address); unset_tbe();",
		"line/add:unset_cache_entry()@cache.deallocate(address)":                                                                                           "cache.deallocate(address); unset_cache_entry();",
		"p/put:check_on_cache_probe(victim)@trigger(Evict)":                                                                                                "check_on_cache_probe(p, victim); trigger(Event:Evict, victim);",
		"q/put:check_on_cache_probe(cache.cacheProbe(in_msg.LineAddress))@trigger(Evict)":                                                                  "Addr line_to_evict := cache.cacheProbe(in_msg.LineAddress); check_on_cache_probe(q, line_to_evict); trigger(Event:Evict, cache.cacheProbe(in_msg.LineAddress));",
		"z/call:p.recycle(clockEdge(), cyclesToTicks(latency))>stall_and_wait(p, address)":                                                                 `"z", desc="") { stall_and_wait(p, address); }`,
		"late/call:timer.set(address, cyclesToTicks(latency))>timer.set(address, clockEdge() + cyclesToTicks(latency))":                                    `"t", desc="") { timer.set(address, clockEdge() + cyclesToTicks(latency));`,
		"t/call:trigger(Event:Data, in_msg.addr, TBEs[in_msg.addr])>trigger(Event:Data, makeLineAddress(in_msg.addr), TBEs[makeLineAddress(in_msg.addr)])": "trigger(Event:Data, makeLineAddress(in_msg.addr), TBEs[makeLineAddress(in_msg.addr)]);",
	}
	for _, a := range c.Repairs() {
		if a.Guard == "" {
			continue
		}
		name := strings.TrimPrefix(a.ID, "P/A/")
		with, ok := want[name]
		if !ok {
			t.Errorf("a guard %s", name)
			continue
		}
		delete(want, name)
		m, err := c.Find(a.ID)
		if err != nil {
			t.Error(err)
			continue
		}
		words := strings.Join(strings.Fields(syntax.PrintAll(c.Tree(m))), " ")
		if !strings.Contains(words, with) {
			t.Errorf("%s: %s", name, words)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", slices.Sorted(maps.Keys(want)))
	}
}
