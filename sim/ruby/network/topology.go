package network

import (
	"ordeal/gen/option"
	"ordeal/sim/builtin/event"
)

// Topology says which links there are between controllers, as configs/topologies of gem5 makes them
// for its simple network: a message takes a tick in the router before a link and one on it, and one
// with data keeps it occupied, whatever virtual network the next one is of (Throttle.cc).
type Topology uint8

// The topologies.
const (
	Direct       Topology = iota // no links: latencies are drawn
	Crossbar                     // a router for each controller, and one between them all
	Mesh                         // Mesh_XY.py: a router for each core, and controllers on them in turn
	PointToPoint                 // Pt2Pt.py: a router for each controller, and links between all of them
	// Randomized is Crossbar as gem5's testers have it (RubySystem.randomization): messages wait at
	// random in each buffer, and arrive in any order unless their virtual network is ordered.
	Randomized
)

var topologyNames = option.Names[Topology]{"none", "crossbar", "mesh", "point-to-point", "randomized"}

// Topologies lists the topologies.
func Topologies() []string { return topologyNames[:] }

// String is the name on the command line.
func (t Topology) String() string { return topologyNames.Of(t) }

// ParseTopology reads the name of a topology.
func ParseTopology(name string) (Topology, error) {
	if name == topologyNames[0] {
		return Direct, nil
	}
	return topologyNames.Parse("topology", name)
}

// DefaultOccupancy is how many ticks a message with data occupies a link of gem5's
// simple network: 72 bytes at 16 in a cycle (Throttle.cc, getLinkBandwidth).
const DefaultOccupancy event.Tick = 4

// Connect gives the network a topology for so many cores.
func (n *Network) Connect(t Topology, cores int) {
	n.topology, n.routers, n.columns = t, max(cores, 1), 1
	for c := 1; c*c <= n.routers; c++ {
		if n.routers%c == 0 {
			n.columns = n.routers / c // no fewer than there are rows
		}
	}
	if t != Direct {
		n.links = make([]link, max(n.endpoints*(n.endpoints+2), 4*n.routers+n.endpoints))
		n.tails = make([]event.Tick, 2*len(n.links)*len(n.latency))
	}
}

// path lists the links from one controller to another.
func (n *Network) path(source, destination int) []int {
	path, e := n.hops[:0], n.endpoints
	switch n.topology {
	case Crossbar, Randomized:
		path = append(path, source, e+destination, 2*e+destination)
	case PointToPoint:
		if source != destination {
			path = append(path, source*e+destination)
		}
		path = append(path, e*e+destination)
	case Mesh: // along the row, then along the column
		at, to := source%n.routers, destination%n.routers
		for at != to {
			direction, step := 0, 1
			switch x, goal := at%n.columns, to%n.columns; {
			case x > goal:
				direction, step = 1, -1
			case x == goal && at < to:
				direction, step = 2, n.columns
			case x == goal:
				direction, step = 3, -n.columns
			}
			path = append(path, 4*at+direction)
			at += step
		}
		path = append(path, 4*n.routers+destination)
	}
	n.hops = path
	return path
}

// along is when a message arrives that leaves its source at a tick.
func (n *Network) along(at event.Tick, source, destination, virtualNetwork int, data bool) event.Tick {
	path := n.path(source, destination)
	for i, l := range path {
		if n.topology != Randomized {
			at = n.occupy(&n.links[l], at+1, data) + 1
			continue
		}
		for side := range 2 { // the buffers before and after the link
			tail := &n.tails[(2*l+side)*len(n.latency)+virtualNetwork]
			if side == 0 || i+1 < len(path) || n.Ordered == nil || n.Ordered[virtualNetwork] {
				at = max(at, *tail)
			}
			at += n.randomTime()
			*tail = max(at, *tail)
		}
	}
	return at
}

// randomTime is random_time of gem5's MessageBuffer.cc.
func (n *Network) randomTime() event.Tick {
	drawn := n.random.Uint64()
	at := 1 + event.Tick(drawn&3)
	if drawn>>2&7 == 0 {
		at += 101 + event.Tick(drawn>>5%15)
	}
	return at
}
