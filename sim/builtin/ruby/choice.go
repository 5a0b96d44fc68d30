package ruby

import (
	"fmt"
	"slices"

	"ordeal/sim/slicc/types"
)

// contracts are truth values that a configuration cannot choose: what cores and
// devices of the system need, and what a machine is.
var contracts = []string{
	"send_evictions", "is_HN", "sc_lock_enabled", enablePrefetch, usePrefetcher,
	"L1.alloc_on_seq_acc",                      // needs writeUniqueCallback, which is not simulated
	"CPUonly", "GPUonly", "noTCCdir", "L2isWB", // without what MOESI_AMD_Base has for GPUs
}

// Choices lists the truth values among the parameters of the machines, each with
// the value that gem5's configurations do not give it, in the order of the
// protocol's text. With one of them the protocol is one that gem5's users can
// configure, and it may have rows that are not reached otherwise.
func (p *Protocol) Choices() []Parameter {
	var list []Parameter
	for _, r := range p.program.roles() {
		for _, v := range r.code.machine.Params {
			if v.Type.Kind != types.Bool || slices.Contains(contracts, v.Name) || slices.Contains(contracts, r.name+"."+v.Name) {
				continue
			}
			value, ok := r.set[v.Name]
			if !ok && v.Default.Kind != types.NoValue && v.Default.Kind != types.TextValue {
				value, ok = asNumber(v.Default).Int, true
			}
			if ok {
				list = append(list, Parameter{r.name, v.Name, 1 - value})
			}
		}
	}
	return list
}

// String is the parameter as ParseParameter reads it.
func (p Parameter) String() string { return fmt.Sprintf("%s.%s=%d", p.Role, p.Name, p.Value) }
