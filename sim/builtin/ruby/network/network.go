// Package network says when the messages of a protocol arrive.
package network

import (
	"math/rand/v2"

	"ordeal/sim/builtin/event"
)

// stream is the second word of the PCG that draws latencies of messages.
const stream = 0x6e6574776f726b // "network"

// Network says when messages arrive. Messages from one controller to another
// on one ordered virtual network arrive in the order in which they left; no other
// order is kept. This is what gem5's simple network guarantees, without its timing:
// every order of arrival possible there is possible here.
type Network struct {
	endpoints int
	latency   []event.Latency // by virtual network
	random    *rand.PCG
	last      []event.Tick // the latest arrival of each channel
	// Ordered says which virtual networks keep the order of a channel; nil: all.
	Ordered []bool
}

// New makes a network between so many controllers. The seed decides the latencies.
func New(endpoints int, byVirtualNetwork []event.Latency, seed uint64) *Network {
	return &Network{
		endpoints: endpoints, latency: byVirtualNetwork, random: rand.NewPCG(seed, stream),
		last: make([]event.Tick, endpoints*endpoints*len(byVirtualNetwork)),
	}
}

// Reset forgets all messages; the seed decides the latencies from now on.
func (n *Network) Reset(seed uint64) {
	n.random.Seed(seed, stream)
	clear(n.last)
}

// Arrival is the tick, after now, at which a message arrives that leaves its
// source now. Calls for one channel come in the order in which messages leave
// their source. Two messages of a channel may arrive at one tick; the receiver
// keeps them in order.
func (n *Network) Arrival(now event.Tick, source, destination, virtualNetwork int) event.Tick {
	at := now + n.latency[virtualNetwork].Draw(n.random)
	if n.Ordered != nil && !n.Ordered[virtualNetwork] {
		return at
	}
	last := &n.last[(virtualNetwork*n.endpoints+source)*n.endpoints+destination]
	*last = max(*last, at)
	return *last
}
