package gem5

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/sim"
)

// stats has the forms of lines that gem5 v24.0 writes for MI_example with four
// cores and one directory.
const stats = `
---------- Begin Simulation Statistics ----------
simTicks                                    122471500                       # Number of ticks simulated (Tick)
system.ruby.Directory_Controller.GETX           20221      0.00%      0.00% (Unspecified)
system.ruby.Directory_Controller.I.GETX          1725      0.00%      0.00% (Unspecified)
system.ruby.Directory_Controller.M.PUTX_NotOwner           25      0.00%      0.00% (Unspecified)
system.ruby.L1Cache_Controller.Load      |        1181     22.97%     22.97% |        2126     41.35%     64.33% (Unspecified)
system.ruby.L1Cache_Controller.Load::total         5141                       (Unspecified)
system.ruby.L1Cache_Controller.I.Load    |         862     26.92%     26.92% |        1156     36.10%     63.02% (Unspecified)
system.ruby.L1Cache_Controller.I.Load::total         3202                       (Unspecified)
system.ruby.L1Cache_Controller.IS.Data::total            0                       (Unspecified)
system.ruby.l1_cntrl0.cacheMemory.m_demand_hits        23411                       # Number of cache demand hits (Unspecified)
system.ruby.latency_hist_seqr::mean         12.105322                       (Unspecified)

---------- End Simulation Statistics   ----------
`

func TestReadCoverage(t *testing.T) {
	got, err := ReadCoverage(strings.NewReader(stats + strings.ReplaceAll(stats, " 3202 ", " 4000 ")))
	if err != nil {
		t.Fatal(err)
	}
	want := sim.Coverage{
		{Row: sim.Row{Machine: "Directory", State: "I", Event: "GETX"}, Count: 1725},
		{Row: sim.Row{Machine: "Directory", State: "M", Event: "PUTX_NotOwner"}, Count: 25},
		{Row: sim.Row{Machine: "L1Cache", State: "I", Event: "Load"}, Count: 4000}, // of the last dump
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzReadCoverage(f *testing.F) {
	f.Add(stats)
	f.Fuzz(func(t *testing.T, text string) {
		coverage, _ := ReadCoverage(strings.NewReader(text))
		for _, c := range coverage {
			if c.Count == 0 || c.Machine == "" && c.State == "" && c.Event == "" {
				t.Errorf("%+v", c)
			}
		}
	})
}
