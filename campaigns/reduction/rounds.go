package reduction

import (
	"context"
	"math"

	"ordeal/gen"
)

const (
	// roundsOps is about how many operations a trial of many rounds has, all rounds
	// counted.
	roundsOps = 8000
	// drawnPrograms are drawn for many rounds, beside the shapes of the witness.
	drawnPrograms = 24
	// wantedViolations is how many violations a run is to have on average, so that nearly
	// all of them fail: some e^-4, about 2 %, of runs have none if they are independent.
	wantedViolations = 4
	// moreRounds is by how much at most the rounds grow for that.
	moreRounds = 2
)

// roundsLocations are the numbers of locations of programs that are drawn: few, on which
// threads meet often.
var roundsLocations = []int{4, 8}

// manyRounds looks for programs of at most surroundedOps operations that fail in some of
// many rounds, in which the threads do not wait for each other: what the other rounds do
// is the traffic that a violation needs. These are shapes of a witness, and programs drawn
// as the recorded one was. The best are returned, the best first, with as many rounds as
// nearly all runs fail in.
func (s *reducer) manyRounds(ctx context.Context, shapes []*gen.Program) ([]*setting, error) {
	all, err := s.repeated(shapes)
	if err != nil {
		return nil, err
	}
	list, err := s.some(ctx, all, func(int) bool { return s.passed(1) })
	if err != nil {
		return nil, err
	}
	if list, err = s.bestOf(ctx, list); err != nil {
		return nil, err
	}
	for _, t := range list {
		t.repeats = enoughRounds(t.repeats, t.violations, t.runs)
	}
	return list, nil
}

// enoughRounds is in how many rounds wantedViolations are expected after so many in some
// runs, with at most moreRounds times the rounds.
func enoughRounds(rounds, violations, runs int) int {
	most := float64(rounds * moreRounds)
	if violations == 0 {
		return int(most)
	}
	return int(math.Ceil(min(float64(rounds)*wantedViolations*float64(runs)/float64(violations), most)))
}

// repeated are programs to be run in many rounds: those that are drawn come first and
// between the shapes, since most shapes alone keep little busy.
func (s *reducer) repeated(shapes []*gen.Program) ([]*setting, error) {
	var list []*setting
	add := func(p *gen.Program) {
		if p.Ops() > 0 {
			list = append(list, &setting{shape: p, repeats: max(roundsOps/p.Ops(), 1)})
		}
	}
	o := s.spec.Config.Programs
	o.Ops = max(surroundedOps/o.Threads, 1)
	recorded := o.Locations
	for n := range drawnPrograms {
		o.Locations = min(roundsLocations[n%len(roundsLocations)], recorded)
		p, err := o.Program(s.best, n)
		if err != nil {
			return nil, err
		}
		add(p)
		if n%(drawStep-1) == drawStep-2 && len(shapes) > 0 {
			add(shapes[0])
			shapes = shapes[1:]
		}
	}
	return list, nil
}
