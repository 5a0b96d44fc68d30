package search

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// The beginning of a history that a model's machine made is refuted under a stronger
// model alone, and what refutes it is evidence for the whole.
func TestBeginning(t *testing.T) {
	p := histgen.Params{Threads: 64, Ops: 3 * longHistory, Locations: 256, Writes: 0.3, Fences: 0.02}
	for _, test := range []struct {
		machine model.Model
		answer  witness.Answer
	}{
		{model.TSO, witness.Unknown},
		{model.PSO, witness.Unknown},
		{model.RMO, witness.Forbidden},
	} {
		h := histgen.Machine(rand.New(rand.NewPCG(1, 2)), test.machine, p).History
		var v witness.Verdict
		if err := refuteBeginning(t.Context(), &task{h: h, m: model.PSO, v: &v}); err != nil || v.Answer != test.answer {
			t.Errorf("machine of %s: %s, %v; want %s", test.machine.Name, v.Answer, err, test.answer)
		}
		if v.Answer != witness.Unknown {
			if err := witness.Check(h, model.PSO, &v); err != nil {
				t.Errorf("machine of %s: %v", test.machine.Name, err)
			}
		}
	}
}

// A part that is the beginning of a history has the first operations of each thread,
// and with a read what it reads.
func TestBeginningIsClosed(t *testing.T) {
	left := 0
	for seed := range uint64(20) {
		p := histgen.Params{Threads: 4, Ops: 400, Locations: 3}
		h := histgen.Machine(rand.New(rand.NewPCG(seed, 2)), model.TSO, p).History
		part := saturate.Beginning(h, model.TSO, 10)
		kept := map[parse.OpID]bool{}
		for _, id := range part.Ops() {
			kept[id] = true
		}
		for id := range parse.OpID(len(h.Ops)) {
			o, thread := &h.Ops[id], h.Thread(id)
			lo, hi := h.Start[thread], h.Start[thread+1]
			begins := id < lo+(hi-lo)/10
			closed := !o.Reads() || o.RF == parse.Init || kept[o.RF]
			if begins && !closed {
				left++
			}
			if want := begins && closed; kept[id] != want {
				t.Errorf("seed %d: operation %d kept: %v, want %v", seed, id, kept[id], want)
			}
		}
	}
	if left == 0 {
		t.Error("no read was left out")
	}
}
