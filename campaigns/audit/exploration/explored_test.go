package exploration

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/sim/explore/search"
)

// ofCampaign is a run of a campaign that explores MESI on two lines.
func ofCampaign(e config.Explore) *run.Spec {
	cfg := config.Config{Machine: config.Machine{Protocol: "mesi-two-level"}, Explore: &e}
	return &run.Spec{Config: cfg, Tools: map[string]string{"ordeal": "test"}}
}

// TestExploreGoesOn ends the exploration of a campaign between two rounds of its
// search: the next one goes on from there, and finds what one in one piece finds.
func TestExploreGoesOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "explorations", "000003")
	spec := ofCampaign(config.Explore{Lines: 2, MaxStates: 20_000})
	want, err := Explore(t.Context(), spec, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var before uint64
	_, err = exploreRun(ctx, spec, 1, Options{Workers: 1, Dir: dir, Progress: func(p search.Progress) {
		if before = p.Expanded; before > 5_000 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || !run.Exists(filepath.Join(dir, checkpointFile)) {
		t.Fatalf("%v, checkpoint %v", err, run.Exists(filepath.Join(dir, checkpointFile)))
	}
	first := uint64(0)
	got, err := exploreRun(t.Context(), spec, 1, Options{Workers: 1, Dir: dir, Progress: func(p search.Progress) {
		if first == 0 {
			first = p.Expanded
		}
	}})
	if err != nil || first <= before {
		t.Fatalf("%v, goes on at state %d, want behind %d", err, first, before)
	}
	if got.Result.Orbits != want.Result.Orbits || got.Result.Digest != want.Result.Digest {
		t.Errorf("%d orbits, digest %x, want %d, %x", got.Result.Orbits, got.Result.Digest, want.Result.Orbits, want.Result.Digest)
	}
	if run.Exists(dir) {
		t.Error("the directory stays")
	}

	// What another version has left is no reason to fail.
	if err := run.MakeDurable(dir); err != nil {
		t.Fatal(err)
	}
	if err := run.WriteFile(filepath.Join(dir, checkpointFile), []byte("ordeal search 1\n"), false); err != nil {
		t.Fatal(err)
	}
	if got, err = Explore(t.Context(), spec, 1, dir); err != nil || got.Result.Digest != want.Result.Digest {
		t.Errorf("%v, want another beginning", err)
	}
}

// TestProgramsGoOn ends programs after the first one, which is not explored again.
func TestProgramsGoOn(t *testing.T) {
	s := &Spec{Machine: config.Machine{Protocol: "mi"}}
	named, err := Shapes([]string{"SB", "MP"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Programs, err = s.Placed(named); err != nil {
		t.Fatal(err)
	}
	o := Options{Workers: 1, Dir: t.TempDir()}
	ctx, cancel := context.WithCancel(t.Context())
	x, err := RunPrograms(ctx, s, o, func(int, *ProgramResult) { cancel() })
	if err != nil || !x.Result.Checkpoint {
		t.Fatalf("%v, %+v", err, x)
	}
	o.Resume = true
	explored := 0
	o.Progress = func(search.Progress) { explored++ }
	var names []string
	x, err = RunPrograms(t.Context(), s, o, func(at int, r *ProgramResult) {
		names = append(names, r.Name)
		if at == 0 && explored > 0 {
			t.Error("the first program is explored again")
		}
	})
	if err != nil || x.Result.Checkpoint || !x.Result.Complete() || !slices.Equal(names, []string{"SB", "MP"}) || explored == 0 {
		t.Errorf("%v, %q, %d rounds, %+v", err, names, explored, x)
	}
	if _, err := RunPrograms(t.Context(), s, o, nil); !errors.Is(err, ErrNoCheckpoint) {
		t.Errorf("%v, want %v", err, ErrNoCheckpoint)
	}
	s.Programs = s.Programs[1:]
	if _, err := RunPrograms(t.Context(), s, o, nil); err == nil || errors.Is(err, ErrNoCheckpoint) {
		t.Errorf("the results of other programs are taken: %v", err)
	}
}

// TestProgramGoesOn ends the search of a program: the next one goes on from there, and finds
// what one in one piece finds.
func TestProgramGoesOn(t *testing.T) {
	s := &Spec{Machine: config.Machine{Protocol: "mesi-two-level"}}
	named, err := Shapes([]string{"SB"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Programs, err = s.Placed(named); err != nil {
		t.Fatal(err)
	}
	want, err := RunPrograms(t.Context(), s, Options{Workers: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	goesOn(t, func(ctx context.Context, o Options) (*Result, error) {
		x, err := RunPrograms(ctx, s, o, nil)
		if err != nil {
			return nil, err
		}
		return &x.Programs[0].Result, nil
	}, &want.Programs[0].Result, checkpointOf(0))
}

// TestLivenessGoesOn is TestProgramGoesOn for a search that keeps its graph.
func TestLivenessGoesOn(t *testing.T) {
	s := &Spec{Machine: config.Machine{Protocol: "mi"}, Explore: config.Explore{Lines: 2, Liveness: "strong"}}
	want, err := Run(t.Context(), s, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	goesOn(t, func(ctx context.Context, o Options) (*Result, error) { return Run(ctx, s, o) }, want, checkpointFile)
}

// goesOn interrupts an exploration between two rounds and compares what it finds in two
// pieces.
func goesOn(t *testing.T, explore func(context.Context, Options) (*Result, error), want *Result, file string) {
	t.Helper()
	o := Options{Workers: 1, Dir: t.TempDir()}
	ctx, cancel := context.WithCancel(t.Context())
	var before uint64
	o.Progress = func(p search.Progress) {
		if before = p.Expanded; before > want.Orbits/3 {
			cancel()
		}
	}
	got, err := explore(ctx, o)
	if err != nil || got.Limit != search.Interrupted || !run.Exists(filepath.Join(o.Dir, file)) {
		t.Fatalf("%v, %+v, checkpoint %v", err, got, run.Exists(filepath.Join(o.Dir, file)))
	}
	first := uint64(0)
	o.Resume, o.Progress = true, func(p search.Progress) {
		if first == 0 {
			first = p.Expanded
		}
	}
	if got, err = explore(t.Context(), o); err != nil || first <= before {
		t.Fatalf("%v, goes on at state %d, want behind %d", err, first, before)
	}
	got.Elapsed = want.Elapsed
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Result{}, "BytesPerState", "Components", "Coverage")); diff != "" {
		t.Error(diff)
	}
	if got.Coverage.Taken() != want.Coverage.Taken() {
		t.Errorf("%d rows, want %d", got.Coverage.Taken(), want.Coverage.Taken())
	}
	if run.Exists(filepath.Join(o.Dir, file)) {
		t.Error("the checkpoint stays")
	}
}
