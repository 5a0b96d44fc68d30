package engine

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/sim"
)

// versioned is a simulator of another version.
type versioned struct {
	sim.Runner
	version string
}

func (v versioned) Version(context.Context) string { return v.version }

// TestMixed resumes a campaign with another version of the simulator: it is
// refused, and changes nothing.
func TestMixed(t *testing.T) {
	e, _ := newEngine(t, nil)
	c := parse(t, smallCampaign, "workers=1")
	session := func(version string, until int, part func(context.Context) (*summary.Summary, error)) (*summary.Summary, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		e.use(versioned{either(interrupting(cancel), func(number int) bool { return number == until }), version})
		return part(ctx)
	}
	begin := func(ctx context.Context) (*summary.Summary, error) { return e.Run(ctx, c) }
	_, err := session("v1", 3, begin)
	must.Succeed(t, err)
	before := contents(t, e.Dir)
	_, err = session("v2", 8, e.Resume)
	fails(t, err, `fake is "v2", was "v1": resume with those, or run another campaign`)
	if diff := cmp.Diff(before, contents(t, e.Dir)); diff != "" {
		t.Errorf("a session that is refused changes files (-before +after):\n%s", diff)
	}
}

// TestMixedExtension extends a campaign that has ended with another version of the
// simulator: that is refused, and it has ended still.
func TestMixedExtension(t *testing.T) {
	e, _ := newEngine(t, versioned{new(fake.Runner), "v1"})
	runEngine(t, e, parse(t, smallCampaign, "workers=1"))
	before := contents(t, e.Dir)
	e.use(versioned{new(fake.Runner), "v2"})
	e.Extension = config.Extension{Runs: 14}
	_, err := e.Resume(t.Context())
	fails(t, err, `fake is "v2", was "v1"`)
	if diff := cmp.Diff(before, contents(t, e.Dir)); diff != "" {
		t.Errorf("a session that is refused changes files (-before +after):\n%s", diff)
	}
}

// TestMixedMachines requires that the machine that runs programs may be another
// one without being asked for, and is recorded.
func TestMixedMachines(t *testing.T) {
	h := journal.Header{Tools: map[string]string{"ordeal": "1", config.SimHost: "b"}}
	first := h.Tools
	for range 2 {
		must.Succeed(t, h.UseTools(map[string]string{"ordeal": "1", config.SimHost: "a"}))
	}
	if diff := cmp.Diff(map[string]string{"ordeal": "1", config.SimHost: "a; b"}, h.Tools); diff != "" || first[config.SimHost] != "b" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	fails(t, h.UseTools(map[string]string{"ordeal": "2", config.SimHost: "a"}), `ordeal is "2", was "1"`)
	h = journal.Header{Tools: map[string]string{"ordeal": "1"}}
	must.Succeed(t, h.UseTools(map[string]string{"ordeal": "1"}))
	if len(h.Tools) != 1 {
		t.Errorf("tools without a machine: %v", h.Tools)
	}
}

// TestMixedDamaged has a campaign that ended, and a journal that has lost its last lines
// since: what another version refuses to repeat stays, as it may be all that is left.
func TestMixedDamaged(t *testing.T) {
	e, _ := newEngine(t, nil)
	runner := runnerFunc(func(ctx context.Context, job sim.Job) (sim.Result, error) { return (&fake.Runner{}).Run(ctx, job) })
	e.use(versioned{runner, "v1"})
	runEngine(t, e, parse(t, smallCampaign, "workers=1", "keep=all"))
	path := filepath.Join(e.Dir, journal.RunsFile)
	text, err := os.ReadFile(path)
	must.Succeed(t, err)
	lines := bytes.SplitAfter(text, []byte("\n"))
	for _, damaged := range [][]byte{
		slices.Concat(lines[:3]...),
		bytes.Replace(text, []byte(`"number":7`), []byte(`"number":6`), 1),
	} {
		must.Succeed(t, os.WriteFile(path, damaged, 0o600))
		before := contents(t, e.Dir)
		e.use(versioned{runner, "v2"})
		_, err = e.Resume(t.Context())
		fails(t, err, `fake is "v2", was "v1": resume with those, or run another campaign`)
		if diff := cmp.Diff(before, contents(t, e.Dir)); diff != "" {
			t.Errorf("a session that is refused changes files (-before +after):\n%s", diff)
		}
	}
	must.Succeed(t, os.WriteFile(path, text, 0o600))
	_, err = e.Resume(t.Context()) // nothing is due
	must.Succeed(t, err)
}
