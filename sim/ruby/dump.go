package ruby

import (
	"fmt"
	"io"
	"slices"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/slicc/types"
)

// Dump writes what is under way: the requests of cores and devices, the transactions of
// controllers, the lines that are busy without one, and the messages that
// wait.
func (s *System) Dump(w io.Writer) {
	for _, p := range s.ports {
		p.Dump(w)
	}
	for _, d := range s.devices {
		d.Dump(w)
	}
	for _, list := range s.controllers {
		for _, c := range list {
			c.dumpTransactions(w)
			c.dumpBusy(w)
			c.dumpBuffers(w)
		}
	}
}

func (c *controller) dumpTransactions(w io.Writer) {
	for _, t := range c.tables {
		for _, e := range t.entries {
			fmt.Fprintf(w, "%s: line %#x: %s\n", c.name(), int64(e.line), c.system.program.describe(e))
		}
	}
	for _, line := range c.locked {
		fmt.Fprintf(w, "%s: line %#x: locked by a core\n", c.name(), int64(line))
	}
}

// dumpBusy writes the lines in states whose permission is Busy, as far as they
// have an entry and no transaction.
func (c *controller) dumpBusy(w io.Writer) {
	entries := map[memory.Addr]*object{}
	for _, d := range c.directory {
		for line, e := range d.entries {
			entries[line] = e
		}
	}
	own := map[memory.Addr]*object{}
	for _, cached := range c.caches {
		cached.Each(func(e *object) { entries[e.line], own[e.line] = e, e })
	}
	lines := make([]memory.Addr, 0, len(entries))
	for line := range entries {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	for _, line := range lines {
		if slices.ContainsFunc(c.tables, func(t *table) bool { return t.lookup(line) != nil }) {
			continue
		}
		if state := c.peekState(nil, own[line], line); state != nil && c.isBusy(state) {
			fmt.Fprintf(w, "%s: line %#x: in state %s: %s\n", c.name(), int64(line), state.Name, c.system.program.describe(entries[line]))
		}
	}
}

// peekState is the state of a line; nil where the protocol's own function
// fails.
func (c *controller) peekState(tbe, entry *object, line memory.Addr) (state *types.Enumerator) {
	defer func() {
		switch fault := recover().(type) {
		case nil, *memory.Fault:
		default:
			panic(fault)
		}
	}()
	n := c.callState(c.code.GetState, tbe, entry, uint64(line), 0)
	if enums := c.code.Decl.State.Enums; n < uint64(len(enums)) {
		return enums[n]
	}
	return nil
}

func (c *controller) isBusy(state *types.Enumerator) bool { return c.permission(state) == cache.Busy }

// permission is that of a state; Invalid where none is declared.
func (c *controller) permission(state *types.Enumerator) cache.Permission {
	if p := state.Permission; p >= 0 && p < len(c.system.program.Permissions) {
		return c.system.program.Permissions[p]
	}
	return cache.Invalid
}

func (c *controller) dumpBuffers(w io.Writer) {
	p := c.system.program
	seen := map[*buffer]bool{}
	for _, list := range [][]*buffer{c.in, c.out} {
		for _, b := range list {
			if b == nil || seen[b] {
				continue
			}
			seen[b] = true
			if g := b.throttle; g != nil {
				for _, q := range g.held.items[g.held.head:] {
					fmt.Fprintf(w, "%s: message of tick %d: %s\n", g.held.name(), q.at, p.describe(q.msg))
				}
			}
			if b.capacity != nil && b.held() >= b.capacity.limit {
				fmt.Fprintf(w, "%s: full, with %d messages\n", b.name(), b.held())
			}
			for _, q := range b.items[b.head:] {
				fmt.Fprintf(w, "%s: message of tick %d%s: %s\n", b.name(), q.at, q.times(), p.describe(q.msg))
			}
			for _, st := range b.stalls {
				for _, q := range st.list {
					fmt.Fprintf(w, "%s: stalled for line %#x: %s\n", b.name(), int64(st.line), p.describe(q.msg))
				}
			}
		}
	}
}

func (q *queued) times() string {
	if q.recycled == 0 {
		return ""
	}
	return fmt.Sprintf(", recycled %d times", q.recycled)
}
