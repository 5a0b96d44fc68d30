package config

// The names of the simulators.
const (
	SimHost    = "host"
	SimBuiltin = "builtin"
	SimGem5    = "gem5"
)

// Sims lists the simulators by name.
func Sims() []string { return []string{SimHost, SimBuiltin, SimGem5} }
