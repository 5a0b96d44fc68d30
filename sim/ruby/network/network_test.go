package network

import (
	"math/rand/v2"
	"testing"

	"ordeal/sim/builtin/event"
)

// TestChannelsAreFIFO sends random messages and compares arrivals pairwise:
// never out of order in a channel, often between channels.
func TestChannelsAreFIFO(t *testing.T) {
	type message struct {
		channel       [3]int
		left, arrives event.Tick
	}
	const endpoints = 3
	models := []event.Latency{{Base: 2, Jitter: 20}, {Base: 5}}
	n := New(endpoints, models, 1)
	random := rand.New(rand.NewPCG(1, 1))
	var sent []message
	now := event.Tick(0)
	for range 2000 {
		now += event.Tick(random.IntN(3))
		m := message{channel: [3]int{random.IntN(endpoints), random.IntN(endpoints), random.IntN(len(models))}, left: now}
		m.arrives = n.Arrival(now, m.channel[0], m.channel[1], m.channel[2], true)
		sent = append(sent, m)
	}
	overtaken := map[[3]bool]int{} // by what differs: source, destination, network
	for i, first := range sent {
		vnet := first.channel[2]
		if first.arrives < first.left+models[vnet].Base {
			t.Fatalf("a message takes %d ticks on network %d", first.arrives-first.left, vnet)
		}
		if vnet == 1 && first.arrives != first.left+models[1].Base {
			t.Fatalf("a message takes %d ticks without jitter, want %d", first.arrives-first.left, models[1].Base)
		}
		for _, second := range sent[i+1:] {
			if second.arrives >= first.arrives {
				continue
			}
			if first.channel == second.channel {
				t.Fatalf("%+v is overtaken by %+v in its channel", first, second)
			}
			var differs [3]bool
			for k := range differs {
				differs[k] = first.channel[k] != second.channel[k]
			}
			overtaken[differs]++
		}
	}
	for _, differs := range [][3]bool{{true, false, false}, {false, true, false}, {false, false, true}} {
		if overtaken[differs] == 0 {
			t.Errorf("no message is overtaken by one that differs in %v of source, destination, network", differs)
		}
	}
}

// TestUnordered sends along one channel of an ordered and one of an
// unordered virtual network.
func TestUnordered(t *testing.T) {
	n := New(2, []event.Latency{{Base: 2, Jitter: 20}, {Base: 2, Jitter: 20}}, 1)
	n.Ordered = []bool{true, false}
	var last, overtaken [2]event.Tick
	for now := range event.Tick(500) {
		for vnet := range last {
			at := n.Arrival(now, 0, 1, vnet, false)
			if at < last[vnet] {
				overtaken[vnet]++
			}
			last[vnet] = at
		}
	}
	if overtaken[0] != 0 || overtaken[1] < 50 {
		t.Errorf("overtaken: %d on the ordered network, %d of 500 on the other", overtaken[0], overtaken[1])
	}
}

func TestSameSeedSameArrivals(t *testing.T) {
	arrivals := func(seed uint64) (list [50]event.Tick) {
		n := New(2, []event.Latency{{Base: 1, Jitter: 50}}, seed)
		for i := range list {
			list[i] = n.Arrival(event.Tick(i)*1000, 0, 1, 0, false)
		}
		return list
	}
	if first, again := arrivals(1), arrivals(1); first != again {
		t.Error("one seed has two runs")
	}
	if arrivals(1) == arrivals(2) {
		t.Error("seeds 1 and 2 have the same run")
	}
}

// TestOccupied sends messages with data and without from and to links that messages
// with data occupy for four ticks.
func TestOccupied(t *testing.T) {
	n := New(3, []event.Latency{{Base: 6}, {Base: 6}}, 1)
	n.Occupancy = 4
	for _, reset := range []bool{false, true} {
		if reset {
			n.Reset(1)
		}
		for i, m := range []struct {
			sent                event.Tick
			source, to, network int
			data                bool
			departs, arrives    event.Tick
		}{
			{0, 0, 1, 0, true, 0, 6},
			{0, 0, 2, 0, true, 4, 10},    // behind the first one
			{0, 0, 1, 0, false, 8, 14},   // behind both, and occupies nothing itself
			{0, 0, 1, 1, false, 0, 6},    // on another network
			{5, 1, 2, 0, true, 5, 14},    // reaches a link that is occupied from 10 on
			{6, 1, 2, 0, false, 9, 18},   // behind that one
			{1, 2, 2, 0, true, 1, 7},     // before both
			{30, 1, 2, 0, true, 30, 36},  // all links are free
			{30, 0, 1, 0, false, 30, 36}, // likewise
			{30, 0, 1, 0, false, 30, 36},
		} {
			departs := n.Departure(m.sent, m.source, m.network, m.data)
			arrives := n.Arrival(departs, m.source, m.to, m.network, m.data)
			if departs != m.departs || arrives != m.arrives {
				t.Errorf("message %d departs at %d and arrives at %d, want %d and %d", i, departs, arrives, m.departs, m.arrives)
			}
		}
	}
}
