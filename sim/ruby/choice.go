package ruby

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/sim/ruby/code"
	"ordeal/sim/ruby/preset"
	"ordeal/sim/slicc/types"
)

// contracts are truth values that a configuration cannot choose: what cores and
// devices of the system need, and what a machine is.
var contracts = []string{
	"send_evictions", "is_HN", "sc_lock_enabled", code.EnablePrefetch, code.UsePrefetcher,
	"L1.alloc_on_seq_acc",                            // stores of cores past their caches, which are not simulated
	"number_of_DVM_TBEs", "number_of_DVM_snoop_TBEs", // of TLB invalidations, which no program has
	"CPUonly", "GPUonly", "noTCCdir", "L2isWB", // without what MOESI_AMD_Base has for GPUs
}

// fewSlots is what Choices has for the capacity of a table, as TBEs of gem5's CHI:
// transactions wait for each other, and nothing is out of reach.
const fewSlots = 2

// Choices lists values of the parameters of the machines that gem5's configurations
// do not give them, in the order of the protocol's text: the other truth value,
// numbers that the text compares a parameter with, and few slots of a table. With
// one of them the protocol is one that gem5's users can configure, and it may have
// rows that are not reached otherwise.
func (p *Protocol) Choices() []Parameter {
	var list []Parameter
	for _, r := range p.program.roles() {
		if r.Device {
			continue // it is no cache
		}
		if r.Set[preset.TBEs] > fewSlots {
			list = append(list, Parameter{r.Name, preset.TBEs, fewSlots})
		}
		for _, v := range r.Code.Decl.Params {
			if slices.Contains(contracts, v.Name) || slices.Contains(contracts, r.Name+"."+v.Name) {
				continue
			}
			value, ok := r.Set[v.Name]
			if !ok && v.Default.Kind != types.NoValue && v.Default.Kind != types.TextValue {
				value, ok = code.AsNumber(v.Default).Int, true
			}
			switch {
			case !ok:
			case v.Type.Kind == types.Bool:
				list = append(list, Parameter{r.Name, v.Name, 1 - value})
			case isCapacity(v.Name):
				if value > fewSlots {
					list = append(list, Parameter{r.Name, v.Name, fewSlots})
				}
			default:
				for _, k := range r.Code.Compared[v] {
					if k != value && k >= 0 {
						list = append(list, Parameter{r.Name, v.Name, k})
					}
				}
			}
		}
	}
	return list
}

// isCapacity reports whether a parameter is the number of slots of a table.
func isCapacity(name string) bool { return strings.HasPrefix(name, "number_of_") }

// String is the parameter as ParseParameter reads it.
func (p Parameter) String() string { return fmt.Sprintf("%s.%s=%d", p.Role, p.Name, p.Value) }
