// Package network says when messages arrive. Messages between two endpoints
// on one virtual network arrive in the order in which they left; nothing else
// is promised. This is what gem5's simple network guarantees, without its
// timing: every order of arrival that it can show, this network can show too.
package network

import (
	"math/rand/v2"

	"ordeal/sim/builtin/event"
)

// stream is the second word of the PCG that draws latencies.
const stream = 0x6e6574776f726b // "network"

// Network is a crossbar between endpoints.
type Network struct {
	endpoints int
	latency   []event.Latency
	random    *rand.PCG
	// last holds the latest arrival of each channel.
	last []event.Tick
}

// New makes a network with one latency model for each virtual network. Models
// differ where a protocol needs one of them bounded.
func New(endpoints int, byVirtualNetwork []event.Latency, seed uint64) *Network {
	return &Network{
		endpoints: endpoints, latency: byVirtualNetwork, random: rand.NewPCG(seed, stream),
		last: make([]event.Tick, endpoints*endpoints*len(byVirtualNetwork)),
	}
}

// Arrival is the tick at which a message arrives that leaves its source now,
// the first tick after now or later. Calls for one channel come in the order
// in which the messages leave their source. Two messages of a channel may
// arrive at one tick; the receiver keeps them in order.
func (n *Network) Arrival(now event.Tick, source, destination, virtualNetwork int) event.Tick {
	last := &n.last[(virtualNetwork*n.endpoints+source)*n.endpoints+destination]
	*last = max(*last, now+n.latency[virtualNetwork].Draw(n.random))
	return *last
}
