package engine

import (
	"runtime"
	"testing"
	"time"

	"ordeal/campaigns/config"
)

// A reduction is one of the checks that share the machine's memory.
func TestChecksShareMemory(t *testing.T) {
	minute := config.Duration(time.Minute)
	for _, test := range []struct {
		workers int
		reduce  config.Duration
		want    int
	}{{0, 0, 0}, {3, 0, 3}, {3, minute, 4}, {0, minute, runtime.GOMAXPROCS(0) + 1}} {
		c := &config.Campaign{Workers: test.workers, Reduce: test.reduce}
		if got := checkOptions(c, nil).Workers; got != test.want {
			t.Errorf("%d workers, reduction %v: %d checks at a time, want %d", test.workers, test.reduce, got, test.want)
		}
	}
}
