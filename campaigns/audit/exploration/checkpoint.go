package exploration

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"ordeal/campaigns/run"
	"ordeal/sim/explore/machine"
	"ordeal/sim/explore/search"
)

// checkpointFile is the checkpoint in a directory. That of a program has its number
// behind it.
const checkpointFile = "checkpoint"

// checkpointOf is the checkpoint of the program with an index.
func checkpointOf(program int) string { return fmt.Sprintf("%s-%d", checkpointFile, program+1) }

// checkpoint is the file that a search can go on from.
type checkpoint struct {
	dir, file string
	identity  string        // of what is explored
	saved     time.Time     // the end of the last one, or the beginning
	took      time.Duration // to write it
}

// newCheckpoint is that of any access at any time, or of a program of the Spec with its
// index.
func (s *Spec) newCheckpoint(dir string, p *Program, index int) (*checkpoint, error) {
	identity, err := s.identity(p)
	c := &checkpoint{dir: dir, file: checkpointFile, identity: identity, saved: time.Now()}
	if p != nil {
		c.file = checkpointOf(index)
	}
	return c, err
}

func (c *checkpoint) path() string { return run.Dir(c.dir).Path(c.file) }

// resume continues the search of the checkpoint.
func (c *checkpoint) resume(m machine.Machine, o search.Options) (*search.Search, error) {
	f, err := run.Open(c.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("resume %s: %w", c.dir, ErrNoCheckpoint)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := search.Resume(f, m, c.identity, o)
	if err != nil {
		return nil, fmt.Errorf("resume %s: %w", c.path(), err)
	}
	return s, nil
}

// A checkpoint is due after checkpointEvery, and when what it takes is a small
// share of the time since the last one.
const (
	checkpointEvery = 2 * time.Minute
	checkpointShare = 20
)

// due writes the checkpoint if it is due. One that cannot be written does not end the search: what was found
// comes first, and finish tries again, and says so.
func (c *checkpoint) due(s *search.Search) error {
	if since := time.Since(c.saved); since < checkpointEvery || since < checkpointShare*c.took {
		return nil
	}
	if err := c.save(s); err != nil {
		c.saved = time.Now()
	}
	return nil
}

// save writes the checkpoint: as a whole, or the last one stays.
func (c *checkpoint) save(s *search.Search) error {
	began := time.Now()
	if err := run.StreamFile(c.path(), true, func(w io.Writer) error { return s.Save(w, c.identity) }); err != nil {
		return err
	}
	c.saved = time.Now()
	c.took = c.saved.Sub(began)
	return nil
}

// finish writes the checkpoint of a search that may go on, and removes that of one that
// has ended.
func (c *checkpoint) finish(s *search.Search, goesOn bool) error {
	if goesOn {
		return c.save(s)
	}
	if err := run.Remove(c.path()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
