package ruby

import (
	"slices"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
	"ordeal/sim/ruby/structure"
	"ordeal/sim/slicc/types"
)

// Prefetches reports whether the caches of cores take prefetches.
func (p *Protocol) Prefetches() bool {
	return slices.ContainsFunc(p.program.Codes, func(mc *code.Machine) bool {
		return mc.Prefetch != nil || mc.Cores > 0 && mc.Proxied()
	})
}

// Prefetch has a core's cache prefetch a line, for a store or else for a load. A
// protocol whose proxy has a prefetch of the line under way is not asked. One that
// knows no prefetches for stores has the second level of the core prefetch in their
// place, if it has one with a proxy.
func (s *System) Prefetch(core int, line memory.Addr, write bool) {
	c := s.owners[core]
	if write && c.code.Prefetch == nil {
		if c = c.prefetchingBelow(line); c == nil {
			return
		}
		write = false
	}
	c.takePrefetch(line, write)
}

// prefetchingBelow is the second level of a cache, nil without one.
func (c *controller) prefetchingBelow(line memory.Addr) *controller {
	if r := c.role.Below(); r == nil || !r.Second() || !c.code.Proxied() {
		return nil
	}
	_, number := code.SplitMachineID(c.downstream(line))
	return c.system.controllers[c.code.Index][number]
}

func (c *controller) takePrefetch(line memory.Addr, write bool) {
	defer c.catch()
	c.begin(line)
	request := &c.system.program.Request
	kind := request.Load
	if f := c.code.Prefetch; f != nil {
		if write {
			kind = request.Store
		}
		c.words[f.Params[0]], c.words[f.Params[1]] = uint64(line), kind
		c.exec(f.Entry)
		return
	}
	if slices.Contains(c.prefetching, line) {
		return
	}
	c.prefetching = append(c.prefetching, line)
	m := c.system.pools[request.Layout.Index].get()
	m.words[request.Line], m.words[request.Physical], m.words[request.Kind], m.words[request.Size] = uint64(line), uint64(line), kind, types.BlockBytes
	if request.Prefetch >= 0 {
		m.words[request.Prefetch] = request.IsPrefetch
	}
	c.buffer(code.PrefetchQueue).enqueue(m, c.now+1)
}

// addStreams gives a controller the prefetcher that watches its misses.
func (c *controller) addStreams(train int) {
	if f := c.code.Prefetch; train > 0 && f != nil {
		c.streams = structure.NewStreams(train, func(line memory.Addr, kind uint64) {
			c.words[f.Params[0]], c.words[f.Params[1]] = uint64(line), kind
			c.exec(f.Entry)
		})
	}
}

// observeUse notes the use of a line that was prefetched, on its way or there.
func observeUse(c *controller, k *code.Call) {
	if c.streams != nil {
		c.streams.Use(c.line(k, 0), c.now)
	}
}

// Streams reports whether the caches of cores tell a RubyPrefetcher of their misses.
func (p *Protocol) Streams() bool {
	return slices.ContainsFunc(p.program.Codes, func(mc *code.Machine) bool { return mc.Prefetch != nil })
}

// buffer is a buffer of the controller by name; the machine has it.
func (c *controller) buffer(name string) *buffer {
	return c.buffers[slices.IndexFunc(c.code.Buffers, code.Named(name))]
}

func completePrefetch(c *controller, k *code.Call) {
	i := slices.Index(c.prefetching, c.line(k, 0))
	if i < 0 {
		c.failAt(k.At, "end of a prefetch that was never issued", "line %#x", c.word(k, 0))
	}
	c.prefetching = slices.Delete(c.prefetching, i, i+1)
}
