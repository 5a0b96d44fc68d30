package ruby

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/sim/ruby/preset"
	"ordeal/sim/slicc/types"
)

// contracts are truth values that a configuration cannot choose: what cores and
// devices of the system need, and what a machine is.
var contracts = []string{
	"send_evictions", "is_HN", "sc_lock_enabled", enablePrefetch, usePrefetcher,
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
		if r.device {
			continue // it is no cache
		}
		if r.set[preset.TBEs] > fewSlots {
			list = append(list, Parameter{r.name, preset.TBEs, fewSlots})
		}
		for _, v := range r.code.machine.Params {
			if slices.Contains(contracts, v.Name) || slices.Contains(contracts, r.name+"."+v.Name) {
				continue
			}
			value, ok := r.set[v.Name]
			if !ok && v.Default.Kind != types.NoValue && v.Default.Kind != types.TextValue {
				value, ok = asNumber(v.Default).Int, true
			}
			switch {
			case !ok:
			case v.Type.Kind == types.Bool:
				list = append(list, Parameter{r.name, v.Name, 1 - value})
			case isCapacity(v.Name):
				if value > fewSlots {
					list = append(list, Parameter{r.name, v.Name, fewSlots})
				}
			default:
				for _, k := range r.code.compared[v] {
					if k != value && k >= 0 {
						list = append(list, Parameter{r.name, v.Name, k})
					}
				}
			}
		}
	}
	return list
}

// isCapacity reports whether a parameter is the number of slots of a table.
func isCapacity(name string) bool { return strings.HasPrefix(name, "number_of_") }

// noteChoice keeps the numbers that parameters of a machine are compared with.
func (g *generator) noteChoice(v *types.Var, k int64) {
	if v.Kind == types.ParamVar && v.Type.Name == "int" && !slices.Contains(g.code.compared[v], k) {
		g.code.compared[v] = append(g.code.compared[v], k)
	}
}

// String is the parameter as ParseParameter reads it.
func (p Parameter) String() string { return fmt.Sprintf("%s.%s=%d", p.Role, p.Name, p.Value) }
