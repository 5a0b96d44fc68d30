package elf_test

import (
	"bytes"
	"testing"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
)

// TestJitterSeed shows that a seed changes the delays before rounds, and nothing
// where there are none.
func TestJitterSeed(t *testing.T) {
	p := &gen.Program{Layout: gen.Spread, Locations: []string{"x"}, Threads: [][]gen.Op{{{Kind: gen.Load}}}}
	emit := func(o elf.Options) []byte {
		t.Helper()
		o.Rounds = 2
		data, err := elf.Emit(p, o)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if !bytes.Equal(emit(elf.Options{}), emit(elf.Options{Seed: 7})) {
		t.Error("without delays the seed changes the executable")
	}
	seen := map[string]uint64{}
	for seed := range uint64(20) {
		text := string(emit(elf.Options{Jitter: 8, Seed: seed}))
		if other, ok := seen[text]; ok {
			t.Errorf("seeds %d and %d have the same executable", other, seed)
		}
		seen[text] = seed
	}
}
