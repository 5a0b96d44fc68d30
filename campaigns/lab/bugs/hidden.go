package bugs

import (
	"context"
	"path/filepath"
	"strings"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/reduction"
	"ordeal/campaigns/run"
)

// sight says whether another protocol shows a finding.
type sight int

const (
	absent sight = iota
	shown
	masked // its runs end with a bug that hides what else they show
)

// comparison looks for findings of a protocol in another one, as those of a repaired
// protocol in the one without the repair, or those of one without a fix in the one with it.
type comparison struct {
	b  *Bench
	id string // of the bug
	// of and in are the root files of the protocols, audited the audit of the latter.
	of, in  string
	audited *audit.Report
	// hides reports whether a title is that of a bug that hides others.
	hides func(title string) bool
}

// seen looks for a finding in the other protocol: in its audit, in the runs that show
// the finding, and, where these end with a bug that hides others, in runs of the reduced
// program.
func (x *comparison) seen(ctx context.Context, f *audit.Finding) (sight, error) {
	if x.audited.Find(f.Title) != nil {
		return shown, nil
	}
	s, err := x.runs(ctx, f)
	if err != nil || s != masked || f.Explore != nil {
		return s, err
	}
	reduced, err := x.reduced(ctx, f)
	if err != nil || reduced == nil {
		return s, err
	}
	return x.runs(ctx, reduced)
}

// runs makes the runs that show a finding, in the other protocol. Titles of deadlocks name
// controllers that wait, which differ from one interleaving to the next: any deadlock
// of the same program is the same.
func (x *comparison) runs(ctx context.Context, f *audit.Finding) (sight, error) {
	m := f.Machine
	m.SLICC, m.Protocol, m.Mutant = x.in, "", ""
	same := func(title string) bool {
		const deadlock = "deadlock: "
		return title == f.Title ||
			strings.HasPrefix(f.Title, deadlock) && strings.HasPrefix(title, deadlock)
	}
	failures, _, _, err := audit.Again(ctx, m, nil, f, same)
	if err != nil {
		return absent, err
	}
	s := absent
	for _, title := range audit.Titles(failures) {
		if same(title) {
			return shown, nil
		}
		if x.hides(title) {
			s = masked
		}
	}
	return s, nil
}

// reduced is a finding with its program reduced; nil if it does not recur.
func (x *comparison) reduced(ctx context.Context, f *audit.Finding) (*audit.Finding, error) {
	dir := filepath.Join(x.b.Dir, "repaired", x.id)
	if err := run.RemoveAll(dir); err != nil {
		return nil, err
	}
	small := *f
	small.Dir = ""
	if err := (&audit.Report{Findings: []*audit.Finding{&small}}).Record(ctx, dir, nil); err != nil {
		return nil, err
	}
	result, err := reduction.Reduce(ctx, run.Dir(small.Dir), reduction.Options{Runs: reductionRuns, Workers: 1, Gate: new(run.Gate)})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, nil
	}
	small.Program, small.Rounds, small.Seed = string(result.Program.Text()), result.Spec.Config.Rounds, result.Spec.SimSeed()
	return &small, nil
}
