package exploration

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"ordeal/campaigns/run"
	"ordeal/sim/explore/search"
)

// programsFile is explored.json of programs: the findings of all of them, and
// each with its own.
type programsFile struct {
	Result
	Programs []*ProgramResult `json:"programs"`
}

// programsEvery is the time between two writings of what programs have shown.
const programsEvery = 10 * time.Second

// RunPrograms explores the programs of the Spec one after the other, and calls done with
// each that has ended; nil means no callback. What is known is written to the directory
// every few seconds, from where Options.Resume goes on: programs that were visited whole
// are not explored again, and others from their checkpoints. It ends with the context, as
// if by a limit.
func RunPrograms(ctx context.Context, s *Spec, o Options, done func(at int, r *ProgramResult)) (*Explored, error) {
	x := &Explored{Spec: s, Result: Result{Version: Version, Findings: []Finding{}}, Programs: []*ProgramResult{}}
	if err := s.record(&o); err != nil {
		return nil, err
	}
	known, err := s.resumable(o)
	if err != nil {
		return nil, err
	}
	written := time.Now()
	for i := range s.Programs {
		var r *ProgramResult
		if i < len(known) {
			r = known[i]
		}
		if r == nil || s.goesOn(r) {
			if r, err = s.runProgram(ctx, i, o); err != nil {
				return nil, fmt.Errorf("explore %s: %w", s.Programs[i].Name, err)
			}
		}
		x.add(r)
		if done != nil {
			done(i, r)
		}
		if r.Limit == search.Interrupted {
			break
		}
		if o.Dir != "" && time.Since(written) >= programsEvery {
			if err := x.writePrograms(o.Dir); err != nil {
				return nil, err
			}
			written = time.Now()
		}
	}
	if o.Dir == "" {
		return x, nil
	}
	x.Result.Checkpoint = len(x.Programs) < len(s.Programs) || slices.ContainsFunc(x.Programs, s.goesOn)
	return x, x.writePrograms(o.Dir)
}

// goesOn reports whether the exploration of a program ended before its end, and not
// at what it was to find.
func (s *Spec) goesOn(r *ProgramResult) bool {
	return r.Limit != search.NoLimit && (r.Limit != search.FaultLimit || s.Explore.KeepGoing)
}

// resumable are the results of the directory, the first of them those of the first
// programs.
func (s *Spec) resumable(o Options) ([]*ProgramResult, error) {
	if !o.Resume {
		return nil, nil
	}
	path := run.Dir(o.Dir).Path(resultFile)
	var file programsFile
	if err := run.ReadJSON(path, &file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // killed before any was written
	} else if err != nil {
		return nil, err
	}
	for i, r := range file.Programs {
		if i >= len(s.Programs) || r == nil || r.Text != s.Programs[i].Text || !slices.Equal(r.Placement, s.Programs[i].Placement) {
			return nil, fmt.Errorf("read %s: program %d is not that of %s", path, i+1, specFile)
		}
	}
	if len(file.Programs) == len(s.Programs) && !slices.ContainsFunc(file.Programs, s.goesOn) {
		return nil, fmt.Errorf("resume %s: %w", o.Dir, ErrNoCheckpoint)
	}
	return file.Programs, nil
}

// add takes in the result of a program.
func (x *Explored) add(r *ProgramResult) {
	all := &x.Result
	x.Programs = append(x.Programs, r)
	all.Findings = append(all.Findings, r.Findings...)
	all.Orbits, all.Expanded, all.States, all.Steps = all.Orbits+r.Orbits, all.Expanded+r.Expanded, all.States+r.States, all.Steps+r.Steps
	all.Depth, all.Elapsed, all.Omission = max(all.Depth, r.Depth), all.Elapsed+r.Elapsed, all.Omission+r.Omission
	all.Coverage.Add(r.Coverage)
	if !r.Complete() && all.Complete() {
		all.Limit = r.Limit
	}
}

// writePrograms writes what was explored, and a schedule for each finding.
func (x *Explored) writePrograms(dir string) error {
	x.Result.Findings = x.Result.Findings[:0]
	for _, r := range x.Programs {
		for i := range r.Findings {
			f := &r.Findings[i]
			f.Schedule = fmt.Sprintf("counterexample-%d.txt", len(x.Result.Findings)+1)
			if err := run.WriteFile(run.Dir(dir).Path(f.Schedule), f.text(), false); err != nil {
				return err
			}
			x.Result.Findings = append(x.Result.Findings, *f)
		}
	}
	return run.WriteJSON(run.Dir(dir).Path(resultFile), &programsFile{x.Result, x.Programs}, true)
}
