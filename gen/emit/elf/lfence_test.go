package elf_test

import (
	"bytes"
	"slices"
	"testing"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
)

// TestLfence counts the fences in the code of a program of one thread, and runs it:
// they change nothing of its log.
func TestLfence(t *testing.T) {
	needHost(t)
	p := &gen.Program{Layout: gen.Spread, Locations: []string{"x", "y"}, Threads: [][]gen.Op{{
		{Kind: gen.Store, Loc: 0, Value: 1}, {Kind: gen.Load, Loc: 0}, {Kind: gen.Exchange, Loc: 1, Value: 2}, {Kind: gen.Load, Loc: 1}, {Kind: gen.Load, Loc: 0},
	}}}
	plain := passed(t, emitBatch(t, []*gen.Program{p}, elf.Options{Rounds: 3, Settle: 100}).File, 0)
	for every, want := range map[int]int{0: 0, 1: 4, 2: 2, 4: 1, 5: 0} {
		file := emitBatch(t, []*gen.Program{p}, elf.Options{Rounds: 3, Settle: 100, Lfence: every}).File
		if got := bytes.Count(file, []byte{0x0f, 0xae, 0xe8}); got != want {
			t.Errorf("after each %d operations: %d fences, want %d", every, got, want)
		}
		frames := passed(t, file, every)
		for i := range plain {
			if got, want := frames[i].words, plain[i].words; !slices.Equal(got, want) {
				t.Errorf("after each %d operations: frame %d is %v, want %v", every, i, got, want)
			}
		}
	}
	if _, err := elf.Emit(p, elf.Options{Rounds: 1, Lfence: -1}); err == nil {
		t.Error("Lfence -1: no error")
	}
}
