package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/compare"
	"ordeal/campaigns/report/sarif"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// WriteSARIF writes the findings of a campaign, ended or not, in the form of package
// sarif. The location of a finding is that of the transition, state, event or
// statement of its protocol that the failure names (package diagnose), or else the
// protocol's root file, or the campaign's file; those of a protocol that comes with
// ordeal have no directory. Known issues are suppressed; against an earlier campaign
// results have a state: new, unchanged, updated where they are flaky, and absent.
func WriteSARIF(w io.Writer, a *journal.Archive, b *compare.Diff, root string) error {
	s, err := summary.Read(a)
	if err != nil {
		return err
	}
	log := sarif.Log{
		Tool: a.Header.Tools["ordeal"], Command: a.Header.Command, Started: a.Header.Started, Failed: a.Header.End == journal.EndInfra,
		Properties: map[string]any{"campaign": s.Campaign, "seed": fmt.Sprint(s.Seed), "runs": s.Total().Runs, "operations": s.Total().Operations},
	}
	x := &locator{archive: a, sources: make(map[string]sarif.Sources)}
	for i := range s.Findings {
		f := &s.Findings[i]
		r := sarif.Result{Outcome: f.Outcome, Title: f.Title, System: f.System, State: states[b.Change(f)]}
		r.Text = fmt.Sprintf("%s: %s of seed %d on %s", f.Outcome.Titled(f.Title), messages.Plural(f.Runs, "run"), s.Seed, f.System)
		if f.Reduction != nil {
			r.Text += "; " + f.Reduction.String()
		}
		for _, c := range Commands(a.Dir, f, f.Best) {
			r.Text += "\n" + c.Line
		}
		if f.Known != nil {
			r.Known = f.Known.String()
		}
		var names []string
		for _, c := range f.Configs {
			names = append(names, c.Config)
		}
		r.Properties = map[string]any{"runs": f.Runs, "firstRun": f.First, "configurations": names}
		r.At = x.locate(&f.Failure, names, run.Dir(f.Dir))
		log.Results = append(log.Results, r)
	}
	for _, f := range b.Gone() {
		log.Results = append(log.Results, sarif.Result{
			Outcome: f.Outcome, Title: f.Title, System: f.System, State: states[compare.Gone], At: x.locate(&f.Old.Failure, f.Configs, ""),
		})
	}
	if err := log.Write(w, root); err != nil {
		return fmt.Errorf("report %s: %w", a.Dir, err)
	}
	return nil
}

// states are the words of SARIF for what a finding is against an earlier campaign.
var states = map[compare.Change]sarif.State{compare.New: sarif.New, compare.Recurring: sarif.Unchanged, compare.Flaky: sarif.Updated, compare.Gone: sarif.Absent}

// locator finds the places of findings.
type locator struct {
	archive *journal.Archive
	sources map[string]sarif.Sources // by configuration
}

// locate finds the place of a finding, of which dir is the first run.
func (x *locator) locate(f *sim.Failure, configs []string, dir run.Dir) sarif.Location {
	all := x.archive.Campaign.Configs
	for _, name := range configs {
		i := slices.IndexFunc(all, func(c config.Config) bool { return c.Name == name })
		if i < 0 {
			continue
		}
		s, ok := x.sources[name]
		if !ok {
			s = x.load(&all[i], dir)
			x.sources[name] = s
		}
		if at := s.Locate(f, all[i].SLICC); at.Path != "" {
			return at
		}
	}
	return sarif.Location{Path: x.archive.Path(journal.CampaignFile), Line: 1}
}

// load reads the protocol that a run was made with: its copy in the campaign where
// the files have changed.
func (x *locator) load(c *config.Config, dir run.Dir) sarif.Sources {
	recorded := *c
	if dir != "" {
		if spec, err := dir.Spec(); err == nil {
			if kept, err := run.RecordedProtocol(dir, spec); err == nil && kept != "" {
				recorded.SLICC = kept
			}
		}
	}
	p, where, err := config.LoadProtocol(x.archive.Campaign.SimOf(c), &recorded)
	if err != nil {
		return sarif.Sources{} // without its files there are no places in them
	}
	if recorded.SLICC != c.SLICC {
		where = filepath.Dir(c.SLICC) // the lines of the copy, in the file that was copied
	}
	return sarif.Sources{Protocol: p, Dir: where}
}
