package reduction

import (
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/gen"
)

// TestEnoughRounds requires as many rounds as have four violations on average, and at most twice
// those that were tried.
func TestEnoughRounds(t *testing.T) {
	for _, c := range []struct{ rounds, violations, runs, want int }{
		{200, 48, 4, 67}, // 12 a run: a third of the rounds has 4
		{200, 16, 4, 200},
		{200, 8, 4, 400},
		{200, 1, 4, 400}, // 3200 would
		{200, 0, 4, 400},
		{1, 24, 1, 1},
	} {
		if got := enoughRounds(c.rounds, c.violations, c.runs); got != c.want {
			t.Errorf("%d violations in %d runs of %d rounds: %d, want %d", c.violations, c.runs, c.rounds, got, c.want)
		}
	}
}

// TestRepeated requires programs of few operations and all threads, the same for the same run, and
// each shape between them once.
func TestRepeated(t *testing.T) {
	shape, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations x\nthread 0\nstore x 1\nthread 1\nload x\n"))
	must.Succeed(t, err)
	cfg := config.DefaultConfig()
	cfg.Programs.Threads, cfg.Programs.Locations = 8, 6
	texts := map[string]bool{}
	for range 2 {
		s := &reducer{spec: &run.Spec{Config: cfg}, best: 7}
		list, err := s.repeated([]*gen.Program{shape, shape})
		must.Succeed(t, err)
		if len(list) != drawnPrograms+2 {
			t.Errorf("%d settings", len(list))
		}
		shapes, locations := 0, map[int]bool{}
		for _, set := range list {
			p := set.shape
			if total := p.Ops() * set.rounds(); total > roundsOps || total <= roundsOps-p.Ops() {
				t.Errorf("%d operations in all", total)
			}
			if p == shape {
				shapes++
				continue
			}
			texts[string(p.Text())] = true
			locations[len(p.Locations)] = true
			if len(p.Threads) != 8 || p.Ops() > surroundedOps {
				t.Errorf("%d operations in %d threads", p.Ops(), len(p.Threads))
			}
		}
		if shapes != 2 || len(locations) != 2 || !locations[4] || !locations[6] {
			t.Errorf("%d shapes, numbers of locations %v", shapes, locations)
		}
	}
	if len(texts) != drawnPrograms {
		t.Errorf("%d programs, want %d", len(texts), drawnPrograms)
	}
}
