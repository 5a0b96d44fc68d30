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
	// Occupancy is for how many ticks a message with data occupies the link on which it
	// leaves its source, and then the one on which it reaches its destination: those
	// behind it on its virtual network wait. 0: links are never occupied.
	Occupancy event.Tick
	// out and in are the links of each controller, by virtual network.
	out, in []link

	topology         Topology
	routers, columns int          // of a mesh
	links            []link       // of the topology
	tails            []event.Tick // of Randomized, the latest arrival in each buffer of a link
	hops             []int        // of path
}

// link is the last period in which a link is occupied.
type link struct{ since, until event.Tick }

// New makes a network between so many controllers. The seed decides the latencies.
func New(endpoints int, byVirtualNetwork []event.Latency, seed uint64) *Network {
	return &Network{
		endpoints: endpoints, latency: byVirtualNetwork, random: rand.NewPCG(seed, stream),
		last: make([]event.Tick, endpoints*endpoints*len(byVirtualNetwork)),
		out:  make([]link, endpoints*len(byVirtualNetwork)), in: make([]link, endpoints*len(byVirtualNetwork)),
	}
}

// Reset forgets all messages; the seed decides the latencies from now on.
func (n *Network) Reset(seed uint64) {
	n.random.Seed(seed, stream)
	clear(n.last)
	clear(n.out)
	clear(n.in)
	clear(n.links)
	clear(n.tails)
}

// Departure is the tick, now or later, at which a message leaves its source that is
// sent now, to however many destinations: once the link is free. As in gem5's
// Throttle, a message with data does not wait for its own transfer.
func (n *Network) Departure(now event.Tick, source, virtualNetwork int, data bool) event.Tick {
	if n.Occupancy == 0 || n.topology != Direct {
		return now
	}
	return n.occupy(&n.out[virtualNetwork*n.endpoints+source], now, data)
}

// occupy is when a message that comes to a link at a tick passes it.
func (n *Network) occupy(l *link, at event.Tick, data bool) event.Tick {
	if at < l.since { // before others, whose latency was longer
		return at
	}
	passes := max(at, l.until)
	if data {
		if at >= l.until {
			l.since = at
		}
		l.until = passes + n.Occupancy
	}
	return passes
}

// Arrival is the tick, after its departure, at which a message arrives, with data
// or without. Calls for one channel come in the order in which messages leave
// their source. Two messages of a channel may arrive at one tick; the receiver
// keeps them in order.
func (n *Network) Arrival(departure event.Tick, source, destination, virtualNetwork int, data bool) event.Tick {
	at := departure
	if n.topology != Direct {
		at = n.along(at, source, destination, virtualNetwork, data)
	} else if at += n.latency[virtualNetwork].Draw(n.random); n.Occupancy > 0 {
		at = n.occupy(&n.in[virtualNetwork*n.endpoints+destination], at, data)
	}
	if n.Ordered != nil && !n.Ordered[virtualNetwork] {
		return at
	}
	last := &n.last[(virtualNetwork*n.endpoints+source)*n.endpoints+destination]
	*last = max(*last, at)
	return *last
}
