package engine

import (
	"errors"
	"path/filepath"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
)

// discard clears away the runs beyond the one at which the campaign stopped.
// Simulated machines would do the same again; what a real one did may never
// come again, so the directories of its failing runs stay, outside the
// campaign.
func (r *session) discard() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for number, e := range r.waiting {
		if r.c.SimOf(e.Config) != config.SimHost || !e.Result.Finding() {
			continue
		}
		dir, err := rundir.SetAside(string(r.dir(number)), filepath.Join(r.Dir, journal.SurplusDir))
		errs = append(errs, err)
		r.logf("run %d failed, too, but is beyond the end of the campaign: %s, in %s", number, e.Title, dir)
		delete(r.waiting, number)
	}
	clear(r.waiting)
	return errors.Join(append(errs, r.sweep())...)
}
