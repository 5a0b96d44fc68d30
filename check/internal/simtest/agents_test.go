package simtest

import (
	"strings"
	"testing"

	"ordeal/check/internal/scale"
	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/event"
	"ordeal/sim/ruby"
)

// wrong is what a defect shows whose runs end with values that no model allows.
const wrong = "wrong values"

// agent is a machine whose cores flush or prefetch lines.
type agent struct {
	name    string
	machine builtin.Options
	// defects are mutants of what flushes or prefetches do, with what their runs end
	// with. A machine without the agent passes with each.
	defects map[string]string
}

var agents = []agent{
	{"flush", builtin.Options{Protocol: "moesi-hammer", Flush: 60}, map[string]string{
		"MOESI_hammer/L1Cache/uf_writeDataToTBE/skip:tbe.DataBlk": wrong, // zeros go to memory
		"MOESI_hammer/L1Cache/uf_writeDataToTBE/skip:tbe.Dirty":   wrong, // memory keeps an older line
		"MOESI_hammer/L1Cache/(S,Flush)/drop:forward_eviction_to_cpu + MOESI_hammer/L1Cache/(O,Flush)/drop:forward_eviction_to_cpu + MOESI_hammer/L1Cache/(M,Flush)/drop:forward_eviction_to_cpu + MOESI_hammer/L1Cache/(MM,Flush)/drop:forward_eviction_to_cpu": wrong, // loads are not squashed
		"MOESI_hammer/L1Cache/(OM_F,Other_GETX)/drop:pp_incrementNumberOfMessagesByOne":           "crash",
		"MOESI_hammer/L1Cache/(OM_F,All_acks_no_sharers)/drop:t_sendExclusiveDataFromTBEToMemory": "deadlock",
		"MOESI_hammer/Directory/(F_B,Writeback_Exclusive_Dirty)/drop:l_queueMemoryWBRequest":      "deadlock",
	}},
	{"prefetch", builtin.Options{Protocol: "mesi-two-level", Prefetch: 40}, map[string]string{
		"MESI_Two_Level/L1Cache/(PF_IS,Data_all_Acks)/drop:u_writeDataToL1Cache":                                                                                wrong,
		"MESI_Two_Level/L1Cache/(PF_IS_I,Data_all_Acks)/next:S + MESI_Two_Level/L1Cache/(PF_IS_I,Data_all_Acks)/replace:r_deallocateEntry>u_writeDataToL1Cache": "crash",
		"MESI_Two_Level/L1Cache/(PF_IM,Data_all_Acks)/drop:jj_sendExclusiveUnblock":                                                                             "deadlock",
		"MESI_Two_Level/L1Cache/(PF_IM,Ack)/drop:q_updateAckCount":                                                                                              "deadlock",
	}},
}

// ending is the kind of failure of a run.
func ending(err error) string {
	if kind, _, _ := strings.Cut(err.Error(), ":"); kind == sim.Crash.String() || kind == sim.Deadlock.String() {
		return kind
	}
	return wrong
}

// TestAgentDefects finds mutants of the rows of flushes and prefetches with them, and
// none of them without, nor anything in the protocol as it is.
func TestAgentDefects(t *testing.T) {
	seeds := scale.Of[uint64](10, 20, 40)
	for _, a := range agents {
		machine := a.machine
		machine.Latency = event.Latency{Base: 1, Jitter: 40}
		subjectOf := func(t *testing.T, o builtin.Options) *subject {
			s := newSubject(t, promises[2], o)
			s.program.Threads, s.program.Locations, s.program.Layout = 4, 6, gen.Spread
			return s
		}
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			subjectOf(t, machine).pass(t, seeds/5, nil)
			without := machine
			without.Flush, without.Prefetch = 0, 0
			for mutant, shows := range a.defects {
				machine.Mutant, without.Mutant = mutant, mutant
				subjectOf(t, without).pass(t, 1, nil)
				s, found := subjectOf(t, machine), false
				for seed := uint64(0); seed < seeds && !found; seed++ {
					_, _, err := s.run(t, seed)
					if found = err != nil && ending(err) == shows; err != nil && !found {
						t.Errorf("%s, seed %d: %v, want %s", mutant, seed, err, shows)
					}
				}
				if !found {
					t.Errorf("%s: not found in %d runs", mutant, seeds)
				}
			}
		})
	}
}

// TestAgentModels runs flushes and prefetches, at random and after misses in sequence,
// with each kind of core and with devices: all keep their models.
func TestAgentModels(t *testing.T) {
	for _, o := range []builtin.Options{
		{Protocol: "moesi-hammer", Flush: 50, Hardware: ruby.Hardware{Directories: 2}},
		{Protocol: "mesi-two-level", Prefetch: 50, Hardware: ruby.Hardware{Banks: 2}},
		{Protocol: "mesi-two-level", PrefetchStreams: 1},
	} {
		for _, p := range promises {
			s := newSubject(t, p, o)
			s.program.Threads, s.program.Locations, s.program.Layout, s.program.DMA, s.program.Fetch = 4, 8, gen.Spread, 1, 1
			s.pass(t, scale.Of[uint64](1, 1, 10), nil)
		}
	}
}
