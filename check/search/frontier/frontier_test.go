package frontier_test

import (
	"testing"

	"ordeal/check/search/frontier"
	"ordeal/check/search/proctest"
)

func TestSmall(t *testing.T) { proctest.Small(t, frontier.Procedure, frontier.Plain) }

func TestHard(t *testing.T) { proctest.Hard(t, frontier.Procedure) }

func TestLarge(t *testing.T) {
	proctest.Large(t, 40, 60, frontier.Procedure)
	proctest.Large(t, 40, 14, frontier.Plain)
}

func BenchmarkFrontier(b *testing.B) {
	for _, m := range proctest.Totals[:2] {
		for _, ops := range []int{100, 400, 800} {
			proctest.Bench(b, frontier.Procedure, m, 8, ops, 16)
		}
		proctest.Bench(b, frontier.Plain, m, 2, 100, 16)
		proctest.Bench(b, frontier.Plain, m, 4, 100, 16)
	}
}
