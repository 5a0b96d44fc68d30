// Package preset has the values that gem5's own configurations (configs/ruby,
// v24) give to the parameters of its protocols' machines.
//
// What depends on the size of the system is not here, and neither are
// parameters that keep the protocol's own default.
package preset

import (
	"maps"
	"sync"
)

// Values are parameters by name. Truth values are 0 and 1.
type Values map[string]int64

// Parameters that machines have besides those of the protocol's text.
const (
	// TagLatency and DataLatency are what it takes to look a line up in the
	// machine's caches and to read or write its data, in cycles: parameters of
	// gem5's RubyCache.
	TagLatency  = "tagAccessLatency"
	DataLatency = "dataAccessLatency"
	// Transitions bounds the transitions of one cycle.
	Transitions = "transitions_per_cycle"
	// TBEs is the number of transactions that there is room for.
	TBEs = "number_of_TBEs"
)

// Of gives the values for a machine in one of its roles; the role of most
// machines has the machine's name.
func Of(protocol, role string) Values {
	values := maps.Clone(common()[role])
	if values == nil {
		values = Values{}
	}
	if roles := byProtocol()[protocol]; roles != nil {
		maps.Copy(values, roles[role])
	}
	return values
}

// common are the values of roles whatever the protocol.
var common = sync.OnceValue(func() map[string]Values {
	return map[string]Values{
		"L0Cache":   {"send_evictions": 1, "enable_prefetch": 0, Transitions: 32},
		"L1Cache":   {"send_evictions": 1, "enable_prefetch": 0},
		"CorePair":  {"send_evictions": 1, "issue_latency": 15, "l2_hit_latency": 18},
		"Directory": {"TCC_select_num_bits": 0, "L2isWB": 0},
		"L1":        merge(chiCache(), chiL1()),
		"L2":        merge(chiCache(), chiL2()),
		"HNF":       merge(chiCache(), chiHome()),
		"RNI":       merge(chiCache(), chiDevice()),
		"Memory":    {"data_channel_size": channel, Transitions: 1024},
	}
})

// byProtocol are the values of roles in one protocol.
var byProtocol = sync.OnceValue(func() map[string]map[string]Values {
	return map[string]map[string]Values{
		"MOESI_AMD_Base": {
			"Directory": {"response_latency": 30, "l3_hit_latency": 20, "CPUonly": 1},
		},
		"MESI_Three_Level":     {"L1Cache": {Transitions: 32}},
		"MESI_Three_Level_HTM": {"L1Cache": {Transitions: 32}},
		"MOESI_CMP_token": {
			"L1Cache": {"retry_threshold": 1, "fixed_timeout_latency": 300, "dynamic_timeout_enabled": 1, "no_mig_atomic": 1},
		},
	}
})

func merge(list ...Values) Values {
	all := Values{}
	for _, values := range list {
		maps.Copy(all, values)
	}
	return all
}
