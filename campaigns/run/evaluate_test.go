package run

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
)

// TestEarlyEnd checks what was logged before a run ended early: a store that
// was not logged and one that overtook it, both pending, are a violation.
func TestEarlyEnd(t *testing.T) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations x y\nthread 0\nload y\nstore x 1\nload y\nstore y 2\nthread 1\nload y\nload x\n"))
	must.Succeed(t, err)
	w := wire.NewWriter(p, 2)
	log := func(values ...gen.Value) sim.Log { return w.AppendThread(nil, 1, values) }
	for _, test := range []struct {
		end     sim.Outcome
		title   string
		log     sim.Log
		outcome sim.Outcome
		want    string // title
		detail  string
	}{
		{sim.Crash, "guest fault: Tried to read unmapped address", log(2, 0), sim.Violation, "history forbidden by tso", "the run ended early: crash: guest fault: Tried to read unmapped address\nwhy"},
		{sim.Deadlock, "guest gave up at the end barrier", log(2, 0), sim.Violation, "history forbidden by tso", "the run ended early: deadlock: guest gave up at the end barrier\nwhy"},
		{sim.Timeout, "timeout: of ticks", log(2, 0), sim.Violation, "history forbidden by tso", "the run ended early: timeout: of ticks\nwhy"},
		{sim.Infra, "gem5 killed from outside", log(2, 0), sim.Violation, "history forbidden by tso", "the run ended early: infra: gem5 killed from outside\nwhy"},
		{sim.Crash, "invalid transition: l1 in IS_I on Inv", log(2, 0), sim.Crash, "invalid transition: l1 in IS_I on Inv", "before the end: history forbidden by tso\nwhy"},
		{sim.Crash, "guest fault: Tried to read unmapped address", log(2, 1), sim.Crash, "guest fault: Tried to read unmapped address", "why"},
		{sim.Crash, "guest fault: Tried to read unmapped address", log(9999, 1), sim.Violation, "a value that no store wrote", "thread 1 round 0 operation 0 (load y): value 9999 of y is never written"},
		{sim.Crash, "invalid transition: l1 in IS_I on Inv", log(9999, 1), sim.Crash, "invalid transition: l1 in IS_I on Inv", "thread 1 round 0 operation 0 (load y): value 9999 of y is never written"},
		{sim.Passed, "", log(2, 0), sim.Violation, "history forbidden by tso", ""},
		{sim.Passed, "", log(2, 1), sim.Corrupt, "log is partial", ""},
	} {
		ended := sim.Result{Outcome: test.end, Title: test.title, Detail: "why", Log: test.log}
		r, err := Evaluate(t.Context(), p, 2, &ended, CheckOptions{Models: []model.Model{model.TSO}})
		must.Succeed(t, err)
		if r.Outcome != test.outcome || r.Title != test.want || !strings.HasPrefix(r.Detail, test.detail) {
			t.Errorf("%s: %s: %s %q %q, want %s %q %q", test.end, test.title, r.Outcome, r.Title, r.Detail, test.outcome, test.want, test.detail)
		}
	}
}

// TestPendingIsSound cuts the logs of correct runs anywhere: no model that
// allows the whole history forbids what is left.
func TestPendingIsSound(t *testing.T) {
	family := config.DefaultPrograms()
	family.Threads, family.Ops, family.Locations = 4, 12, 3
	family.Mix = gen.Mix{Load: 5, Store: 4, Exchange: 1, Fence: 1}
	pending := 0
	for number := range 60 {
		p, err := family.Program(6, number)
		must.Succeed(t, err)
		m, kind := model.SC, core.InOrder
		if number%2 == 1 {
			m, kind = model.TSO, core.OOO
		}
		r, err := builtin.New(builtin.Options{Protocol: "mi", Core: kind})
		must.Succeed(t, err)
		const rounds = 3
		result, err := r.Run(t.Context(), sim.Job{Program: p, Rounds: rounds, Seed: uint64(number)})
		must.Succeed(t, err)
		rng := rand.New(rand.NewPCG(uint64(number), 1))
		w, short := wire.NewWriter(p, rounds), sim.Log(nil)
		for log := result.Log; len(log) > 0; {
			f, err := wire.Next(log)
			must.Succeed(t, err)
			if f.Kind == wire.Thread {
				n := rng.IntN(f.Payload.Len()+1) / 3 * gen.WordBytes
				short = w.Append(short, wire.Thread, f.Index, f.Payload[:n])
			}
			log = log[f.Size():]
		}
		h, err := parse.Native(p, rounds, short)
		if !errors.Is(err, parse.ErrPartial) || h == nil {
			t.Fatalf("program %d: %v", number, err)
		}
		for _, tail := range h.Tails {
			pending += len(tail)
		}
		if a := answerBy(t, h, m, "auto"); a != check.Allowed {
			t.Errorf("program %d: a part of a correct run is %s by %s", number, a, m.Name)
		}
	}
	if pending < 100 {
		t.Errorf("%d pending operations", pending)
	}
}

// TestLostUpdateAmongFaults requires a lost update to be what the log shows, whatever
// other fault of a value stands before it: sums that come twice follow from it.
func TestLostUpdateAmongFaults(t *testing.T) {
	fault := func(kind parse.FaultKind) error {
		return fmt.Errorf("thread 0: %w", &parse.ValueError{Fault: parse.Fault{Kind: kind}})
	}
	for _, c := range []struct {
		err   error
		title string
	}{
		{errors.Join(fault(parse.UnwrittenValue), fault(parse.LostUpdate)), "an update was lost"},
		{fmt.Errorf("parse native log: %w", errors.Join(fault(parse.LostUpdate), fault(parse.ForeignValue))), "an update was lost"},
		{errors.Join(fault(parse.ForeignValue), fault(parse.UnwrittenValue)), "a value of another location"},
		{errors.New("line 3"), "log is corrupt"},
	} {
		if _, title := LogFailure(c.err); title != c.title {
			t.Errorf("%v: %s, want %s", c.err, title, c.title)
		}
	}
}
