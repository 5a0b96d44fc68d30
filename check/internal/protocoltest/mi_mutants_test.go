package protocoltest

import "testing"

// mi names edits of rows of MI.
func mi(machine, state, event string, edits ...string) []string {
	return rows("MI_example", machine, state, event, edits...)
}

const dropEviction = "drop:forward_eviction_to_cpu"

// TestMIMutants plants faults in MI.
func TestMIMutants(t *testing.T) {
	wrong := []verdict{violation}
	all := []load{simple, contended, thrashing, oneSet, sharedLines}
	huntMutants(t, "mi", []mutant{
		// What the load queue is not told.
		{
			name: "forward untold", want: wrong, hunt: []load{contended},
			edits: mi("L1Cache", "M", "Fwd_GETX", dropEviction),
		},
		{
			name: "replacement untold", want: wrong, hunt: []load{oneSet},
			edits: mi("L1Cache", "M", "Replacement", dropEviction),
		},

		// Data that is lost.
		{
			name: "load before the line comes", want: wrong, hunt: []load{simple},
			edits: mi("L1Cache", "IS", "Data", "swap:u_writeDataToCache,rx_load_hit"),
		},
		{
			name: "store before the line comes", want: wrong, hunt: []load{simple},
			edits: mi("L1Cache", "IM", "Data", "swap:u_writeDataToCache,sx_store_hit"),
		},
		{
			// Only the other words of the line are wrong, so there must be some.
			name: "store into nothing", want: wrong, hunt: []load{sharedLines},
			edits: mi("L1Cache", "IM", "Data", "drop:u_writeDataToCache"),
		},
		{
			name: "forward of a put line without data", want: wrong, hunt: []load{simple},
			edits: mi("L1Cache", "M", "Replacement", "drop:x_copyDataFromCacheToTBE"),
		},
		{
			name: "put without data", want: wrong, hunt: []load{simple},
			edits: []string{"MI_example/L1Cache/b_issuePUT/skip:out_msg.DataBlk"},
		},
		{
			name: "put not written to memory", want: wrong, hunt: []load{simple},
			edits: mi("Directory", "M", "PUTX", "next:I", "drop:w_writeMemory",
				"insert:a_sendWriteBackAck@i_popRequest", "insert:c_clearOwner@i_popRequest"),
		},

		// Copies that are kept too long. The next state alone would make no
		// difference here, since the place of the line is given up: the state
		// is that of nothing.
		{
			name: "owner keeps its copy", want: wrong, hunt: []load{contended},
			edits: mi("L1Cache", "M", "Fwd_GETX", "next:M", "drop:h_deallocateEntry"),
		},
		{
			// The directory refuses to take the copy, and the cache then waits
			// for the forward that it has forgotten.
			name: "owner puts the copy it kept", want: []verdict{violation, deadlock}, hunt: []load{oneSet},
			edits: mi("L1Cache", "M", "Fwd_GETX", "next:M", "drop:h_deallocateEntry"),
		},
		{
			name: "state of a line that is gone", hunt: all,
			edits: mi("L1Cache", "M", "Fwd_GETX", "next:M"),
		},

		// Messages that nobody waits for.
		{
			name: "put of another cache taken", want: []verdict{crash}, hunt: []load{oneSet},
			edits: []string{"MI_example/Directory/requests/trigger:PUTX_NotOwner>PUTX"},
		},
		{
			name: "put refused twice", want: []verdict{crash}, hunt: []load{oneSet},
			edits: mi("Directory", "M", "PUTX_NotOwner", "dup:n_sendWriteBackNack"),
		},

		// Messages that do not come.
		{
			name: "forward forgotten", want: []verdict{deadlock}, hunt: []load{simple},
			edits: mi("L1Cache", "MI", "Fwd_GETX", "drop:ex_sendDataFromTBE"),
		},
		{
			name: "waiting forwards forgotten", want: []verdict{deadlock}, hunt: []load{contended},
			edits: mi("L1Cache", "IM", "Data", "drop:k_wakeUp"),
		},

		// What no program can tell. Profiles only count: the pair of actions
		// in (M, Store) that Zennou et al. exchange in their example (CAV 2019)
		// is one of these. A store performs at once wherever the request for it
		// is; and the load queue knows nothing of what is sent or copied.
		{
			name: "count before the store", hunt: all,
			edits: mi("L1Cache", "M", "Store", "swap:s_store_hit,p_profileHit"),
		},
		{
			name: "request gone before the store", hunt: all,
			edits: mi("L1Cache", "M", "Store", "swap:p_profileHit,m_popMandatoryQueue", "swap:s_store_hit,m_popMandatoryQueue"),
		},
		{
			name: "loss told before the data is sent", hunt: all,
			edits: mi("L1Cache", "M", "Fwd_GETX", "swap:e_sendData,forward_eviction_to_cpu"),
		},
		{
			name: "data kept before the put", hunt: all,
			edits: mi("L1Cache", "M", "Replacement", "swap:b_issuePUT,x_copyDataFromCacheToTBE"),
		},
	})
}
