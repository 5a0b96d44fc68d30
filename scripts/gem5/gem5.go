// Package gem5 holds what a gem5 binary runs for Ordeal, or is built with.
package gem5

import "embed"

// Script is se.py: SE mode, N cores, the Ruby protocol of the binary. Its
// head says which lines it prints.
//
//go:embed se.py
var Script []byte

// Extras is the source of the tester that a binary can be built with, in the folder
// extras/ordeal (scons … EXTRAS=extras/ordeal).
//
//go:embed extras/ordeal
var Extras embed.FS
