package merge

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// run is a run while sources are compared. Sources are counted from 1; 0 is
// none.
type mergedRun struct {
	sum     [32]byte // hash of everything that sources must agree on
	entry   int32    // the source whose line is taken
	dir     int32    // the source whose run directory is taken
	failed  bool     // infrastructure error: another source may have a result
	damaged bool     // the files of a finding: another source may have them
}

// plan decides which source each run is taken from, and finds the runs whose
// results differ. Dir comes first, so that its runs stay, then the sources in
// their order, which only makes a difference for times.
func (j *merging) plan(ctx context.Context) error {
	j.step = "compare"
	j.runs = make([]mergedRun, j.c.Runs())
	var conflicts []error
	for i, s := range j.sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		mine := s.archive.Header.Shard.Has(j.c)
		j.head.Spent = max(j.head.Spent, s.archive.Header.Spent)
		for e, err := range s.archive.Entries() {
			if err != nil {
				return fmt.Errorf("merge %s: %w", s.name, err)
			}
			if !mine[e.Number] {
				return fmt.Errorf("merge %s: run %d is not of shard %s", s.name, e.Number, s.archive.Header.Shard)
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
	return errors.Join(conflicts...)
}

// consider adds the line of a run of a source. The error describes a
// contradiction to another source.
func (j *merging) consider(source int32, e *journal.Entry) error {
	sum, err := j.identity(e)
	if err != nil {
		return err
	}
	r := &j.runs[e.Number]
	failed := e.Outcome == sim.Infra
	damaged := e.Damaged != ""
	switch {
	case r.entry == 0 || r.failed && !failed:
		r.entry, r.sum, r.failed, r.damaged = source, sum, failed, damaged
	case r.sum != sum && !failed:
		return j.conflict(e, r.entry, source)
	case r.damaged && !damaged:
		r.entry, r.damaged = source, false
	}
	if !e.Kept || r.dir != 0 {
		return nil
	}
	if j.own && source == 1 && !run.Exists(string(j.sources[0].archive.Run(e.Number))) {
		return nil // removed by a user: another source may have it
	}
	r.dir = source
	return nil
}

// identity hashes everything that sources must agree on about a run. The embedded
// simulator is deterministic except for times; a run of any other simulator is
// the same only with the same times.
func (j *merging) identity(e *journal.Entry) ([32]byte, error) {
	same := *e
	same.At, same.Kept, same.Replaces, same.Known, same.New, same.Counts, same.Stalls = 0, false, nil, 0, nil, nil, nil
	if e.Damaged != "" { // which is of the directory, and not of the run
		same.Damaged, same.Quarantine = "", ""
	}
	result := *e.Result
	same.Result = &result
	if e.Covered != nil { // which are new depends on earlier runs
		covered := *e.Covered
		covered.New = 0
		result.Covered = &covered
	}
	if j.deterministic(e.Number) {
		result.Elapsed, result.Answers = 0, append([]run.Answer(nil), e.Answers...)
		for i := range result.Answers {
			result.Answers[i].Search, result.Answers[i].Evidence = 0, 0
		}
	}
	text, err := json.Marshal(&same)
	return sha256.Sum256(text), err
}

// deterministic reports whether a repeated run has the same result.
func (j *merging) deterministic(number int) bool {
	return j.c.SimOf(j.config(number)) == config.SimBuiltin
}

func (j *merging) config(number int) *config.Config { return j.sources[0].archive.Config(number) }

func (j *merging) conflict(e *journal.Entry, first, second int32) error {
	a, b := j.sources[first-1], j.sources[second-1]
	place := fmt.Sprintf("run %d, of %s, is in %s and in %s", e.Number, e.ConfigName, a.name, b.name)
	if !j.deterministic(e.Number) {
		return fmt.Errorf("%s: it was made twice on %s, whose runs may differ", place, j.c.SimOf(j.config(e.Number)))
	}
	other, err := find(a, e.Number)
	if err != nil {
		return err
	}
	for _, d := range []struct{ what, a, b string }{
		{"program", other.Program, e.Program},
		{"outcome", other.Outcome.String(), e.Outcome.String()},
		{"title", other.Title, e.Title},
		{"log", other.LogHash, e.LogHash},
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
	return nil, fmt.Errorf("%s changed during the merge: run %d is missing", s.name, number)
}
