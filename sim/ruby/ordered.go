package ruby

import "slices"

// orderedBuffers lists, by protocol, the buffers that gem5's configuration makes
// ordered (MessageBuffer(ordered=True) in configs/ruby of v24.0): a message that
// would arrive in one before an earlier message is a panic there
// (MessageBuffer.cc:260). A buffer that the network fills is not checked here:
// its messages are in it from their departure on, and the network keeps their
// order. It makes its virtual network an ordered one. One that two machines share
// has both names.
var orderedBuffers = map[string][]string{
	"MI_example": {
		"L1Cache.requestFromCache", "L1Cache.responseFromCache", "L1Cache.forwardToCache", "L1Cache.responseToCache",
		"Directory.requestToDir", "Directory.dmaRequestToDir", "Directory.dmaResponseFromDir", "DMA.responseFromDir",
	},
	"MESI_Two_Level":       {"DMA.responseFromDir"},
	"MESI_Three_Level":     {"L0Cache.bufferToL1", "L1Cache.bufferFromL0", "L0Cache.bufferFromL1", "DMA.responseFromDir"},
	"MESI_Three_Level_HTM": {"L0Cache.bufferToL1", "L1Cache.bufferFromL0", "L0Cache.bufferFromL1", "DMA.responseFromDir"},
	"MOESI_AMD_Base":       {"Directory.requestFromCores", "Directory.triggerQueue", "Directory.L3triggerQueue", "CorePair.triggerQueue"},
	"MOESI_CMP_directory":  {"L1Cache.triggerQueue", "L2Cache.triggerQueue", "Directory.triggerQueue", "DMA.triggerQueue"},
	"MOESI_CMP_token": {
		"L1Cache.persistentFromL1Cache", "L1Cache.persistentToL1Cache", "L2Cache.persistentToL2Cache", "Directory.persistentToDir",
		"Directory.dmaRequestToDir", "Directory.persistentFromDir", "Directory.dmaResponseFromDir", "DMA.responseFromDir",
	},
	"MOESI_hammer": {
		"Directory.dmaResponseFromDir", "Directory.triggerQueue", "Directory.dmaRequestToDir", "DMA.responseFromDir",
	},
}

// hasOrderedBuffers reports whether the protocol has all the buffers that are
// ordered in gem5's one of its name. The project's own ones have others.
func (p *program) hasOrderedBuffers() bool {
	names := orderedBuffers[p.protocol.Name]
	for _, code := range p.codes {
		for _, v := range code.buffers {
			names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == code.machine.Name+"."+v.Name })
		}
	}
	return len(orderedBuffers[p.protocol.Name]) > 0 && len(names) == 0
}

// setOrdered finds the buffers that gem5 makes ordered, once for all systems.
func (p *program) setOrdered() {
	p.configured = p.hasOrderedBuffers()
	for _, code := range p.codes {
		for _, v := range code.buffers {
			code.ordered = append(code.ordered,
				p.configured && slices.Contains(orderedBuffers[p.protocol.Name], code.machine.Name+"."+v.Name))
		}
	}
}

// orderedNetworks lists the virtual networks that keep the order of messages in
// gem5, as those of an ordered buffer do; all of them if the protocol is not as
// gem5 configures it.
func (p *program) orderedNetworks(networks int) []bool {
	list := make([]bool, networks)
	for i := range list {
		list[i] = !p.configured
	}
	for _, code := range p.codes {
		for i, v := range code.buffers {
			if v.Network != nil && v.Network.VNet < networks && code.ordered[i] {
				list[v.Network.VNet] = true
			}
		}
	}
	return list
}
