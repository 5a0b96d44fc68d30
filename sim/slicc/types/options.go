package types

// Options are what a protocol asks of the sequencers and of functional accesses:
// the names behind `protocol "X"` (gem5 since v24.1, ProtocolInfo.hh).
type Options struct {
	// PartialReads has functional reads put a line together from several copies.
	PartialReads bool // partial_func_reads
	// LoadLinked and StoreConditional send linked loads and conditional stores as
	// requests of their own; else they are sent as loads and stores.
	LoadLinked       bool // use_secondary_load_linked
	StoreConditional bool // use_secondary_store_conditional
	// Flushes says that cores may flush lines.
	Flushes bool // supports_flushes
}

// OptionNames are the options that are known.
var OptionNames = []string{"partial_func_reads", "supports_flushes", "use_secondary_load_linked", "use_secondary_store_conditional"}

// Set sets an option by its name; false if it is unknown.
func (o *Options) Set(name string) bool {
	switch name {
	case "partial_func_reads":
		o.PartialReads = true
	case "use_secondary_load_linked":
		o.LoadLinked = true
	case "use_secondary_store_conditional":
		o.StoreConditional = true
	case "supports_flushes":
		o.Flushes = true
	default:
		return false
	}
	return true
}
