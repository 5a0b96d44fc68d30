package ruby

import (
	"strings"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/types"
)

var _ memory.Monitor = (*issuer)(nil)

// Reserve marks the entry of a line in the core's data cache (gem5:
// AbstractCacheEntry::setLocked). A line that is not there is not reserved.
func (i *issuer) Reserve(line memory.Addr) { i.mark(line, true) }

// Release ends Reserve.
func (i *issuer) Release(line memory.Addr) { i.mark(line, false) }

func (i *issuer) mark(line memory.Addr, reserved bool) {
	if e := i.entry(line); e != nil {
		e.header.Reserved = reserved
	}
}

// Reserved reports whether the line is marked.
func (i *issuer) Reserved(line memory.Addr) bool {
	e := i.entry(line)
	return e != nil && e.header.Reserved
}

func (i *issuer) entry(line memory.Addr) *object {
	at := i.controller.code.dataCache(int(i.core))
	if at < 0 {
		i.controller.fail("linked load without a data cache", "%s", i.controller.name())
	}
	return i.controller.caches[at].Lookup(line)
}

// dataCache is the index of the cache that holds a core's data, as gem5's
// configurations give it to the sequencer: the only one, or the one whose name says
// so (L1Dcache, Dcache, L1D0cache of the first core of two). It is -1 if none is.
func (code *machineCode) dataCache(core int) int {
	if len(code.caches) == 1 {
		return 0
	}
	number := 0
	for at, v := range code.caches {
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
	for _, code := range p.program.codes {
		for core := range code.cores {
			if code.dataCache(core) < 0 {
				return false
			}
		}
	}
	return true
}

// conditional is the type of request of a conditional store, which only
// MESI_Three_Level and its sibling know from a store (gem5 Sequencer.cc,
// makeRequest).
func (p *program) conditional(kind *types.Type, store uint64) uint64 {
	if e := kind.Enum("Store_Conditional"); e != nil && strings.HasPrefix(p.protocol.Name, "MESI_Three_Level") {
		return uint64(e.Ordinal)
	}
	return store
}
