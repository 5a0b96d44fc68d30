package ruby

import (
	"slices"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/structure"
	"ordeal/sim/slicc/types"
)

// Names that protocols with prefetchers have.
const (
	enablePrefetch = "enable_prefetch" // parameters of MESI_Two_Level and MESI_Three_Level
	usePrefetcher  = "use_prefetcher"  // and of CHI
)

// compilePrefetch compiles what puts a prefetch into the queue of a machine: its
// enqueuePrefetch (gem5's RubyPrefetcher calls it), if it has one.
func (g *generator) compilePrefetch() {
	if f := defined(g.code.machine.Funcs, "enqueuePrefetch", "Addr", "RubyRequestType"); f != nil && g.code.cores == 1 {
		g.code.prefetch = g.function(f)
	}
}

// proxied reports whether the machine takes prefetches from a queue that a
// RubyPrefetcherProxy feeds, as CHI's.
func (code *machineCode) proxied() bool {
	return code.prefetch == nil && slices.ContainsFunc(code.machine.Objects, func(v *types.Var) bool { return v.Type.Name == "RubyPrefetcherProxy" })
}

// Prefetches reports whether the caches of cores take prefetches.
func (p *Protocol) Prefetches() bool {
	return slices.ContainsFunc(p.program.codes, func(code *machineCode) bool {
		return code.prefetch != nil || code.cores > 0 && code.proxied()
	})
}

// Prefetch has a core's cache prefetch a line, for a store or else for a load. A
// protocol whose proxy has a prefetch of the line under way is not asked. One that
// knows no prefetches for stores has the second level of the core prefetch in their
// place, if it has one with a proxy.
func (s *System) Prefetch(core int, line memory.Addr, write bool) {
	c := s.owners[core]
	if write && c.code.prefetch == nil {
		if c = c.prefetchingBelow(line); c == nil {
			return
		}
		write = false
	}
	c.takePrefetch(line, write)
}

// prefetchingBelow is the second level of a cache, nil without one.
func (c *controller) prefetchingBelow(line memory.Addr) *controller {
	if r := c.role.below(); r == nil || !r.second() || !c.code.proxied() {
		return nil
	}
	_, number := splitMachineID(c.downstream(line))
	return c.system.controllers[c.code.index][number]
}

func (c *controller) takePrefetch(line memory.Addr, write bool) {
	defer c.catch()
	c.begin(line)
	request := &c.system.program.request
	kind := request.load
	if f := c.code.prefetch; f != nil {
		if write {
			kind = request.store
		}
		c.words[f.params[0]], c.words[f.params[1]] = uint64(line), kind
		c.exec(f.entry)
		return
	}
	if slices.Contains(c.prefetching, line) {
		return
	}
	c.prefetching = append(c.prefetching, line)
	m := c.system.pools[request.layout.index].get()
	m.words[request.line], m.words[request.physical], m.words[request.kind], m.words[request.size] = uint64(line), uint64(line), kind, types.BlockBytes
	if request.prefetch >= 0 {
		m.words[request.prefetch] = request.isPrefetch
	}
	c.buffer(prefetchQueue).enqueue(m, c.now+1)
}

// addStreams gives a controller the prefetcher that watches its misses.
func (c *controller) addStreams(train int) {
	if f := c.code.prefetch; train > 0 && f != nil {
		c.streams = structure.NewStreams(train, func(line memory.Addr, kind uint64) {
			c.words[f.params[0]], c.words[f.params[1]] = uint64(line), kind
			c.exec(f.entry)
		})
	}
}

// observeUse notes the use of a line that was prefetched, on its way or there.
func observeUse(c *controller, k *call) {
	if c.streams != nil {
		c.streams.Use(c.line(k, 0), c.now)
	}
}

// Streams reports whether the caches of cores tell a RubyPrefetcher of their misses.
func (p *Protocol) Streams() bool {
	return slices.ContainsFunc(p.program.codes, func(code *machineCode) bool { return code.prefetch != nil })
}

// buffer is a buffer of the controller by name; the machine has it.
func (c *controller) buffer(name string) *buffer {
	return c.buffers[slices.IndexFunc(c.code.buffers, named(name))]
}

func completePrefetch(c *controller, k *call) {
	i := slices.Index(c.prefetching, c.line(k, 0))
	if i < 0 {
		c.failAt(k.at, "end of a prefetch that was never issued", "line %#x", c.word(k, 0))
	}
	c.prefetching = slices.Delete(c.prefetching, i, i+1)
}
