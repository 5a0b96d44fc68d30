package ruby

import (
	"strings"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
)

var _ memory.Monitor = (*sequencerPort)(nil)

// Reserve marks the entry of a line in the core's data cache (gem5:
// AbstractCacheEntry::setLocked). A line that is not there is not reserved.
func (i *sequencerPort) Reserve(line memory.Addr) { i.mark(line, true) }

// Release ends Reserve.
func (i *sequencerPort) Release(line memory.Addr) { i.mark(line, false) }

func (i *sequencerPort) mark(line memory.Addr, reserved bool) {
	if e := i.entry(line); e != nil {
		e.header.Reserved = reserved
	}
}

// Reserved reports whether the line is marked.
func (i *sequencerPort) Reserved(line memory.Addr) bool {
	e := i.entry(line)
	return e != nil && e.header.Reserved
}

func (i *sequencerPort) entry(line memory.Addr) *object {
	at := dataCache(i.controller.code, int(i.core))
	if at < 0 {
		i.controller.fail("linked load without a data cache", "%s", i.controller.name())
	}
	return i.controller.caches[at].Lookup(line)
}

// dataCache is the index of the cache that holds a core's data, as gem5's
// configurations give it to the sequencer: the only one, or the one whose name says
// so (L1Dcache, Dcache, L1D0cache of the first core of two). It is -1 if none is.
func dataCache(mc *code.Machine, core int) int {
	if len(mc.Caches) == 1 {
		return 0
	}
	number := 0
	for at, v := range mc.Caches {
		if rest, ok := strings.CutPrefix(strings.TrimPrefix(v.Name, "L1"), "D"); ok && strings.HasSuffix(strings.ToLower(rest), "cache") {
			if number == core {
				return at
			}
			number++
		}
	}
	return -1
}

// Links reports whether cores may make linked loads.
func (p *Protocol) Links() bool {
	for _, mc := range p.program.Codes {
		for core := range mc.Cores {
			if dataCache(mc, core) < 0 {
				return false
			}
		}
	}
	return true
}
