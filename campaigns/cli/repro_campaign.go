package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
)

// numbered makes a run of a campaign.
func (r *repeat) numbered(ctx context.Context) error {
	if file := filepath.Join(run.Resolve(r.campaign), journal.CampaignFile); run.Exists(file) {
		r.campaign = file
	}
	if r.received() {
		// A link or a pipe is no file of a campaign.
		f, _, err := command.OpenRecord(r.campaign)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	c, _, err := r.env.Campaign(r.campaign, r.sets)
	if err != nil {
		return err
	}
	cfg, p, seed, err := c.Number(r.number)
	if err != nil {
		return command.Usage(err)
	}
	used, err := r.asRecorded(c, cfg)
	if err != nil {
		return err
	}
	if used.Explore != nil {
		return r.explore(ctx, c, used)
	}
	models := append([]string{used.Expect}, used.Classify...)
	one := runCommand{env: r.env, campaign: *c, cfg: *used, models: strings.Join(models, ","), dir: r.out}
	one.campaign.Sim, one.campaign.Seed, one.campaign.CheckTimeout = c.SimOf(used), seed, r.options.CheckTimeout
	one.observe.json = r.json
	one.cfg.Classify = nil // run names them anew
	return one.run(ctx, p)
}

// explore makes a run of a campaign that is an exploration.
func (r *repeat) explore(ctx context.Context, c *config.Campaign, cfg *config.Config) error {
	spec, err := exploration.SpecOf(&run.Spec{
		Config: *cfg, Timeout: c.Timeout, Command: r.Args, Tools: run.ExplorationVersions(&cfg.Machine), Started: time.Now(),
	})
	if err != nil {
		return command.Usage(err)
	}
	x := exploreRun{env: r.env, spec: *spec, json: r.json, o: exploration.Options{Dir: r.out}}
	if err := x.makeDir("run"); err != nil {
		return err
	}
	return x.explore(ctx)
}

// received says whether the file has the name of the one in the directory of a campaign. It
// may come from others, even if the rest of the directory is missing: they may have removed
// that.
func (r *repeat) received() bool { return filepath.Base(r.campaign) == journal.CampaignFile }

// asRecorded is a configuration of the campaign as it is repeated: with what the
// command line names, and, if the file is that of the directory of a campaign, with no
// commands but trusted ones, and with the protocol that the run was made with if there is
// a header, which says so.
func (r *repeat) asRecorded(c *config.Campaign, cfg *config.Config) (*config.Config, error) {
	dir := filepath.Dir(r.campaign)
	named := r.trusted.Apply(cfg)
	if !r.received() {
		return &named, nil
	}
	recorded := run.Exists(filepath.Join(dir, journal.HeaderFile))
	var a *journal.Archive
	if recorded {
		var err error
		if a, err = journal.Open(dir); err != nil {
			return nil, err
		}
	}
	gate, err := r.trusted.Gate(r.env, dir, func() (*config.Campaign, error) { return c, nil })
	if err != nil {
		return nil, err
	}
	if err := gate.Campaign(&config.Campaign{Sim: c.SimOf(cfg), Configs: []config.Config{named}}); err != nil {
		return nil, err
	}
	if !recorded {
		return &named, nil
	}
	kept, err := run.CampaignProtocol(dir, c.SimOf(cfg), &named, r.madeWith(a))
	if kept != "" {
		fmt.Fprintf(r.Stderr, "the files of the protocol have changed since: repeated with the recorded ones, %s\n", kept)
	}
	return &named, err
}

// madeWith is the versions that the run of a recorded campaign was made with.
func (r *repeat) madeWith(a *journal.Archive) map[string]string {
	if spec, err := a.Run(r.number).Spec(); err == nil {
		return spec.Tools
	}
	return a.Header.Tools
}
