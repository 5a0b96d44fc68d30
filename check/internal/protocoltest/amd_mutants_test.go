package protocoltest

import (
	"slices"
	"testing"

	"ordeal/gen"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/latency"
)

// amd names edits of rows of the protocol of pairs.
func amd(machine, states, events string, edits ...string) []string {
	return rows("MOESI_AMD_Base", machine, states, events, edits...)
}

const (
	drop0 = "drop:forward_eviction_to_cpu0"
	drop1 = "drop:forward_eviction_to_cpu1"
)

// The loads that show mutants of the protocol of pairs. Faults in what load
// queues are told need cores that load early; others show on any core.
var (
	contended = load{
		core: core.OOO, latency: latency.Model{Base: 1, Jitter: 60}, threads: 4, ops: 100, lines: 4,
		layout: gen.Spread, rounds: 3,
	}
	thrashing = load{
		core: core.OOO, latency: latency.Model{Base: 1, Jitter: 60}, threads: 4, ops: 100, lines: 14,
		layout: gen.Spread, rounds: 3,
	}
	oneSet = load{
		core: core.OOO, latency: latency.Model{Base: 1, Jitter: 20}, threads: 6, ops: 100, lines: 6,
		layout: gen.Conflict, rounds: 3,
	}
	sharedLines = load{
		core: core.OOO, latency: latency.Model{Base: 1, Jitter: 60}, threads: 4, ops: 100, lines: 16,
		layout: gen.Pairs, rounds: 3,
	}
	crowded = load{
		core: core.OOO, latency: latency.Model{Base: 1, Jitter: 20}, threads: 8, ops: 100, lines: 4,
		layout: gen.Spread, rounds: 6,
	}
	// First levels thrash while probes come one after the other.
	filling = load{
		core: core.OOO, latency: latency.Model{Base: 1, Jitter: 3}, threads: 8, ops: 100, lines: 6,
		layout: gen.Conflict, rounds: 6,
	}
	// A victim that is announced late: all else is quicker.
	hurried = load{
		core: core.RMO, latency: latency.Model{Base: 1, Jitter: 1}, threads: 4, ops: 100, lines: 12,
		layout: gen.Conflict, rounds: 10,
	}
	simple = load{
		core: core.InOrder, latency: latency.Model{Base: 5, Jitter: 10}, threads: 4, ops: 100, lines: 14,
		layout: gen.Spread, rounds: 3,
	}
)

// TestAMDMutants plants faults in the protocol of pairs: those that gem5's
// protocol has or had, and those that its likes would have.
func TestAMDMutants(t *testing.T) {
	const (
		fills      = "S_F0 S_F1 S_F Es_F0 Es_F1 Es_F E0_F E1_F"
		dirtyFills = "O_F0 O_F1 O_F Ms_F0 Ms_F1 Ms_F M0_F M1_F"
		answers    = "B_PM BS_PM BM_PM B_Pm BS_Pm BM_Pm"
	)
	wrong := []verdict{violation}
	huntMutants(t, "moesi-amd-base", []mutant{
		// What load queues are not told.
		{
			name: "store of the sibling untold", want: wrong, hunt: []load{contended},
			edits: slices.Concat(
				amd("CorePair", "Es Ms", "C0_Store_L1hit C0_Store_L1miss", drop1), amd("CorePair", "E1 M1", "C0_Store_L1miss", drop1),
				amd("CorePair", "Es Ms", "C1_Store_L1hit C1_Store_L1miss", drop0), amd("CorePair", "E0 M0", "C1_Store_L1miss", drop0),
				amd("CorePair", "S_M0 O_M0", "NB_AckM", drop1), amd("CorePair", "S_M1 O_M1", "NB_AckM", drop0),
				amd("CorePair", "I_M0M1", "NB_AckM", drop0), amd("CorePair", "I_M1M0", "NB_AckM", drop1),
			),
		},
		{
			name: "probe of a dirty line untold", want: wrong, hunt: []load{contended},
			edits: amd("CorePair", "Ms M0 M1 O", "PrbInvData", drop0, drop1),
		},
		{
			name: "probe of a clean line untold", want: wrong, hunt: []load{contended},
			edits: amd("CorePair", "Es E0 E1 S", "PrbInvData", drop0, drop1),
		},
		{
			name: "probe of a clean line untold to one core", want: wrong, hunt: []load{contended},
			edits: amd("CorePair", "Es E0 E1 S", "PrbInvData", drop1),
		},
		{
			name: "clean replacement untold", want: wrong, hunt: []load{oneSet},
			edits: amd("CorePair", "S E0 E1 Es", "L2_Repl", drop0, drop1),
		},
		{
			name: "dirty replacement untold", want: wrong, hunt: []load{oneSet},
			edits: amd("CorePair", "O Ms M0 M1", "L2_Repl", drop0, drop1),
		},
		{
			name: "probe of a line that fills untold", want: wrong, hunt: []load{filling},
			edits: amd("CorePair", fills+" "+dirtyFills, "PrbInvData", drop0, drop1),
		},
		{
			name: "probe of a shared line to be written untold", want: wrong, hunt: []load{contended},
			edits: amd("CorePair", "S_M0 S_M1", "PrbInvData", drop0, drop1),
		},
		{
			name: "probe of an owned line to be written untold", want: wrong, hunt: []load{crowded},
			edits: amd("CorePair", "O_M0 O_M1", "PrbInvData", drop0, drop1),
		},

		// Copies and rights that are kept too long.
		{
			name: "owner keeps the right to write", want: wrong, hunt: []load{simple},
			edits: amd("CorePair", "Ms M0 M1", "PrbShrData", "next:Ms"),
		},
		{
			name: "reader keeps the right to write", want: wrong, hunt: []load{simple},
			edits: amd("CorePair", "Es E0 E1", "PrbShrData", "next:Es"),
		},
		{
			name: "reader keeps its copy", want: wrong, hunt: []load{simple},
			edits: amd("CorePair", "S", "PrbInvData", "drop:i0_invCluster", "drop:i1_invCluster", "drop:i2_invL2", "next:stay"),
		},
		{
			name: "sibling keeps its copy", want: wrong, hunt: []load{simple},
			edits: slices.Concat(
				amd("CorePair", "S_M0 O_M0", "NB_AckM", "drop:i1_invCluster", "next:Ms"),
				amd("CorePair", "S_M1 O_M1", "NB_AckM", "drop:i0_invCluster", "next:Ms"),
			),
		},

		// Data that is lost.
		{
			// A clean victim has no data here. This is what it takes to write
			// one all the same: zeros.
			name: "clean victim written", want: wrong, hunt: []load{simple},
			edits: slices.Concat(
				amd("Directory", "U", "VicClean", "insert:t_allocateTBE@w_sendResponseWBAck", "next:BL"),
				amd("CorePair", "ES_I", "NB_AckWB", "insert:wb_data@d_deallocTBE"),
			),
		},
		{
			name: "data of the owner forgotten", want: wrong, hunt: []load{simple},
			edits: amd("Directory", answers, "CPUPrbResp", "drop:y_writeProbeDataToTBE"),
		},
		{
			name: "data of the owner overwritten by that of memory", want: wrong, hunt: []load{simple},
			edits: []string{"MOESI_AMD_Base/Directory/y_writeProbeDataToTBE/skip:tbe.Dirty"},
		},
		{
			name: "copies given out as the only ones", want: wrong, hunt: []load{simple},
			edits: []string{"MOESI_AMD_Base/Directory/y_writeProbeDataToTBE/skip:tbe.Cached"},
		},
		{
			name: "victim not written to memory", want: wrong, hunt: []load{simple},
			edits: amd("Directory", "BL", "CPUData", "drop:d_writeDataToMemory"),
		},
		{
			name: "victim not written", want: wrong, hunt: []load{simple},
			edits: amd("Directory", "BL", "CPUData", "drop:d_writeDataToMemory", "drop:al_allocateL3Block"),
		},
		{
			name: "victim denied to a probe", want: wrong, hunt: []load{simple},
			edits: amd("CorePair", "MO_I", "PrbInvData", "replace:pdt_sendProbeResponseDataFromTBE>pi_sendProbeResponseInv"),
		},
		{
			name: "canceled victim written", want: wrong, hunt: []load{hurried},
			edits: amd("CorePair", "I_C", "NB_AckWB", "replace:ss_sendStaleNotification>wb_data"),
		},
		{
			name: "store before the line comes", want: wrong, hunt: []load{simple},
			edits: amd("CorePair", "I_M0", "NB_AckM", "swap:w0_writeDcache,xs0_storeDone"),
		},
		{
			name: "load before the line comes", want: wrong, hunt: []load{simple},
			edits: amd("CorePair", "I_E0S", "NB_AckE NB_AckS", "swap:w0_writeDcache,xl0_loadDone"),
		},
		{
			// In gem5 nobody reads the data of a first level, and such a fault
			// is none.
			name: "fill without data", want: wrong, hunt: []load{oneSet},
			edits: amd("CorePair", "S_F0 Es_F0 E0_F M0_F", "L2_to_L1D0", "drop:c0_copyL2ToL1"),
		},

		// Messages that nobody waits for, and messages that do not come.
		{
			name: "notice of no victim", want: []verdict{crash}, hunt: []load{simple},
			edits: amd("CorePair", "ES_I", "NB_AckWB", "insert:ss_sendStaleNotification@d_deallocTBE"),
		},
		{
			name: "no notice of a canceled victim", want: []verdict{deadlock}, hunt: []load{simple},
			edits: amd("CorePair", "I_C", "NB_AckWB", "drop:ss_sendStaleNotification"),
		},
		{
			name: "requestor silent", want: []verdict{deadlock}, hunt: []load{simple},
			edits: amd("CorePair", "I_E0S", "NB_AckS", "drop:uu_sendUnblock"),
		},
		{
			name: "waiting accesses forgotten", want: []verdict{deadlock}, hunt: []load{oneSet},
			edits: slices.Concat(
				amd("CorePair", "I_M0 I_M1", "NB_AckM", "drop:wa_wakeUpDependents"),
				amd("CorePair", "I_E0S I_E1S", "NB_AckE NB_AckS", "drop:wa_wakeUpDependents"),
			),
		},

		// What no program can tell. A third level that nothing is written to is
		// never wrong.
		{
			name: "victim not written to the third level", hunt: []load{simple, thrashing, oneSet},
			edits: amd("Directory", "BL", "CPUData", "drop:al_allocateL3Block"),
		},
		{
			name: "thanks before the store", hunt: []load{simple, contended, thrashing, oneSet, sharedLines},
			edits: amd("CorePair", "I_M0", "NB_AckM", "swap:xs0_storeDone,uu_sendUnblock"),
		},
	})
}
