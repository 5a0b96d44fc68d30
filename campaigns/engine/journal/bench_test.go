package journal

import (
	"fmt"
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// BenchmarkRead reads a journal of 100,000 runs with 195 transitions and two answers each.
func BenchmarkRead(b *testing.B) {
	const runs, rows = 100_000, 195
	c, err := config.ParseRecord("campaign.yaml", []byte("{name: test, sim: builtin, configs: [{name: a, runs: 100000}]}"))
	if err != nil {
		b.Fatal(err)
	}
	w, err := Create(b.TempDir(), c, Header{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	coverage := make(sim.Coverage, rows)
	for i := range coverage {
		coverage[i].Row = sim.Row{Machine: "L1Cache", State: fmt.Sprint("S", i%20), Event: fmt.Sprint("Event_", i/20)}
	}
	for n := range runs {
		e := w.NewEntry(n)
		e.Program, e.At = run.Hash([]byte{byte(n)}), time.Duration(n)*time.Millisecond
		for i := range coverage {
			coverage[i].Count = uint64(n*(i+7)) % 1013 * uint64((n+i)%3)
		}
		e.Coverage = coverage
		e.Result = &run.Result{Version: run.FormatVersion, Operations: 120, Elapsed: 1234567, Covered: run.CoveredBy(coverage), Answers: []run.Answer{
			{Model: "tso", Answer: "allowed", Procedure: "order", Search: 12345, Evidence: 2345}, {Model: "sc", Answer: "forbidden", Procedure: "saturate", Search: 12345, Evidence: 2345},
		}}
		if err := w.Append(e); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(w.cursor.Offset)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range w.Passing() {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != runs {
			b.Fatalf("%d runs", n)
		}
	}
}
