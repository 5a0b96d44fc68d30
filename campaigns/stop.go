package campaigns

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ordeal/sim"
)

// errStopped ends the runs of a campaign that has reached a condition of
// Campaign.Stop.
var errStopped = errors.New("the campaign stops here")

// stopped says which condition of s the campaign has reached with a run; empty
// for none.
func (s *Summary) stopped(number int) string {
	if n := s.stop.Findings; n > 0 && len(s.Findings) >= n {
		return fmt.Sprintf("run %d: stop.findings is %d", number, n)
	}
	if n := s.stop.Same; n > 0 {
		for i := range s.Findings {
			if f := &s.Findings[i]; f.Outcome != sim.Missed && f.Runs >= n {
				return fmt.Sprintf("run %d: stop.same is %d", number, n)
			}
		}
	}
	return ""
}

// surplusDir holds the directories of runs that failed on hardware when a
// campaign had stopped at a run of a lower number.
const surplusDir = "surplus"

// discard clears away the runs beyond the one at which the campaign stopped.
// Simulated machines would do the same again; what a real one did may never
// come again, so the directories of its failing runs stay, outside the
// campaign.
func (r *running) discard() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for number, e := range r.waiting {
		if r.c.SimOf(e.Config) != SimHost || !e.Judgement.Finding() {
			continue
		}
		dir, err := setAside(string(r.dir(number)), filepath.Join(r.Dir, surplusDir))
		errs = append(errs, err)
		r.tell("run %d failed, too, but is beyond the end of the campaign: %s, in %s", number, e.Title, dir)
		delete(r.waiting, number)
	}
	clear(r.waiting)
	return errors.Join(append(errs, r.sweep())...)
}

// setAside moves a directory, or whatever bears its name, into another one, by
// its own name or one made of it that nothing bears yet.
func setAside(path, into string) (RunDir, error) {
	base := filepath.Join(into, filepath.Base(path))
	dir := base
	for n := 2; ; n++ {
		if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
			break
		} else if err != nil {
			return "", err
		}
		dir = fmt.Sprintf("%s-%d", base, n)
	}
	if err := os.MkdirAll(into, 0o755); err != nil {
		return "", err
	}
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.IsDir():
		return RunDir(dir), os.Rename(path, dir)
	case err == nil: // a file in the way
		err = os.Mkdir(dir, 0o755)
		return RunDir(dir), errors.Join(err, os.Rename(path, filepath.Join(dir, "in-the-way")))
	case errors.Is(err, os.ErrNotExist):
		return RunDir(dir), os.Mkdir(dir, 0o755)
	}
	return "", err
}

// numbered gives the number that the name of a run directory stands for.
func numbered(name string) (int, bool) {
	if strings.Trim(name, "0123456789") != "" || len(name) > 9 {
		return 0, false
	}
	n := 0
	for _, digit := range name {
		n = 10*n + int(digit-'0')
	}
	return n, pad(n) == name
}
