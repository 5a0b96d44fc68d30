package preset

// The values of configs/ruby/CHI_config.py and CHI.py for the machine Cache of
// CHI, which is the cache of a core, a second level, a home node
// and the port of a device.

// channel is the number of bytes of a message with data (NoC_Params).
const channel = 32

// chiCache are the values that all roles share (CHI_Cache_Controller), and
// those of parameters that no role uses.
func chiCache() Values {
	return Values{
		"sc_lock_enabled": 0, "data_channel_size": channel, Transitions: 1024,
		"alloc_on_seq_line_write": 0, "alloc_on_readshared": 1, "alloc_on_readonce": 1, "alloc_on_writeback": 1,
		"allow_SD": 1, "unify_repl_TBEs": 0, "use_prefetcher": 0,
		"number_of_DVM_TBEs": 1, "number_of_DVM_snoop_TBEs": 1,
	}
}

// chiL1 are those of CHI_L1Controller and of its data cache in CHI.py.
func chiL1() Values {
	return Values{
		TagLatency: 1, DataLatency: 2, "send_evictions": 1, "sc_lock_enabled": 1,
		"is_HN": 0, "enable_DMT": 0, "enable_DCT": 0,
		"alloc_on_seq_acc": 1, "alloc_on_readunique": 1, "alloc_on_atomic": 0,
		"dealloc_on_unique": 0, "dealloc_on_shared": 0, "dealloc_backinv_unique": 1, "dealloc_backinv_shared": 1,
		TBEs: 16, "number_of_repl_TBEs": 16, "number_of_snoop_TBEs": 4,
		"number_of_DVM_TBEs": 16, "number_of_DVM_snoop_TBEs": 4,
	}
}

// chiL2 are those of CHI_L2Controller.
func chiL2() Values {
	return Values{
		TagLatency: 2, DataLatency: 6, "send_evictions": 0,
		"is_HN": 0, "enable_DMT": 0, "enable_DCT": 0,
		"alloc_on_seq_acc": 0, "alloc_on_readunique": 1, "alloc_on_atomic": 0,
		"dealloc_on_unique": 0, "dealloc_on_shared": 0, "dealloc_backinv_unique": 1, "dealloc_backinv_shared": 1,
		TBEs: 32, "number_of_repl_TBEs": 32, "number_of_snoop_TBEs": 16,
	}
}

// chiDevice are those of CHI_DMAController, which allocates nothing.
func chiDevice() Values {
	return Values{
		TagLatency: 1, DataLatency: 0, "send_evictions": 0, "allow_SD": 0,
		"is_HN": 0, "enable_DMT": 0, "enable_DCT": 0, "alloc_on_seq_acc": 0,
		"alloc_on_readshared": 0, "alloc_on_readunique": 0, "alloc_on_readonce": 0, "alloc_on_writeback": 0, "alloc_on_atomic": 0,
		"dealloc_on_unique": 0, "dealloc_on_shared": 0, "dealloc_backinv_unique": 0, "dealloc_backinv_shared": 0,
		TBEs: 16, "number_of_repl_TBEs": 1, "number_of_snoop_TBEs": 1,
	}
}

// chiHome are those of CHI_HNFController: mostly inclusive of what is shared,
// exclusive of what is unique.
func chiHome() Values {
	return Values{
		TagLatency: 2, DataLatency: 10, "send_evictions": 0,
		"is_HN": 1, "enable_DMT": 1, "enable_DCT": 1,
		"alloc_on_seq_acc": 0, "alloc_on_readunique": 0, "alloc_on_atomic": 1,
		"dealloc_on_unique": 1, "dealloc_on_shared": 0, "dealloc_backinv_unique": 0, "dealloc_backinv_shared": 0,
		TBEs: 32, "number_of_repl_TBEs": 32, "number_of_snoop_TBEs": 1,
	}
}
