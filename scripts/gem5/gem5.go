// Package gem5 holds the configuration that a gem5 binary runs for Ordeal.
package gem5

import _ "embed"

// Script is se.py: SE mode, N cores, the Ruby protocol of the binary. Its
// head says which lines it prints.
//
//go:embed se.py
var Script []byte
