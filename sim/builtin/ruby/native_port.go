package ruby

import (
	"fmt"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/types"
)

// portOf finds the index of the port that a method is called on.
func (g *generator) portOf(x *types.Call) int {
	if use, ok := x.X.(*types.Use); ok && use.Var.Kind == types.InPortVar && !isTimer(g.code.machine.InPorts[use.Var.Index]) {
		return use.Var.Index
	}
	g.unsupported(x.At, "%s of this expression", x.Func.Name)
	return 0
}

// portMethods are those of in_ports. The times they take are now.
var portMethods map[string]native

func init() {
	portMethods = map[string]native{
		"InPort.isReady(Tick)": func(g *generator, x *types.Call) wordExpr {
			if use, ok := x.X.(*types.Use); ok && use.Var.Kind == types.InPortVar {
				if p := g.code.machine.InPorts[use.Var.Index]; isTimer(p) {
					return timerReady(g.where(p.Buffer))
				}
			}
			port := g.portOf(x)
			return func(c *controller) uint64 { return truth(c.in[port].ready(c.now)) }
		},
		"InPort.dequeue(Tick)": func(g *generator, x *types.Call) wordExpr {
			port := g.portOf(x)
			return func(c *controller) uint64 {
				c.pop(c.in[port])
				return 0
			}
		},
		"InPort.recycle(Tick, Tick)": func(g *generator, x *types.Call) wordExpr {
			port, latency := g.portOf(x), g.word(x.Args[1])
			return func(c *controller) uint64 {
				if !c.in[port].ready(c.now) {
					c.fail("recycle of an empty port", "buffer %s", c.in[port].name)
				}
				c.in[port].recycle(c.now + event.Tick(latency(c)))
				return 0
			}
		},
		"InPort.isEmpty()": func(g *generator, x *types.Call) wordExpr {
			port := g.portOf(x)
			return func(c *controller) uint64 { return truth(c.in[port].head == len(c.in[port].items)) }
		},
		"InPort.isStallMapEmpty()": func(g *generator, x *types.Call) wordExpr {
			port := g.portOf(x)
			return func(c *controller) uint64 { return truth(len(c.in[port].stalls) == 0) }
		},
		"InPort.getStallMapSize()": func(g *generator, x *types.Call) wordExpr {
			port := g.portOf(x)
			return func(c *controller) uint64 { return uint64(len(c.in[port].stalls)) }
		},
		"InPort.hasStalledMsg(Addr)": func(g *generator, x *types.Call) wordExpr {
			port, line := g.portOf(x), g.word(x.Args[0])
			return func(c *controller) uint64 {
				return truth(c.in[port].stalledFor(memory.Addr(line(c))) > 0)
			}
		},
		"MessageBuffer.areNSlotsAvailable(int, Tick)": always(1),
	}
}

// sequencerMethod compiles the calls to the core. What they take besides the
// line and the data is for statistics.
func (g *generator) sequencerMethod(x *types.Call) wordExpr {
	at := g.partOf(x)
	switch x.Func.Name {
	case "readCallback":
		line, data := g.word(x.Args[0]), g.vector(x.Args[1])
		return func(c *controller) uint64 {
			c.sequencers[at].ReadCallback(memory.Addr(line(c)), (*memory.Block)(data(c)))
			return 0
		}
	case "writeCallback":
		line, data := g.word(x.Args[0]), g.vector(x.Args[1])
		return func(c *controller) uint64 {
			c.sequencers[at].WriteCallback(memory.Addr(line(c)), (*memory.Block)(data(c)))
			return 0
		}
	case "evictionCallback":
		line := g.word(x.Args[0])
		return func(c *controller) uint64 {
			c.sequencers[at].EvictionCallback(memory.Addr(line(c)))
			return 0
		}
	case "recordRequestType", "invL1Callback", "llscClearLocalMonitor":
		return zero
	case "checkResourceAvailable":
		return func(*controller) uint64 { return 1 }
	}
	// Atomic and unaddressed requests are never made: cores ask for loads and
	// stores only.
	pos, name := x.At, x.Func.Name
	return func(c *controller) uint64 {
		c.fail(fmt.Sprintf("%s without such a request at %s", name, pos), "")
		return 0
	}
}

// partOf is the index of the part of the machine that a method is called on.
func (g *generator) partOf(x *types.Call) int {
	if use, ok := x.X.(*types.Use); ok && (use.Var.Kind == types.ParamVar || use.Var.Kind == types.ObjectVar) {
		return g.where(use.Var)
	}
	g.unsupported(x.At, "%s of this expression", x.Func.Name)
	return 0
}
