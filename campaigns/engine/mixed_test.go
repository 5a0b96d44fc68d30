package engine

import (
	"bytes"
	"context"
	"fmt"
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
// refused, and changes nothing, unless versions may be mixed; then header,
// journal and summary say which runs were made by which, also after another
// session, and each version has one entry.
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
	fails(t, err, `fake is "v2", was "v1": resume with those, run another campaign, or resume with --mixed`)
	if diff := cmp.Diff(before, contents(t, e.Dir)); diff != "" {
		t.Errorf("a session that is refused changes files (-before +after):\n%s", diff)
	}
	e.Mixed = true
	_, err = session("v2", 8, e.Resume)
	must.Succeed(t, err)
	e.Mixed = false // both versions are known now
	_, err = session("v1", 10, e.Resume)
	must.Succeed(t, err)
	sum, err := session("v2", -1, e.Resume)
	must.Succeed(t, err)
	made := ""
	for _, run := range entries(t, e.Dir) {
		made += fmt.Sprint(run.Tools)
	}
	if diff := cmp.Diff("000111110011", made); diff != "" {
		t.Errorf("versions of the runs (-want +got):\n%s", diff)
	}
	a, err := journal.Open(e.Dir)
	must.Succeed(t, err)
	if len(a.Header.Mixed) != 1 || a.Header.Toolset(0)["fake"] != "v1" || a.Header.Toolset(1)["fake"] != "v2" {
		t.Errorf("versions of the sessions: %v and %v", a.Header.Tools, a.Header.Mixed)
	}
	read, err := summary.Read(a)
	must.Succeed(t, err)
	text, err := os.ReadFile(filepath.Join(e.Dir, journal.SummaryText))
	must.Succeed(t, err)
	for _, text := range []string{sum.Text(), read.Text(), string(text)} {
		contains(t, text, "Different versions made the runs, whose results may differ:", "  7 runs: fake is \"v2\", was \"v1\"", "  5 runs: by the versions")
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
	host := map[string]string{"ordeal": "1", config.SimHost: "a"}
	h := journal.Header{Tools: host}
	other := map[string]string{"ordeal": "1", config.SimHost: "b"}
	if !journal.Replaceable(host, other) || h.Mix(other, h.Session) != 1 || h.Mix(host, h.Session) != 0 || len(h.Mixed) != 1 {
		t.Errorf("mixed: %+v", h.Mixed)
	}
	if journal.Replaceable(host, map[string]string{"ordeal": "2", config.SimHost: "a"}) {
		t.Error("another version may take over")
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
		fails(t, err, `fake is "v2", was "v1": resume with those, run another campaign, or resume with --mixed`)
		if diff := cmp.Diff(before, contents(t, e.Dir)); diff != "" {
			t.Errorf("a session that is refused changes files (-before +after):\n%s", diff)
		}
	}
	must.Succeed(t, os.WriteFile(path, text, 0o600))
	_, err = e.Resume(t.Context()) // nothing is due
	must.Succeed(t, err)
}
