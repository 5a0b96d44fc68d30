package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/sim"
)

// maxInfra is how many runs in a row, by their numbers, may fail for reasons
// that are not the tested system's before the campaign gives up.
const maxInfra = 10

// tolerate tells of a run that could not be made, and says whether the campaign
// goes on.
func (r *session) tolerate(run *journal.Run) error {
	if run.Outcome != sim.Infra {
		r.infra = 0
		return nil
	}
	r.infra++
	r.logf("trouble: run %d: %s, in %s", run.Number, run.Title, run.Dir)
	why, _, _ := strings.Cut(run.Detail, "\n")
	switch {
	case r.c.OnInfraError == config.InfraStop:
		return fmt.Errorf("stopping at run %d, which could not be made or judged, as on-infra-error says: %s: %s", run.Number, run.Title, why)
	case r.infra == maxInfra:
		return fmt.Errorf("giving up after %d runs in a row that could not be made or judged, the last of them run %d: %s: %s", maxInfra, run.Number, run.Title, why)
	}
	return nil
}

// quarantine moves the directory of a run there, with the reason.
func (r *session) quarantine(number int, reason string) (rundir.Dir, error) {
	dir, err := rundir.SetAside(string(r.dir(number)), filepath.Join(r.Dir, journal.QuarantineDir))
	if err != nil {
		return r.dir(number), err
	}
	if err := os.Remove(dir.Path(journal.EndedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	return dir, rundir.WriteFile(dir.Path(rundir.ReasonFile), []byte(strings.TrimSpace(reason)+"\n"), false)
}
