// Package history audits the protocols of a tree at each commit of its history that changed them, and
// follows what is found from commit to commit: where a defect becomes findable, and what ended it. A change that is
// compared with what was before it, committed or not, is a history of one commit.
package history

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/lab"
	"ordeal/campaigns/lab/bugs"
)

// Replay audits a history. Its directory has the results of audits, from which it continues after an
// interrupt; they belong to texts of protocols and not to commits.
type Replay struct {
	Clone *bugs.Clone
	// Commits are the history, older ones first, which begins at Since: see bugs.Clone.Commits and Against.
	Commits []*bugs.Commit
	Since   string
	// Only are the names of the protocols that are audited; none: all.
	Only []string
	Dir  string
	// Audit are the engines, the seed and the budget of each audit; Workers is how many are made
	// at a time.
	Audit   audit.Options
	Workers int
	// Against says that one change is compared with what was before: all audits share the budget of CPU time in equal
	// parts, and what stays is reported, too.
	Against bool
	// Progress is called with what was done, by one caller at a time.
	Progress func(format string, args ...any)

	last     time.Duration // of the process, after which nothing is repeated or reduced; 0: no limit
	commits  map[string]*bugs.Commit
	loaded   map[string]map[string]*version // by commit and protocol
	versions map[string]*version            // by protocol and identity
	audits   *lab.Results[*audited]
	witness  *lab.Results[*Witness]
	_        struct{}
}

// version is a protocol as it is in some commits.
type version struct {
	protocol, root, identity string
	// reason is why it is not audited.
	reason   string
	findings []*audit.Finding
	// tried has what the runs of other versions' findings showed here, by key.
	tried map[string][]diagnose.Failure
}

// audited is the stored result of an audit.
type audited struct {
	Findings []*audit.Finding `json:"findings"`
	Reason   string           `json:"reason,omitempty"` // why it cannot be simulated
}

// change is a commit that changed a protocol, and what that was in its parents.
type change struct {
	commit *bugs.Commit
	now    *version
	before []*version
}

// Run audits the history. Where ctx ends first the error is its cause, and the same call goes on.
func (r *Replay) Run(ctx context.Context) (report *Report, err error) {
	r.commits, r.loaded, r.versions = map[string]*bugs.Commit{}, map[string]map[string]*version{}, map[string]*version{}
	if r.audits, err = lab.Open[*audited](filepath.Join(r.Dir, "audits.jsonl")); err != nil {
		return nil, err
	}
	if r.witness, err = lab.Open[*Witness](filepath.Join(r.Dir, "witnesses.jsonl")); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.audits.Close(), r.witness.Close()) }()
	report = &Report{Version: reportVersion, Since: r.Since, Commits: []*Row{}}
	var changes []*change
	for i, c := range r.Commits {
		r.commits[c.ID] = c
		list, err := r.changes(ctx, c, report)
		if err != nil {
			return nil, err
		}
		changes = append(changes, list...)
		r.Progress("%d of %d commits read", i+1, len(r.Commits))
	}
	list := versions(changes)
	if report.Versions = len(list); r.Against {
		r.Audit.CPU /= time.Duration(max(1, len(list)))
	}
	if report.Budget = bugs.BudgetOf(r.Audit); r.Against && r.Audit.CPU > 0 {
		r.last = audit.ProcessTime() + 2*r.Audit.CPU*time.Duration(len(list))
	}
	if err := r.audit(ctx, list); err != nil {
		return nil, err
	}
	if err := r.follow(ctx, changes); err != nil {
		return nil, err
	}
	return report, r.conclude(ctx, changes, report)
}

// load are the protocols of a commit by name. The error of a commit that cannot be read is one
// for each caller to note: nothing else is wrong with the clone.
func (r *Replay) load(ctx context.Context, id string) (map[string]*version, error) {
	if list, ok := r.loaded[id]; ok {
		return list, nil
	}
	files, err := r.Clone.Protocols(ctx, id)
	if err != nil && !errors.Is(err, bugs.ErrNoProtocols) {
		return nil, err
	}
	list := map[string]*version{}
	for _, root := range files.Roots() {
		name := root[:len(root)-len(".slicc")]
		if len(r.Only) > 0 && !slices.Contains(r.Only, name) && !slices.Contains(r.Only, path.Base(name)) {
			continue
		}
		file, identity, err := files.Write(filepath.Join(r.Dir, "trees"), root)
		v := &version{protocol: name, root: file, identity: identity, tried: map[string][]diagnose.Failure{}}
		if err != nil {
			v.reason = bugs.Brief(err)
		} else if known := r.versions[v.protocol+" "+identity]; known != nil {
			v = known
		} else {
			r.versions[v.protocol+" "+identity] = v
		}
		list[v.protocol] = v
	}
	r.loaded[id] = list
	return list, nil
}

// before are the versions of a protocol that precede a commit: those of its parents, or, where one cannot be
// parsed, of the parents of that, as far as the history goes.
func (r *Replay) before(ctx context.Context, c *bugs.Commit, protocol string) (list []*version, err error) {
	for _, parent := range c.Parents {
		at, err := r.load(ctx, parent)
		if err != nil {
			return nil, err
		}
		switch v := formerly(at, r.loaded[c.ID], protocol); {
		case v == nil:
		case v.reason == "" || r.commits[parent] == nil || parent == c.ID:
			list = append(list, v)
		default:
			more, err := r.before(ctx, r.commits[parent], protocol)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
	}
	return list, nil
}

// formerly is a protocol in the parent of a commit: where it was moved, the one of the same name there, and where one
// protocol came and one went, that.
func formerly(parent, now map[string]*version, protocol string) *version {
	if parent[protocol] != nil {
		return parent[protocol]
	}
	missing := func(list, from map[string]*version) (names []string) {
		for _, name := range sorted(list) {
			if from[name] == nil {
				names = append(names, name)
			}
		}
		return names
	}
	went := missing(parent, now)
	for _, name := range went {
		if path.Base(name) == path.Base(protocol) || len(went) == 1 && len(missing(now, parent)) == 1 {
			return parent[name]
		}
	}
	return nil
}

// changes lists the protocols that a commit changed, and adds a row to the report: why that is not known,
// or which they are.
func (r *Replay) changes(ctx context.Context, c *bugs.Commit, report *Report) (list []*change, err error) {
	row := &Row{Commit: c, Changed: []string{}}
	report.Commits = append(report.Commits, row)
	now, err := r.load(ctx, c.ID)
	for _, name := range sorted(now) {
		v := now[name]
		var before []*version
		if before, err = r.before(ctx, c, name); err != nil {
			break
		}
		same := func(b *version) bool { return b.identity == v.identity }
		switch {
		case v.reason != "" && r.touched(ctx, c, name, v.reason):
			row.note(name, v.reason)
			if len(readable(before)) > 0 {
				row.Broken = append(row.Broken, name)
			}
		case v.reason == "" && !slices.ContainsFunc(before, same):
			list = append(list, &change{c, v, before})
			row.Changed = append(row.Changed, name)
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		row.note("", bugs.Brief(err))
		return nil, nil
	}
	if c.Cut {
		row.note("", "the clone is shallow: what was before is not known")
	}
	return list, nil
}

// touched reports whether a commit has to do with why a protocol cannot be read: it is another reason than in its parents,
// or files that are named after the protocol differ.
func (r *Replay) touched(ctx context.Context, c *bugs.Commit, protocol, reason string) bool {
	now, err := r.Clone.Protocols(ctx, c.ID)
	for _, parent := range c.Parents {
		was, perr := r.Clone.Protocols(ctx, parent)
		own := func(name string) bool { return strings.HasPrefix(path.Base(name), path.Base(protocol)) }
		before := formerly(r.loaded[parent], r.loaded[c.ID], protocol)
		if before != nil && before.reason == reason && err == nil && perr == nil && !slices.ContainsFunc(bugs.Differing(was, now), own) {
			return false
		}
	}
	return true
}

// readable lists the versions that can be parsed and simulated.
func readable(list []*version) []*version {
	return slices.DeleteFunc(slices.Clone(list), func(v *version) bool { return v.reason != "" })
}

// versions lists those that changes are about.
func versions(changes []*change) (list []*version) {
	for _, ch := range changes {
		for _, v := range append(readable(ch.before), ch.now) {
			if !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	return list
}

// audit audits each version, and notes why one cannot be.
func (r *Replay) audit(ctx context.Context, list []*version) error {
	workers := min(max(1, r.Workers), max(1, len(list)))
	done := 0
	_, err := lab.Run(ctx, workers, list, func(ctx context.Context, v *version) (*version, error) {
		got, err := r.audits.Do(lab.Case{Name: v.protocol + " " + v.identity, Depends: bugs.BudgetOf(r.Audit)}, func() (*audited, error) {
			o := r.Audit
			o.SLICC = v.root
			o.CPU *= time.Duration(workers) // the process has one clock
			report, err := audit.Run(ctx, o)
			switch {
			case ctx.Err() != nil || err == nil && report.Limit == audit.LimitInterrupted:
				return nil, context.Cause(ctx)
			case err != nil:
				return &audited{Reason: bugs.Brief(err)}, nil
			}
			return &audited{Findings: report.Findings}, nil
		})
		if err == nil {
			v.findings, v.reason = slices.Clone(got.Findings), got.Reason
		}
		return v, err
	}, func(v *version) {
		done++
		r.Progress("%d of %d audits: %s, %s", done, len(list), v.protocol, messages.Plural(len(v.findings), "finding"))
	})
	return err
}

// follow makes the runs of each finding in the versions before and after that do not have it, until no
// more is to be learnt: what a version shows it has, whatever its audit found.
func (r *Replay) follow(ctx context.Context, changes []*change) error {
	for more := true; more; {
		more = false
		for _, ch := range changes {
			for _, before := range ch.before {
				for _, pair := range [][2]*version{{ch.now, before}, {before, ch.now}} {
					learnt, err := pair[1].learn(ctx, pair[0])
					if err != nil {
						return err
					}
					more = more || learnt
					r.Progress("findings of %.10s tried in its neighbours", ch.commit.ID)
				}
			}
		}
	}
	return nil
}

// learn makes the runs of the findings of another version; it reports whether one shows here, too.
func (v *version) learn(ctx context.Context, other *version) (learnt bool, err error) {
	for _, f := range other.findings {
		if v.reason != "" || v.tried[key(f)] != nil || has(v, f) {
			continue
		}
		// An error is of a machine that this version does not have.
		if v.tried[key(f)], err = shown(ctx, v.root, f); ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if err == nil && same(v.tried[key(f)], f) {
			v.add(f)
			learnt = true
		}
	}
	return learnt, nil
}

// add adds a finding of another version, which this one shows, too.
func (v *version) add(f *audit.Finding) {
	own := *f
	own.Machine.SLICC, own.Dir = v.root, ""
	v.findings = append(v.findings, &own)
}

// shown returns what the runs of a finding show on another version of its protocol, the file of whose root is
// given; it is not nil.
func shown(ctx context.Context, root string, f *audit.Finding) ([]diagnose.Failure, error) {
	failures, _, _, err := audit.Again(ctx, onVersion(f, root), nil, f, func(title string) bool { return title == f.Title })
	list := []diagnose.Failure{}
	for _, x := range failures {
		list = append(list, diagnose.Failure{Outcome: f.Diagnosis().Outcome, Failure: x})
	}
	return list, err
}

// onVersion is the machine of a finding with another version of its protocol.
func onVersion(f *audit.Finding, root string) config.Machine {
	m := f.Machine
	m.SLICC, m.Protocol, m.Mutant = root, "", ""
	return m
}

// same reports whether a finding is among what its runs showed elsewhere. What a deadlock waits for differs from
// one interleaving to the next.
func same(list []diagnose.Failure, f *audit.Finding) bool {
	d := f.Diagnosis()
	return slices.ContainsFunc(list, func(x diagnose.Failure) bool {
		return d.Same(&x, diagnose.Ending) || d.Outcome.Stuck() && d.Kind == x.Kind
	})
}

// has reports whether a version has a finding.
func has(v *version, f *audit.Finding) bool {
	d := f.Diagnosis()
	return slices.ContainsFunc(v.findings, func(x *audit.Finding) bool { y := x.Diagnosis(); return d.Same(&y, diagnose.Exactly) })
}

// key identifies the failure of a finding, as text.
func key(f *audit.Finding) string {
	d := f.Diagnosis()
	return fmt.Sprintf("%+v", d.Key())
}
