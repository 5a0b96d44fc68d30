package merge

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/sim"
)

// run is what is known of a run while sources are compared. Sources are
// counted from 1 here; 0 is none.
type run struct {
	sum    [32]byte // of what the sources must agree on
	entry  int32    // the source whose line is taken
	dir    int32    // the source whose run directory is taken
	kind   int32    // of runs of which the first stays, as campaigns.Archive.Stay
	failed bool     // the run could not be made: another source may have made it
	always bool     // the run directory stays anyway
	keep   bool     // the run directory stays
}

// plan decides which source each run comes from, and finds the runs of which
// sources tell different things. Dir counts first, so that what it has stays;
// then the sources in their order, which makes no difference but for times.
func (j *merging) plan(ctx context.Context) error {
	j.runs = make([]run, j.c.Runs())
	j.kinds = make(map[string]int32)
	var conflicts []error
	for i, s := range j.sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		mine := s.archive.Head.Shard.Has(j.c)
		j.head.Spent = max(j.head.Spent, s.archive.Head.Spent)
		for e, err := range s.archive.Entries() {
			if err != nil {
				return fmt.Errorf("merge %s: %w", s.name, err)
			}
			if !mine[e.Number] {
				return fmt.Errorf("merge %s: run %d is not of shard %s", s.name, e.Number, s.archive.Head.Shard)
			}
			if !printable(e.Title) {
				return fmt.Errorf("merge %s: run %d: a title with control characters: %q", s.name, e.Number, e.Title)
			}
			j.head.Spent = max(j.head.Spent, e.At)
			if err := j.consider(int32(i+1), e); err != nil {
				conflicts = append(conflicts, err)
			}
		}
	}
	if more := len(conflicts) - maxShown; more > 0 {
		conflicts = append(conflicts[:maxShown], fmt.Errorf("%d more runs differ", more))
	}
	if err := errors.Join(conflicts...); err != nil {
		return err
	}
	j.stay()
	return nil
}

// consider takes the line of a run that a source has. The error says how it
// contradicts that of another source.
func (j *merging) consider(source int32, e *journal.Entry) error {
	sum, err := j.identity(e)
	if err != nil {
		return err
	}
	r := &j.runs[e.Number]
	failed := e.Outcome == sim.Infra
	switch {
	case r.entry == 0 || r.failed && !failed:
		r.entry, r.sum, r.failed = source, sum, failed
	case r.sum != sum && !failed:
		return j.conflict(e, r.entry, source)
	}
	if !e.Kept || r.dir != 0 {
		return nil
	}
	s := j.sources[source-1]
	if j.own && source == 1 {
		if _, err := s.root.Lstat(runName(e.Number)); errors.Is(err, fs.ErrNotExist) {
			return nil // somebody took it away: another source may have it
		}
	}
	r.dir = source
	var key string
	if key, r.always = s.archive.Stay(e); key != "" {
		if j.kinds[key] == 0 {
			j.kinds[key] = int32(len(j.kinds) + 1)
		}
		r.kind = j.kinds[key]
	}
	return nil
}

// stay decides which run directories stay: as in one campaign the first of
// each kind, by number, among those that the sources have.
func (j *merging) stay() {
	seen := make([]bool, len(j.kinds)+1)
	for n := range j.runs {
		r := &j.runs[n]
		r.keep = r.dir != 0 && (r.always || r.kind != 0 && !seen[r.kind])
		if r.dir != 0 {
			seen[r.kind] = true
		}
	}
}

// identity is a hash of what two sources must agree on that both have a run.
// The embedded simulator does the same again, but for times; a run of anything
// else is the same only if it is the very same, times included.
func (j *merging) identity(e *journal.Entry) ([32]byte, error) {
	same := *e
	same.At, same.Kept, same.Known, same.New, same.Counts = 0, false, 0, nil, nil
	judgement := *e.Result
	same.Result = &judgement
	if e.Covered != nil { // what is new depends on the runs before
		covered := *e.Covered
		covered.New = 0
		judgement.Covered = &covered
	}
	if j.repeats(e.Number) {
		judgement.Elapsed, judgement.Answers = 0, append([]rundir.Answer(nil), e.Answers...)
		for i := range judgement.Answers {
			judgement.Answers[i].Search, judgement.Answers[i].Evidence = 0, 0
		}
	}
	text, err := json.Marshal(&same)
	return sha256.Sum256(text), err
}

// repeats tells whether the simulator of a run does the same again.
func (j *merging) repeats(number int) bool {
	return j.c.SimOf(j.config(number)) == config.SimBuiltin
}

func (j *merging) config(number int) *config.Config { return j.sources[0].archive.Config(number) }

// conflict says how two sources contradict each other about a run.
func (j *merging) conflict(e *journal.Entry, first, second int32) error {
	a, b := j.sources[first-1], j.sources[second-1]
	place := fmt.Sprintf("run %d, of %s, is in %s and in %s", e.Number, e.Config, a.name, b.name)
	if !j.repeats(e.Number) {
		return fmt.Errorf("%s: it was made twice on %s, which may do otherwise each time", place, j.c.SimOf(j.config(e.Number)))
	}
	other, err := find(a, e.Number)
	if err != nil {
		return err
	}
	for _, d := range []struct{ what, a, b string }{
		{"program", other.Program, e.Program},
		{"outcome", other.Outcome.String(), e.Outcome.String()},
		{"title", other.Title, e.Title},
		{"log", other.Log, e.Log},
	} {
		if d.a != d.b {
			return fmt.Errorf("%s: its %s is %q there, %q here", place, d.what, d.a, d.b)
		}
	}
	return fmt.Errorf("%s: its verdicts differ", place)
}

// find reads the line of a run again.
func find(s *source, number int) (*journal.Entry, error) {
	for e, err := range s.archive.Entries() {
		if err != nil || e.Number == number {
			return e, err
		}
	}
	return nil, fmt.Errorf("%s changed meanwhile: run %d is gone", s.name, number)
}
