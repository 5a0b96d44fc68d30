package bugs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/lab"
	"ordeal/campaigns/reduction"
	"ordeal/campaigns/run"
	"ordeal/gen"
)

// Status is the result of the search for a bug.
type Status string

// The results.
const (
	Found      Status = "found"
	Repeated   Status = "repeated" // missed, and the run that the list has of it shows it
	Missed     Status = "missed"
	Equivalent Status = "equivalent" // nothing was found, as the list says
	Surprise   Status = "surprise"   // found, though the list says that nothing can be
	Unmade     Status = "not made"   // the protocol without the fix cannot be made
	Refused    Status = "refused"    // it cannot be simulated
)

// Result is the result of the search for one bug.
type Result struct {
	Version int    `json:"version"`
	Bug     *Bug   `json:"bug"`
	Status  Status `json:"status"`
	// Reason says why there is no protocol, or why it cannot be simulated.
	Reason string `json:"reason,omitempty"`
	Trees  *Trees `json:"trees,omitempty"`
	// Finding is the one that the protocol with the fix does not have, with what
	// had been spent until it was found.
	Finding *audit.Finding `json:"finding,omitempty"`
	// Witness is the number of operations of the reduced program, or of steps of
	// the path; 0 where none was made.
	Witness int `json:"witness,omitempty"`
	// Limit and CPU are the end and the time of the search in the protocol without
	// the fix, Operations and Steps the work; of both searches, if Alone.
	Limit      string        `json:"limit,omitempty"`
	CPU        time.Duration `json:"cpu_ns"`
	Operations uint64        `json:"operations"`
	Steps      uint64        `json:"steps"`
	// Alone says that a bug that is still there did not show in the unmodified protocol, and was
	// searched for once more in the one with the repairs of all others.
	Alone bool `json:"alone,omitempty"`
	// Shared are findings that both protocols have.
	Shared int `json:"shared"`
	// Repaired has the proposals of a search for repairs; nil without one.
	Repaired *Repaired `json:"repaired,omitempty"`
	// Proposed says how the proposed repair of an unfixed bug was checked;
	// nil without one.
	Proposed *Proposed `json:"proposed,omitempty"`
	_        struct{}
}

const resultVersion = 1

// Bench is a measurement. Its directory has the results of bugs and those of audits, from
// which it continues after an interrupt.
type Bench struct {
	Maker *Maker
	Dir   string
	// Audit are the engines, the seed and the budget of each audit.
	Audit audit.Options
	// Workers is how many bugs are searched for at a time; 0 is one, with which
	// alone times are those of one bug.
	Workers int
	// OnResult is called with each result, in any order, by one caller at a
	// time; nil means no callback.
	OnResult func(*Result)
	// Repairs asks for a search for repairs of each bug that was found.
	Repairs bool

	mu       sync.Mutex // of making trees
	results  *lab.Results[*Result]
	audits   *lab.Results[*audit.Report] // whole ones, which several bugs may need
	repaired *lab.Results[*Repaired]
	_        struct{}
}

// Run searches for bugs. The results are in the order of the bugs; where ctx ends
// first, those that there are.
func (b *Bench) Run(ctx context.Context, list []*Bug) (results []*Result, err error) {
	if b.results, err = lab.Open[*Result](filepath.Join(b.Dir, "results.jsonl")); err != nil {
		return nil, err
	}
	if b.audits, err = lab.Open[*audit.Report](filepath.Join(b.Dir, "audits.jsonl")); err != nil {
		return nil, err
	}
	if b.repaired, err = lab.Open[*Repaired](filepath.Join(b.Dir, "repairs.jsonl")); err != nil {
		return nil, err
	}
	results, err = lab.Run(ctx, b.Workers, list, func(ctx context.Context, bug *Bug) (*Result, error) {
		r, err := b.one(ctx, bug)
		if err != nil {
			return nil, fmt.Errorf("bug %s: %w", bug.ID, err)
		}
		return r, nil
	}, b.OnResult)
	return results, errors.Join(err, b.results.Close(), b.audits.Close(), b.repaired.Close())
}

// Budget has what the result of an audit depends on, besides the protocol.
type Budget struct {
	Engines []audit.Engine `json:"engines"`
	Seed    uint64         `json:"seed"`
	Steps   uint64         `json:"steps"`
	CPU     time.Duration  `json:"cpu_ns"`
}

// String is the budget as the flags of a command say it.
func (b Budget) String() string {
	cpu, steps := fmt.Sprintf("%s of CPU", b.CPU.Round(10*time.Millisecond)), messages.Comma(int(b.Steps))+" steps"
	switch {
	case b.Steps == 0:
		return cpu
	case b.CPU == 0:
		return steps
	}
	return cpu + ", at most " + steps
}

// BudgetOf is the part of the options that results depend on.
func BudgetOf(o audit.Options) Budget { return Budget{o.Engines, o.Seed, o.Steps, o.CPU} }

// needs has what the result of a bug depends on.
type needs struct {
	Version    int      `json:"version"`
	Budget     Budget   `json:"budget"`
	Identities []string `json:"identities"` // of the protocols
	Titles     []string `json:"titles"`
	Needs      []string `json:"needs"`
	Run        *Run     `json:"run"`
}

func (b *Bench) needs(bug *Bug, t *Trees) needs {
	return needs{
		resultVersion, BudgetOf(b.Audit), []string{t.Identity, t.AfterIdentity, t.RepairedIdentity, t.AllIdentity},
		append([]string{bug.Title}, bug.Also...), bug.Needs, bug.Run,
	}
}

// one is the result of a bug, read where it is known already.
func (b *Bench) one(ctx context.Context, bug *Bug) (*Result, error) {
	b.mu.Lock()
	trees, err := b.Maker.Make(ctx, bug)
	b.mu.Unlock()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return &Result{Version: resultVersion, Bug: bug, Status: Unmade, Reason: Brief(err)}, nil
	}
	needs := b.needs(bug, trees)
	stored, err := b.results.Do(lab.Case{Name: bug.ID, Depends: needs}, func() (*Result, error) {
		r := &Result{Version: resultVersion, Bug: bug, Trees: trees}
		if err := b.search(ctx, bug, r); err != nil {
			return nil, err
		}
		return r, b.examine(ctx, bug, r)
	})
	if err != nil {
		return nil, err
	}
	r := *stored
	r.Bug = bug // texts may have changed
	if !r.Alone {
		r.Trees = trees
	}
	if b.Repairs && r.Finding != nil {
		if r.Repaired, err = b.repaired.Do(lab.Case{Name: bug.ID, Depends: needs}, func() (*Repaired, error) { return b.repairs(ctx, &r) }); err != nil {
			return nil, err
		}
	}
	return &r, nil
}

// search searches for a bug.
func (b *Bench) search(ctx context.Context, bug *Bug, r *Result) error {
	after := &audit.Report{}
	var err error
	if !bug.Unfixed() {
		if after, err = b.audited(ctx, r.Trees.After, r.Trees.AfterIdentity); err != nil {
			return r.refuse(ctx, err)
		}
	}
	o := b.Audit
	o.SLICC = r.Trees.Before
	fixed := &comparison{b: b, id: bug.ID, of: r.Trees.Before, in: r.Trees.After, audited: after, hides: func(string) bool { return false }}
	var verdict error
	o.Stop = func(f *audit.Finding) bool {
		if bug.Unfixed() {
			if !bug.found(f) {
				return false
			}
			own, err := b.isOwn(ctx, bug, r.Trees, f)
			verdict = errors.Join(verdict, err)
			return own
		}
		seen, err := fixed.seen(ctx, f)
		verdict = errors.Join(verdict, err)
		return err == nil && seen == absent
	}
	report, err := audit.Run(ctx, o)
	var repeated *audit.Finding
	if err == nil && report.Limit != audit.LimitFound && ctx.Err() == nil && bug.Run != nil {
		repeated, err = b.repeat(ctx, bug, r)
		if err != nil {
			return r.refuse(ctx, fmt.Errorf("its run: %w", err))
		}
	}
	if err == nil && repeated == nil && bug.Unfixed() && report.Limit != audit.LimitFound && ctx.Err() == nil && r.Trees.Alone != "" {
		r.spend(report)
		r.Alone, r.Trees = true, r.Trees.alone()
		o.SLICC = r.Trees.Before
		report, err = audit.Run(ctx, o)
	}
	if err := errors.Join(err, verdict); err != nil {
		return r.refuse(ctx, err)
	}
	if report.Limit == audit.LimitInterrupted {
		return context.Cause(ctx)
	}
	r.Limit = report.Limit
	r.spend(report)
	r.Shared = len(report.Findings)
	switch {
	case repeated != nil:
		r.Status, r.Finding = Repeated, repeated
		repeated.CPU, repeated.Operations, repeated.Steps = r.CPU, r.Operations, r.Steps
	case report.Limit != audit.LimitFound && bug.Equivalent != "":
		r.Status = Equivalent
	case report.Limit != audit.LimitFound:
		r.Status = Missed
	default:
		if r.Status = Found; bug.Equivalent != "" {
			r.Status = Surprise
		}
		r.Finding = report.Stopped
		r.Shared--
	}
	return nil
}

// examine reduces what was found, and checks the proposed repair.
func (b *Bench) examine(ctx context.Context, bug *Bug, r *Result) error {
	if r.Finding == nil {
		return nil
	}
	if err := b.witness(ctx, bug, r); err != nil || r.Trees.Repaired == "" {
		return err
	}
	return b.propose(ctx, bug, r)
}

// spend adds what an audit took.
func (r *Result) spend(report *audit.Report) {
	r.CPU, r.Operations, r.Steps = r.CPU+report.CPU, r.Operations+report.Operations, r.Steps+report.Steps
}

// refuse notes why a protocol cannot be simulated.
func (r *Result) refuse(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.Status, r.Reason = Refused, Brief(err)
	return nil
}

// audited is the whole audit of a protocol with fixes, read where it is known
// already.
func (b *Bench) audited(ctx context.Context, path, identity string) (*audit.Report, error) {
	return b.auditedWith(ctx, path, identity, b.Audit)
}

// auditedWith is the whole audit of a protocol with options, of which bugs that share the
// protocol make one.
func (b *Bench) auditedWith(ctx context.Context, path, identity string, o audit.Options) (*audit.Report, error) {
	return b.audits.Do(lab.Case{Name: identity, Depends: BudgetOf(o)}, func() (*audit.Report, error) {
		o.SLICC = path
		report, err := audit.Run(ctx, o)
		if err == nil && report.Limit == audit.LimitInterrupted {
			err = context.Cause(ctx)
		}
		return report, err
	})
}

// Bounds on the reduction of a witness. They are runs and not time: what comes out is the
// same on a machine that others use. Large programs get fewer, at most those of
// reductionOps operations, at least fewRuns; those of defects of unmodified protocols
// get four times reductionRuns, since they are there to be read.
const (
	reductionRuns = 1500
	fewRuns       = 800
	reductionOps  = 600_000
)

// runsFor is the number of runs for the reduction of a finding's program.
func runsFor(f *audit.Finding) (int, error) {
	p, err := gen.Parse("finding", []byte(f.Program))
	if err != nil {
		return 0, fmt.Errorf("program of %q: %w", f.Title, err)
	}
	return min(max(reductionOps/max(p.Ops()*f.Rounds, 1), fewRuns), reductionRuns), nil
}

// witness records the finding and reduces its program.
func (b *Bench) witness(ctx context.Context, bug *Bug, r *Result) error {
	dir := filepath.Join(b.Dir, "findings", bug.ID)
	if err := errors.Join(run.RemoveAll(dir), run.MkdirAll(dir)); err != nil {
		return err
	}
	if bug.Repair != nil {
		if err := b.patch(ctx, bug, dir); err != nil {
			return err
		}
	}
	runs := 0
	if bug.Unfixed() {
		runs = 4 * reductionRuns
	}
	reduced, size, err := Witness(ctx, dir, r.Finding, runs, 0)
	r.Witness = size
	if err != nil || reduced == nil || !bug.Unfixed() {
		return err
	}
	return b.picture(ctx, dir, reduced)
}

// Witness records a finding below a directory and leaves its reduced program, or its path, in
// witness.txt there, of so many operations or steps; 0 and nil if it does not recur. Runs bound
// the reduction, 0: by a number that depends on the size of the program; and so does limit, 0: without one, below:
// nothing is reduced.
func Witness(ctx context.Context, dir string, f *audit.Finding, runs int, limit time.Duration) (reduced *reduction.Result, size int, err error) {
	file := filepath.Join(dir, "witness.txt")
	if f.Explore != nil {
		return nil, len(f.Path), run.Overwrite(file, []byte(strings.Join(f.Path, "\n")+"\n"))
	}
	report := &audit.Report{Findings: []*audit.Finding{f}}
	if err := report.Record(ctx, dir, nil); err != nil {
		return nil, 0, err
	}
	if runs == 0 {
		if runs, err = runsFor(f); err != nil {
			return nil, 0, err
		}
	}
	if limit < 0 {
		return nil, 0, nil
	}
	reduced, err = reduction.Reduce(ctx, run.Dir(f.Dir), reduction.Options{Runs: runs, Time: limit, Workers: 1, Gate: new(run.Gate)})
	if ctx.Err() != nil {
		return nil, 0, context.Cause(ctx)
	}
	if err != nil {
		return nil, 0, nil // a failure that does not recur has no smaller program
	}
	return reduced, reduced.After, run.Overwrite(file, reduced.Program.Text())
}

// longest is the length of the longest reason.
const longest = 300

// Brief is an error in a line: of a list of faults its head and the first one.
func Brief(err error) string {
	var kept []string
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimSpace(line)
		headed := len(kept) == 1 && strings.HasSuffix(kept[0], ":") // by what only says where
		if len(kept) == 0 || headed || strings.HasPrefix(line, otherWay) {
			kept = append(kept, line)
		}
	}
	text := []rune(strings.Join(kept, "; "))
	return string(text[:min(len(text), longest)])
}
