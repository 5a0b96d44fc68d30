package protocoltest

import (
	"slices"
	"testing"

	"ordeal/gen"
	"ordeal/sim/builtin/core"
)

// mesi names edits of rows of MESI.
func mesi(machine, states, events string, edits ...string) []string {
	return rows("MESI_Two_Level", machine, states, events, edits...)
}

// secondLevel has the caches of the second level replace lines all the time,
// those of their owners too.
var secondLevel = load{core: core.OOO, threads: 4, ops: 100, lines: 12, layout: gen.Conflict, rounds: 3}

// TestMESIMutants plants faults in MESI. Those of McVerSi (Elver and
// Nagarajan, HPCA 2016) are among them: the invalidations and the replacement
// of which the load queue is not told, the put of an owner before, and the
// written line that is dropped as clean.
func TestMESIMutants(t *testing.T) {
	wrong := []verdict{violation}
	// An upgrade whose copy is stale gets data: rows for it keep the copy that
	// should not be there from ending in an invalid transition before anyone
	// has read it.
	sinks := mesi("L1Cache", "SM", "Data Data_all_Acks", "copy:IM")
	// Loads perform with data that an invalidation has overtaken; the line is
	// dropped then.
	overtaken := mesi("L1Cache", "IS_I", "Data_all_Acks", "next:NP", "drop:y_rememberLoad", "drop:b_issueGETX",
		"insert:u_writeDataToL1Cache@n_popResponse", "insert:hx_load_hit@n_popResponse", "insert:s_deallocateTBE@n_popResponse",
		"insert:r_deallocateEntry@n_popResponse", "insert:w_wakeUp")
	huntMutants(t, "mesi-two-level", []mutant{
		// What the load queue is not told.
		{name: "overtaken data read", want: wrong, hunt: []load{contended}, edits: overtaken},
		{
			// gem5's protocol with the repair of package repair.
			name: "overtaken data read and told", want: wrong, hunt: []load{contended, sharedLines}, rare: true,
			edits: slices.Concat(overtaken, mesi("L1Cache", "IS_I", "Data_all_Acks", "insert:forward_eviction_to_cpu@s_deallocateTBE")),
		},
		{
			name: "invalidation of an upgrade untold", want: wrong, hunt: []load{contended, sharedLines},
			edits: mesi("L1Cache", "SM", "Inv", dropEviction),
		},
		{
			name: "invalidation of a sharer untold", want: wrong, hunt: []load{contended},
			edits: mesi("L1Cache", "S", "Inv", dropEviction),
		},
		{
			name: "invalidation of a clean owner untold", want: wrong, hunt: []load{secondLevel},
			edits: mesi("L1Cache", "E", "Inv", dropEviction),
		},
		{
			name: "invalidation of an owner untold", want: wrong, hunt: []load{secondLevel},
			edits: mesi("L1Cache", "M", "Inv", dropEviction),
		},
		{
			name: "replacement of a shared line untold", want: wrong, hunt: []load{oneSet},
			edits: mesi("L1Cache", "S", "L1_Replacement", dropEviction),
		},
		{
			name: "forward of a line untold", want: wrong, hunt: []load{contended},
			edits: mesi("L1Cache", "M", "Fwd_GETX", dropEviction),
		},
		{
			name: "forward of a clean line untold", want: wrong, hunt: []load{oneSet, thrashing},
			edits: mesi("L1Cache", "E", "Fwd_GETX", dropEviction),
		},

		// Data that is lost.
		{
			name: "put of the owner before", want: wrong, hunt: []load{thrashing},
			edits: mesi("L2Cache", "MT", "L1_PUTX_old", "next:M", "insert:ll_clearSharers@t_sendWBAck",
				"insert:mr_writeDataToCacheFromRequest@t_sendWBAck"),
		},
		{
			name: "written line dropped as clean", want: wrong, hunt: []load{secondLevel},
			edits: mesi("L2Cache", "MCT_I", "WB_Data", "drop:qq_writeDataToTBE",
				"replace:ct_exclusiveDirtyReplacementFromTBE>c_exclusiveCleanReplacement"),
		},
		{
			name: "older data sent to memory", want: wrong, hunt: []load{secondLevel},
			edits: mesi("L2Cache", "MT_I", "WB_Data", "drop:qq_writeDataToTBE"),
		},
		{
			name: "put without data", want: wrong, hunt: []load{simple},
			edits: mesi("L2Cache", "MT", "L1_PUTX", "drop:mr_writeDataToCacheFromRequest"),
		},
		{
			name: "data of an owner forgotten after the unblock", want: wrong, hunt: []load{simple},
			edits: mesi("L2Cache", "MT_IB", "WB_Data", "drop:m_writeDataToCache"),
		},
		{
			name: "data of an owner forgotten before the unblock", want: wrong, hunt: []load{simple},
			edits: mesi("L2Cache", "MT_IIB", "WB_Data", "drop:m_writeDataToCache"),
		},
		{
			name: "owner invalidated like a sharer", want: wrong, hunt: []load{secondLevel},
			edits: mesi("L1Cache", "M", "Inv", "replace:f_sendDataToL2>fi_sendInvAck"),
		},
		{
			name: "store not marked", want: wrong, hunt: []load{simple},
			edits: []string{"MESI_Two_Level/L1Cache/hh_store_hit/skip:cache_entry.Dirty"},
		},
		{
			name: "line not written to memory", want: wrong, hunt: []load{simple},
			edits: mesi("Directory", "M", "Data", "next:I", "replace:w_writeMemory>a_acknowledge"),
		},
		{
			name: "load before the line comes", want: wrong, hunt: []load{simple},
			edits: mesi("L1Cache", "IS", "Data_all_Acks", "swap:u_writeDataToL1Cache,hx_load_hit"),
		},
		{
			name: "store before the line comes", want: wrong, hunt: []load{simple},
			edits: mesi("L1Cache", "IM", "Data_all_Acks", "swap:u_writeDataToL1Cache,hhx_store_hit"),
		},

		// Copies that are kept too long.
		{
			name: "sharer keeps its copy", want: wrong, hunt: []load{contended},
			edits: slices.Concat(mesi("L1Cache", "S", "Inv", "next:stay", "drop:r_deallocateEntry"), sinks),
		},
		{
			name: "sharers not invalidated", want: wrong, hunt: []load{contended},
			edits: slices.Concat(mesi("L2Cache", "SS", "L1_UPGRADE", "drop:fm_sendInvToOtherSharers"), sinks,
				[]string{"MESI_Two_Level/L2Cache/u_sendAckCountToUpgrader/skip:out_msg.AckCount"}),
		},
		{
			name: "reader not listed", want: wrong, hunt: []load{contended},
			edits: slices.Concat(mesi("L2Cache", "SS", "L1_GETS", "drop:nn_addSharer"), sinks),
		},
		{
			name: "reader of an owner not listed, data first", want: wrong, hunt: []load{contended},
			edits: slices.Concat(mesi("L2Cache", "MT_SB", "Unblock", "drop:nnu_addSharerFromUnblock"), sinks),
		},
		{
			name: "reader of an owner not listed, unblock first", want: wrong, hunt: []load{contended},
			edits: slices.Concat(mesi("L2Cache", "MT_IIB", "Unblock", "drop:nnu_addSharerFromUnblock"), sinks),
		},

		// Messages that nobody waits for, and messages that do not come.
		{
			name: "sharer keeps its copy and upgrades it", want: []verdict{crash}, hunt: []load{contended},
			edits: mesi("L1Cache", "S", "Inv", "next:stay", "drop:r_deallocateEntry"),
		},
		{
			name: "owner remains the owner", want: []verdict{crash}, hunt: []load{thrashing},
			edits: mesi("L1Cache", "M", "Fwd_GETS", "next:stay"),
		},
		{
			name: "clean owner remains the owner", want: []verdict{crash}, hunt: []load{thrashing},
			edits: mesi("L1Cache", "E", "Fwd_GETS", "next:stay"),
		},
		{
			name: "put taken while a forward is under way", want: []verdict{crash}, hunt: []load{thrashing},
			edits: mesi("L2Cache", "MT_MB", "L1_PUTX", "replace:z_waitForLine>t_sendWBAck", "insert:j_popRequest"),
		},
		{
			name: "owner silent", want: []verdict{deadlock}, hunt: []load{simple},
			edits: mesi("L1Cache", "IM", "Data_all_Acks", "drop:jj_sendExclusiveUnblock"),
		},
		{
			name: "waiting requests forgotten", want: []verdict{deadlock}, hunt: []load{contended},
			edits: mesi("L2Cache", "MT_MB", "Exclusive_Unblock", "drop:w_wakeUp"),
		},

		// What no program can tell: the unblock leaves a cycle later anyhow.
		{
			name: "unblock before the store", hunt: []load{simple, contended, thrashing, oneSet, sharedLines},
			edits: mesi("L1Cache", "SM", "Ack_all", "swap:jj_sendExclusiveUnblock,hhx_store_hit"),
		},
	})
}
