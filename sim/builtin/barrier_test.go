package builtin

import (
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/agent"
	"ordeal/sim/builtin/core"
)

// meetProgram has threads of different lengths, one without operations, and a fetcher,
// which waits for no one.
const meetProgram = `ordeal-program 1
layout spread
locations x y z
thread 0
store x 1
load y
thread 1
load x
delay 300
store y 2
add z 1
fence
load z
thread 2
thread 3
exchange z 3
thread 4 fetch 0
load y
`

// TestBarriers has threads of cores meet before each round: an access of a round comes
// after all of the rounds before. Without barriers they are rounds apart.
func TestBarriers(t *testing.T) {
	p, err := gen.Parse("p", []byte(meetProgram))
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 12
	for _, protocol := range []string{Ideal, "mi", "moesi-amd-base"} {
		for _, kind := range []core.Kind{core.InOrder, core.TSO, core.OOO, core.PSO, core.RMO} {
			for _, places := range []agent.Barriers{agent.NoBarriers, agent.BarrierEnds, agent.BarrierRounds} {
				last, apart := make([]int, len(p.Threads)), 0
				observe := func(a core.Access) {
					n := len(p.Threads[a.Thread])
					last[a.Thread] = int(a.Number) / n
					if p.AgentOf(a.Thread).Kind != gen.AgentCore {
						return
					}
					for _, other := range []int{0, 1, 3} {
						apart = max(apart, last[a.Thread]-last[other])
					}
				}
				r := newRunner(t, Options{Protocol: protocol, Core: kind, Barriers: places, Accesses: observe})
				report := ends(t, r, sim.Job{Program: p, Rounds: rounds, Seed: 3}, sim.Passed, "")
				if len(report.Log) == 0 {
					t.Errorf("%s, %s: no log", protocol, kind)
				}
				// The fetcher is not kept from going on.
				for _, thread := range []int{0, 1, 3, 4} {
					if last[thread] != rounds-1 {
						t.Errorf("%s, %s, %s: thread %d ends in round %d", protocol, kind, places, thread, last[thread])
					}
				}
				if places == agent.BarrierRounds {
					apart-- // the others have not begun the round yet
				}
				if together := apart <= 0; together != (places == agent.BarrierRounds) {
					t.Errorf("%s, %s, %s: threads are %d rounds apart", protocol, kind, places, apart)
				}
			}
		}
	}
}

// TestLostCounts has caches that lose what is stored: no core comes past the start.
func TestLostCounts(t *testing.T) {
	p, err := gen.Parse("p", []byte(meetProgram))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []core.Kind{core.InOrder, core.OOO} {
		r := newRunner(t, Options{Protocol: "mi", Core: kind, Barriers: agent.BarrierEnds, Mutant: "MI_example/L1Cache/e_sendData/skip:out_msg.DataBlk"})
		ends(t, r, sim.Job{Program: p, Rounds: 2}, sim.Deadlock, "deadlock: a count was lost at the start barrier", "waits at the start barrier for core", "reads as 0")
	}
}

// TestLostCode has caches that lose what memory sends for a read, code among it.
func TestLostCode(t *testing.T) {
	p, err := gen.Parse("p", []byte(meetProgram))
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, Options{Protocol: "mi", Core: core.TSO, Mutant: "MI_example/L1Cache/(IS,Data)/drop:u_writeDataToCache"})
	ends(t, r, sim.Job{Program: p, Rounds: 2}, sim.Crash, sim.OtherCode, "fetched 0x0, loaded")
	for _, protocol := range Protocols() {
		o := Options{Protocol: protocol, Core: core.TSO}
		if protocol == "mi" || protocol == "mesi-two-level" { // the code is there from the start for functional reads, too
			o.Functional = 10
		}
		ends(t, newRunner(t, o), sim.Job{Program: p, Rounds: 5}, sim.Passed, "")
	}
}
