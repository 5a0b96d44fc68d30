package diagnose

import (
	"errors"
	"testing"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
	"ordeal/sim/trace"
)

// valueOf is the first faulty value of a log.
func valueOf(t *testing.T, p *gen.Program, reads ...[]gen.Value) *parse.ValueError {
	t.Helper()
	w, log := wire.NewWriter(p, 1), []byte(nil)
	for i, values := range reads {
		log = w.AppendThread(log, gen.ThreadID(i), values)
	}
	_, err := parse.Native(p, 1, log)
	value, ok := errors.AsType[*parse.ValueError](err)
	if !ok {
		t.Fatalf("error %v: want a faulty value", err)
	}
	return value
}

// TestLostUpdate finds the two additions that read one value where a later one shows that one is lost: a
// third one between the accesses of the first.
func TestLostUpdate(t *testing.T) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations x\nthread 0\nadd x 1\nadd x 2\nthread 1\nadd x 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	const u = gen.AddUnit
	w := WitnessOfValue(p, valueOf(t, p, []gen.Value{0, u}, []gen.Value{0}))
	access := func(thread gen.ThreadID, number int, at int64, reads, writes bool, read, written gen.Value) trace.Event {
		return trace.Event{At: at, Kind: trace.Access, Thread: thread, Number: number, Reads: reads, Writes: writes, Read: read, Written: written, Line: 1}
	}
	c := Find(p, w, func(gen.LocID) int64 { return 1 }, []trace.Event{
		access(0, 0, 10, true, false, 0, 0), access(1, 0, 20, true, true, 0, 3*u), access(0, 0, 30, false, true, 3*u, u), access(0, 1, 40, true, true, u, 3*u),
	}, nil)
	requireTexts(t, c, "(b) of thread 0 is not atomic: it reads x = 0 at tick 10, thread 1 writes x = 206158430208 at tick 20, and then it writes x = 68719476736 at tick 30")
}

// TestUnwritten says of a value that no store wrote that none did, and not that it is the latest.
func TestUnwritten(t *testing.T) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations x\nthread 0\nload x\nthread 1\nstore x 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := WitnessOfValue(p, valueOf(t, p, []gen.Value{9}, nil))
	c := Find(p, w, func(gen.LocID) int64 { return 1 }, []trace.Event{
		{At: 10, Kind: trace.Access, Thread: 1, Writes: true, Written: 1, Line: 1}, {At: 20, Kind: trace.Access, Reads: true, Read: 9, Line: 1},
	}, nil)
	requireTexts(t, c, "(a) thread 0 reads x = 9 at tick 20: no store of the trace wrote that")
}
