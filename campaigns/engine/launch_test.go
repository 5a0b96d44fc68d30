package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
)

// TestLaunches lists the launches of a schedule with batches.
func TestLaunches(t *testing.T) {
	c := &config.Campaign{Configs: []config.Config{{}, {}, {}}}
	c.Configs[0].Batch, c.Configs[2].Batch = 3, 1
	var got []launch
	for l := range launches(c, []int{0, 1, 0, 2, 0, 1, 0, 2, 0}) {
		got = append(got, l)
	}
	want := []launch{
		{config: 0, numbers: []int{0, 2, 4}}, {config: 1, numbers: []int{1}}, {config: 2, numbers: []int{3}},
		{config: 1, numbers: []int{5}}, {config: 0, numbers: []int{6, 8}}, {config: 2, numbers: []int{7}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(launch{})); diff != "" {
		t.Errorf("launches (-want +got):\n%s", diff)
	}
}
