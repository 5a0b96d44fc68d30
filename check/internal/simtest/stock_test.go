package simtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/check/internal/scale"
	"ordeal/gen"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/ruby"
)

// replaced are invalid transitions of directories while a device reads or writes: gem5's issue 2188.
var replaced = []string{
	"crash: invalid transition (M_DRD, CleanReplacement) of Directory", "crash: invalid transition (M_DWR, CleanReplacement) of Directory",
}

// stock are protocols of a gem5 tree, unmodified, with what starts the error of
// their known findings: of all cores, and of out-of-order ones only.
var stock = []struct {
	path      string
	any, late []string
	// devices are those of runs with a device besides; nil if the protocol has no machine for one.
	devices []string
}{
	// Deadlocks with two and three directories, not at gem5's latencies.
	{"src/mem/ruby/protocol/MI_example.slicc", []string{"deadlock: "}, nil, []string{}},
	{"src/mem/ruby/protocol/MESI_Two_Level.slicc", nil, []string{"forbidden by tso"}, replaced},
	{"src/mem/ruby/protocol/MESI_Three_Level.slicc", []string{"crash: FIFO ordering violated"}, []string{"forbidden by tso"}, replaced},
	{"src/mem/ruby/protocol/MESI_Three_Level_HTM.slicc", []string{"crash: FIFO ordering violated"}, []string{"forbidden by tso"}, replaced},
	{"src/mem/ruby/protocol/MOESI_hammer.slicc", nil, nil, []string{}},
	// A late PUTO; see README.md of sim/builtin.
	{"src/mem/ruby/protocol/MOESI_CMP_directory.slicc", nil, []string{"crash: invalid transition (S, L1_PUTO) of L2Cache"}, []string{
		"crash: invalid transition (SLS, L1_PUTO) of L2Cache", "crash: invalid transition (S, L1_PUTO) of L2Cache",
	}},
	// Locks; see README.md of sim/builtin.
	{"src/mem/ruby/protocol/MOESI_CMP_token.slicc", []string{"deadlock: ", "infra: time limit exceeded"}, []string{"forbidden by tso"}, []string{
		"crash: invalid transition (NO_D", "crash: failed assertion at MOESI_CMP_token-L1cache.sm:1570",
		"forbidden by ", "parse native log: ", // zeros as data; a device's write that is made twice
	}},
	{"src/mem/ruby/protocol/MOESI_AMD_Base.slicc", []string{
		"crash: invalid transition (B", "forbidden by ", "violation: ", // StaleWB; (U, VicClean)
	}, nil, nil},
	// Of 16 cores: a RetryAck after a snoop; see README.md of sim/builtin.
	{"src/mem/ruby/protocol/chi/CHI.slicc", nil, []string{"deadlock: deadlock: Cache is busy in BUSY_INTR"}, []string{}},
	{"src/learning_gem5/part3/MSI.slicc", []string{
		"crash: failed assertion at MSI-dir.sm:258", "crash: invalid transition (SS_m, PutSLast) of Directory",
		"deadlock: ", "crash: livelock: ", // z_stall of forwards behind each other
		"forbidden by sc", "parse native log: ", // locks are not held: two read-modify-writes write the same
	}, []string{"forbidden by tso"}, nil},
}

// TestStockSizes runs protocols of the gem5 tree that ORDEAL_GEM5_TREE names on
// 4, 8 and 16 cores and 1 to 3 directories: in-order cores keep SC and
// out-of-order ones TSO, but for the known findings, which are counted.
func TestStockSizes(t *testing.T) {
	for _, protocol := range stock {
		stockSizes(t, protocol.path, 0, protocol.any, protocol.late)
	}
}

// TestStockDevices does the same with a device, which transfers whole lines.
func TestStockDevices(t *testing.T) {
	for _, protocol := range stock {
		if protocol.devices != nil {
			stockSizes(t, protocol.path, 1, append(protocol.devices, protocol.any...), protocol.late)
		}
	}
}

// stockSizes runs a protocol on all sizes with in-order and with out-of-order cores.
func stockSizes(t *testing.T, path string, devices int, known, late []string) {
	tree := os.Getenv("ORDEAL_GEM5_TREE")
	if tree == "" {
		t.Skip("ORDEAL_GEM5_TREE names no gem5 tree")
	}
	most := scale.Of(1_000, 5_000, 2_000_000) / 9 // operations on each size
	for _, p := range promises {
		if p.kind != core.InOrder && p.kind != core.OOO {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".slicc")+"/"+p.kind.String(), func(t *testing.T) {
			t.Parallel()
			known := slices.Clip(known)
			if p.kind == core.OOO {
				known = append(known, late...)
			}
			runs, total, failed, found := 0, 0, 0, map[string]int{}
			for _, cores := range []int{4, 8, 16} {
				for dirs := 1; dirs <= 3; dirs++ {
					s := newSubject(t, p, builtin.Options{SLICC: filepath.Join(tree, path), Hardware: ruby.Hardware{Directories: dirs}, LatencySeeds: 1})
					s.program.Threads, s.program.Locations = cores, 2*cores
					s.program.DMA, s.program.DMAParts = devices, 0
					s.rounds = 80 / cores
					for ops, seed := 0, uint64(0); ops < most; seed++ {
						s.program.Layout = gen.Layouts()[seed%uint64(len(gen.Layouts()))]
						_, _, err := s.run(t, seed)
						if err != nil {
							failed++
							if !note(found, known, err) {
								t.Errorf("%d cores, %d directories, seed %d: %v", cores, dirs, seed, err)
							}
						}
						ops += cores * s.program.Ops * s.rounds
						total += cores * s.program.Ops * s.rounds
						runs++
					}
				}
			}
			t.Logf("%d operations of cores, %d of %d runs with a finding: %v", total, failed, runs, found)
		})
	}
}

// note counts an error that is known.
func note(found map[string]int, known []string, err error) bool {
	for _, start := range known {
		if strings.HasPrefix(fmt.Sprint(err), start) {
			found[start]++
			return true
		}
	}
	return false
}
