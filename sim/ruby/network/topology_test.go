package network

import (
	"testing"

	"ordeal/sim/builtin/event"
)

// connected is a network of a topology for six controllers and four cores.
func connected(t Topology) *Network {
	n := New(6, []event.Latency{{Base: 99}, {Base: 99}}, 1)
	n.Occupancy = DefaultOccupancy
	n.Connect(t, 4)
	return n
}

// TestTopologies has messages take two ticks for each link: those of a router of one's own, of a central
// one and of the other's, or of two by two routers, on which controllers 4 and 5 are the second ones.
func TestTopologies(t *testing.T) {
	for _, c := range []struct {
		topology            Topology
		source, destination int
		want                event.Tick
	}{
		{Crossbar, 0, 1, 6}, {Crossbar, 2, 2, 6}, {PointToPoint, 0, 1, 4}, {PointToPoint, 5, 4, 4},
		{Mesh, 0, 4, 2}, {Mesh, 0, 1, 4}, {Mesh, 1, 0, 4}, {Mesh, 0, 2, 4}, {Mesh, 2, 0, 4}, {Mesh, 0, 3, 6}, {Mesh, 3, 4, 6}, {Mesh, 5, 2, 6},
	} {
		n := connected(c.topology)
		if got := n.Arrival(n.Departure(10, c.source, 0, true), c.source, c.destination, 0, true); got != 10+c.want {
			t.Errorf("%v: from %d to %d takes %d ticks, want %d", c.topology, c.source, c.destination, got-10, c.want)
		}
	}
}

// TestContention has a message wait for one with data that occupies a link which both need, on
// whatever virtual network, and no other.
func TestContention(t *testing.T) {
	for _, c := range []struct {
		name                       string
		topology                   Topology
		source, destination, other int // of the second message
		data                       bool
		want                       event.Tick
	}{
		{"the same way", Crossbar, 0, 1, 1, true, 10}, {"without data", Crossbar, 0, 1, 1, false, 6}, {"to another", Crossbar, 0, 2, 1, true, 10},
		{"from another", Crossbar, 2, 1, 1, true, 10}, {"from another to another", Crossbar, 2, 3, 1, true, 6},
		{"links of their own", PointToPoint, 0, 2, 1, true, 4}, {"a column of a mesh", Mesh, 1, 3, 3, true, 6},
	} {
		n := connected(c.topology)
		n.Arrival(0, 0, c.other, 0, c.data)
		got := n.Arrival(0, c.source, c.destination, 1, false)
		if c.topology == Mesh { // the first message comes by controller 1, two ticks later
			if got != 4 {
				t.Errorf("%s: a message that is earlier takes %d ticks, want 4", c.name, got)
			}
			got = n.Arrival(3, c.source, c.destination, 1, false) - 3
			c.want = 7 // the link is occupied from 3 to 7
		}
		if got != c.want {
			t.Errorf("%s: the second message takes %d ticks, want %d", c.name, got, c.want)
		}
	}
}

// TestRandomized keeps the order of an ordered virtual network, as all buffers on the way are, and not
// that of others, whose last buffer keeps no order.
func TestRandomized(t *testing.T) {
	n := connected(Randomized)
	n.Ordered = []bool{true, false}
	overtaken := [2]int{}
	for vnet := range 2 {
		last := event.Tick(0)
		for now := event.Tick(0); now < 2000; now += 7 {
			at := n.Arrival(now, 0, 1, vnet, true)
			if at < now+6 {
				t.Fatalf("a message takes %d ticks, want at least one in each of six buffers", at-now)
			}
			if at < last {
				overtaken[vnet]++
			}
			last = max(last, at)
		}
	}
	if overtaken[0] > 0 || overtaken[1] == 0 {
		t.Errorf("messages are overtaken %d times with an order and %d times without", overtaken[0], overtaken[1])
	}
}

// TestTopologyNames reads what is written.
func TestTopologyNames(t *testing.T) {
	for i, name := range Topologies() {
		if got, err := ParseTopology(name); err != nil || got != Topology(i) || got.String() != name {
			t.Errorf("%s is read as %v: %v", name, got, err)
		}
	}
	if _, err := ParseTopology("ring"); err == nil {
		t.Error("a ring is read")
	}
}
