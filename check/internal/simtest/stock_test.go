package simtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/check/internal/scale"
	"ordeal/gen"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
)

// stock are protocols of a gem5 tree, unmodified, with what starts the error of
// their known findings: of all cores, and of out-of-order ones only.
var stock = []struct {
	path      string
	any, late []string
}{
	// Deadlocks with two and three directories, not at gem5's latencies.
	{"src/mem/ruby/protocol/MI_example.slicc", []string{"deadlock: "}, nil},
	{"src/mem/ruby/protocol/MESI_Two_Level.slicc", nil, []string{"forbidden by tso"}},
	{"src/mem/ruby/protocol/MESI_Three_Level.slicc", []string{"crash: FIFO ordering violated"}, []string{"forbidden by tso"}},
	{"src/mem/ruby/protocol/MESI_Three_Level_HTM.slicc", []string{"crash: FIFO ordering violated"}, []string{"forbidden by tso"}},
	{"src/mem/ruby/protocol/MOESI_hammer.slicc", nil, nil},
	{"src/mem/ruby/protocol/MOESI_CMP_directory.slicc", nil, nil},
	// Locks; see README.md of sim/builtin.
	{"src/mem/ruby/protocol/MOESI_CMP_token.slicc", []string{"deadlock: ", "infra: time limit exceeded"}, []string{"forbidden by tso"}},
	{"src/mem/ruby/protocol/MOESI_AMD_Base.slicc", []string{
		"crash: invalid transition (B", "forbidden by ", "violation: ", // StaleWB; (U, VicClean)
	}, nil},
	// Of 16 cores: a RetryAck after a snoop; see README.md of sim/builtin.
	{"src/mem/ruby/protocol/chi/CHI.slicc", nil, []string{"deadlock: deadlock: Cache is busy in BUSY_INTR"}},
	{"src/learning_gem5/part3/MSI.slicc", []string{
		"crash: failed assertion at MSI-dir.sm:258", "crash: invalid transition (SS_m, PutSLast) of Directory",
		"deadlock: ", "crash: livelock: ", // z_stall of forwards behind each other
		"forbidden by sc", "parse native log: ", // locks are not held: two read-modify-writes write the same
	}, []string{"forbidden by tso"}},
}

// TestStockSizes runs protocols of the gem5 tree that ORDEAL_GEM5_TREE names on
// 4, 8 and 16 cores and 1 to 3 directories: in-order cores keep SC and
// out-of-order ones TSO, but for the known findings, which are counted.
func TestStockSizes(t *testing.T) {
	tree := os.Getenv("ORDEAL_GEM5_TREE")
	if tree == "" {
		t.Skip("ORDEAL_GEM5_TREE names no gem5 tree")
	}
	most := scale.Of(1_000, 5_000, 2_000_000) / 9 // operations on each size
	for _, protocol := range stock {
		for _, p := range promises {
			if p.kind != core.InOrder && p.kind != core.OOO {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(protocol.path), ".slicc")+"/"+p.kind.String(), func(t *testing.T) {
				t.Parallel()
				known := protocol.any
				if p.kind == core.OOO {
					known = append(known, protocol.late...)
				}
				runs, total, failed, found := 0, 0, 0, map[string]int{}
				for _, cores := range []int{4, 8, 16} {
					for dirs := 1; dirs <= 3; dirs++ {
						s := newSubject(t, p, builtin.Options{SLICC: filepath.Join(tree, protocol.path), Directories: dirs, LatencySeeds: 1})
						s.program.Threads, s.program.Locations = cores, 2*cores
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
				t.Logf("%d operations, %d of %d runs with a finding: %v", total, failed, runs, found)
			})
		}
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
