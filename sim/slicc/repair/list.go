package repair

// repairs are those for gem5 v24.0.
var repairs = []Repair{
	{
		ID: "mesi-is-i", Protocol: "MESI_Two_Level",
		Defect: "a load that completes in IS_I, with data older than the invalidation that came before it, " +
			"stays in the load queue together with loads behind it that performed earlier. The repair is partial: " +
			"a load that has become the oldest by then is exempt from the notice (2 of 3,000 runs)",
		edits: []edit{{
			machine: "L1Cache", states: []string{"IS_I"}, events: []string{"Data_all_Acks", "DataS_fromL1"},
			insert: "forward_eviction_to_cpu", before: "s_deallocateTBE",
		}},
	},
	{
		ID: "amd-clean-victim", Protocol: "MOESI_AMD_Base",
		Defect: "a clean victim, which carries no data, is written to memory and to the third level",
		edits: []edit{{
			machine: "Directory", states: []string{"U"}, events: []string{"VicClean"},
			drop: []string{"d_writeDataToMemory", "al_allocateL3Block"},
		}},
	},
	{
		ID: "amd-stale-notification", Protocol: "MOESI_AMD_Base",
		Defect: "a canceled victim sends a notification that the directory no longer waits for",
		edits: []edit{{
			machine: "CorePair", states: []string{"I_C", "S0_C", "S1_C", "S_C"}, events: []string{"NB_AckWB"},
			drop: []string{"ss_sendStaleNotification"},
		}},
	},
	{
		ID: "amd-sibling-store", Protocol: "MOESI_AMD_Base",
		Defect: "a store of one core of a pair takes the line from its sibling without notifying its load queue",
		edits: []edit{
			{machine: "CorePair", events: []string{"C0_Store_*"}, insert: "forward_eviction_to_cpu1", before: "i1_invCluster"},
			{machine: "CorePair", events: []string{"C1_Store_*"}, insert: "forward_eviction_to_cpu0", before: "i0_invCluster"},
			{
				machine: "CorePair", states: []string{"I_M0M1"}, events: []string{"NB_AckM"},
				insert: "forward_eviction_to_cpu0", before: "i0_invCluster",
			},
			{
				machine: "CorePair", states: []string{"I_M1M0"}, events: []string{"NB_AckM"},
				insert: "forward_eviction_to_cpu1", before: "i1_invCluster",
			},
		},
	},
}
