package protocoltest

import (
	"slices"
	"testing"

	"ordeal/gen"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/latency"
	"ordeal/sim/builtin/ruby/cache"
)

// hammer names edits of rows of MOESI hammer.
func hammer(machine, states, events string, edits ...string) []string {
	return rows("MOESI_hammer", machine, states, events, edits...)
}

// The loads that show mutants of MOESI hammer beside those of the protocol of
// pairs.
var (
	// Lines leave both levels while loads of them wait to retire.
	replacing = load{
		core: core.OOO, latency: latency.Model{Base: 1, Jitter: 60}, threads: 6, ops: 100, lines: 6,
		layout: gen.Conflict, rounds: 3, window: 32, caches: cache.Geometry{Sets: 2, Ways: 1, IndexBit: 6},
	}
	// Loads retire late, and stores wait behind them.
	patient = load{
		core: core.OOO, latency: latency.Model{Base: 1, Jitter: 10}, threads: 6, ops: 100, lines: 6,
		layout: gen.Conflict, rounds: 3, window: 32,
	}
	// Some answers are much later than others.
	uneven = load{
		core: core.OOO, latency: latency.Model{Base: 1, Jitter: 200}, threads: 6, ops: 200, lines: 6,
		layout: gen.Spread, rounds: 3, window: 32,
	}
	// A few words in a few lines, of which cores read one and write another.
	falseSharing = load{
		core: core.OOO, latency: latency.Model{Base: 1, Jitter: 10}, threads: 5, ops: 200, lines: 4,
		layout: gen.Pairs, rounds: 3, window: 64,
	}
	oneLine = load{
		core: core.OOO, latency: latency.Model{Base: 1, Jitter: 10}, threads: 6, ops: 200, lines: 8,
		layout: gen.Packed, rounds: 3, window: 32,
	}
	// Owners write back what others have copies of.
	returning = load{
		core: core.OOO, latency: latency.Model{Base: 1, Jitter: 60}, threads: 6, ops: 200, lines: 12,
		layout: gen.Conflict, rounds: 3, window: 32,
	}
)

// TestHammerMutants plants faults in MOESI hammer.
func TestHammerMutants(t *testing.T) {
	const untold = "drop:forward_eviction_to_cpu"
	wrong := []verdict{violation}
	// A copy that is kept too long meets rows that it should not, and the run
	// ends there; with these it goes on, and the copy is read.
	sinks := slices.Concat(
		hammer("L1Cache", "SM", "Exclusive_Data", "copy:IM"),
		hammer("L1Cache", "SM", "Data", "replace:v_writeDataToCacheVerify>u_writeDataToCache"),
		hammer("L1Cache", "IS", "Shared_Ack", "drop:r_setSharerBit"),
		hammer("L1Cache", "M_W", "Shared_Ack", "copy:IS", "next:M_W"),
		hammer("L1Cache", "MM_W", "Shared_Ack", "copy:IS", "next:MM_W"),
	)
	huntMutants(t, "moesi-hammer", []mutant{
		// What load queues are not told.
		{
			name: "loss of a copy untold", want: wrong, hunt: []load{contended},
			edits: hammer("L1Cache", "S", "Other_GETX", untold),
		},
		{
			name: "loss of an owned line untold", want: wrong, hunt: []load{contended},
			edits: hammer("L1Cache", "O", "Other_GETX", untold),
		},
		{
			name: "loss of a line of its own untold", want: wrong, hunt: []load{contended},
			edits: hammer("L1Cache", "M", "Other_GETX", untold),
		},
		{
			name: "loss of a written line untold", want: wrong, hunt: []load{contended},
			edits: hammer("L1Cache", "MM", "Other_GETX", untold),
		},
		{
			name: "hand-over of a written line untold", want: wrong, hunt: []load{contended},
			edits: hammer("L1Cache", "MM", "Other_GETS", untold),
		},
		{
			name: "loss of a copy to be written untold", want: wrong, hunt: []load{falseSharing},
			edits: hammer("L1Cache", "SM", "Other_GETX", untold),
		},
		{
			name: "loss of an owned line to be written untold", want: wrong, hunt: []load{oneLine},
			edits: hammer("L1Cache", "OM", "Other_GETX", untold),
		},
		{
			name: "replacement of a copy untold", want: wrong, hunt: []load{replacing},
			edits: hammer("L1Cache", "S", "L2_Replacement", untold),
		},
		{
			name: "replacement of an owned line untold", want: wrong, hunt: []load{replacing},
			edits: hammer("L1Cache", "O", "L2_Replacement", untold),
		},
		{
			name: "replacement of a line of its own untold", want: wrong, hunt: []load{replacing},
			edits: hammer("L1Cache", "M MM", "L2_Replacement", untold),
		},

		// Stores that do not wait until all copies are gone.
		{
			name: "store before the answers", want: wrong, hunt: []load{patient},
			edits: hammer("L1Cache", "IM", "Data", "next:MM_W", "insert:sx_external_store_hit@n_popResponseQueue"),
		},
		{
			name: "store into a copy before the answers", want: wrong, hunt: []load{uneven},
			edits: hammer("L1Cache", "SM", "Data", "next:MM_W", "insert:sx_external_store_hit@n_popResponseQueue"),
		},
		{
			name: "exclusive data while there are copies", want: wrong, hunt: []load{returning},
			edits: slices.Concat(
				hammer("Directory", "O", "GETX", "replace:r_recordDataInTBE>rx_recordExclusiveInTBE"),
				hammer("L1Cache", "SM", "Exclusive_Data", "copy:IM"),
			),
		},

		// Copies and rights that are kept too long.
		{
			name: "reader keeps its copy", want: wrong, hunt: []load{simple},
			edits: slices.Concat(hammer("L1Cache", "S", "Other_GETX", "drop:gr_deallocateCacheBlock", "next:stay"), sinks),
		},
		{
			name: "owner takes the right to write", want: wrong, hunt: []load{simple},
			edits: slices.Concat(hammer("L1Cache", "O", "Other_GETS", "next:MM"), sinks),
		},
		{
			name: "owner keeps the right to write", want: wrong, hunt: []load{simple},
			edits: slices.Concat(hammer("L1Cache", "M", "Other_GETS", "next:stay"), sinks),
		},
		{
			name: "old owner keeps a copy", want: wrong, hunt: []load{simple},
			edits: slices.Concat(hammer("L1Cache", "MM", "Other_GETS", "drop:gr_deallocateCacheBlock", "next:S"), sinks),
		},
		{
			name: "reader keeps its copy until it meets a row", want: []verdict{crash}, hunt: []load{simple},
			edits: hammer("L1Cache", "S", "Other_GETX", "drop:gr_deallocateCacheBlock", "next:stay"),
		},
		{
			name: "old owner writes back what it gave away", want: []verdict{crash}, hunt: []load{replacing},
			edits: hammer("L1Cache", "OI MI", "Other_GETX", "next:OI"),
		},

		// Data that is lost.
		{
			name: "line of its own not written back", want: wrong, hunt: []load{simple},
			edits: hammer("Directory", "WB", "Writeback_Exclusive_Dirty",
				"drop:l_queueMemoryWBRequest", "insert:k_wakeUpDependents", "next:E"),
		},
		{
			name: "owned line not written back", want: wrong, hunt: []load{simple},
			edits: slices.Concat(
				hammer("Directory", "WB", "Writeback_Dirty",
					"drop:l_queueMemoryWBRequest", "insert:k_wakeUpDependents", "next:O"),
				hammer("L1Cache", "SM", "Data", "replace:v_writeDataToCacheVerify>u_writeDataToCache"),
			),
		},
		{
			name: "load before the line comes", want: wrong, hunt: []load{simple},
			edits: hammer("L1Cache", "IS", "Shared_Data", "swap:u_writeDataToCache,hx_external_load_hit"),
		},
		{
			name: "store before the line comes", want: wrong, hunt: []load{simple},
			edits: hammer("L1Cache", "IM", "Exclusive_Data", "swap:u_writeDataToCache,sx_external_store_hit"),
		},
		{
			name: "line goes to the second level without data", want: wrong, hunt: []load{simple},
			edits: hammer("L1Cache", "M MM", "L1_to_L2", "drop:hp_copyFromTBEToL2"),
		},
		{
			name: "store leaves the line clean", want: wrong, hunt: []load{simple},
			edits: []string{"MOESI_hammer/L1Cache/hh_store_hit/skip:cache_entry.Dirty"},
		},

		// Answers that are counted wrong, and messages that do not come.
		{
			name: "one answer too few awaited", want: []verdict{crash}, hunt: []load{simple},
			edits: []string{"MOESI_hammer/L1Cache/a_issueGETS/set:tbe.NumPendingMsgs=-1"},
		},
		{
			name: "new owner not awaited", want: []verdict{crash}, hunt: []load{falseSharing},
			edits: hammer("L1Cache", "OM", "Other_GETX", "drop:pp_incrementNumberOfMessagesByOne"),
		},
		{
			name: "requestor silent", want: []verdict{deadlock}, hunt: []load{simple},
			edits: hammer("L1Cache", "SS", "All_acks All_acks_no_sharers", "drop:gs_sendUnblockS"),
		},
		{
			name: "stale writeback unanswered", want: []verdict{deadlock}, hunt: []load{replacing},
			edits: hammer("L1Cache", "II", "Writeback_Ack", "drop:g_sendUnblock"),
		},
		{
			name: "waiting accesses forgotten", want: []verdict{deadlock}, hunt: []load{replacing},
			edits: hammer("L1Cache", "MI", "Writeback_Ack", "drop:kd_wakeUpDependents"),
		},

		// What no program can tell: the message arrives later than the store.
		{
			name: "unblock before the store", hunt: []load{simple, contended, replacing, patient, falseSharing},
			edits: hammer("L1Cache", "ISM", "All_acks_no_sharers", "swap:sxt_trig_ext_store_hit,gm_sendUnblockM"),
		},
	})
}
