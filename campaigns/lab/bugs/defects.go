package bugs

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/explain"
	"ordeal/campaigns/reduction"
	"ordeal/campaigns/run"
	"ordeal/sim/builtin"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
)

//go:embed known-defects.yaml
var defectsYAML []byte

// KnownDefects is the list of defects that gem5's unmodified protocols have, with proposed
// repairs, that comes with this package.
func KnownDefects() (*List, error) { return Read("known-defects.yaml", bytes.NewReader(defectsYAML)) }

// Proposed says how a proposed repair of an unfixed bug was checked: by the
// run that shows the bug, and the same audit of the repaired protocol as of the one
// without the repair.
type Proposed struct {
	// Gone reports that the bug does not show any more: its program does not fail, and what
	// else the audit has of its titles is of other bugs, since it does not show with all repairs
	// of the list. Titles that need a condition that the bug does not need are not counted.
	Gone bool `json:"gone"`
	// New are titles of the audit of the repaired protocol that the other does not show: not
	// in its own audit, not in the runs that show them, and not in their reduced
	// programs. Those of other bugs of the list do not count, which the bug may have
	// hidden, nor what the list accepts, nor those that need an artificial condition, as
	// few transactions.
	New []string `json:"new,omitempty"`
	// Hidden are those whose runs end with the bug itself without the repair: what they
	// would have shown is not known.
	Hidden []string `json:"hidden,omitempty"`
	// Known is how many other titles there are.
	Known int `json:"known,omitempty"`
	// Operations counts those of the audit of the repaired protocol.
	Operations uint64 `json:"operations"`
	// Without are the parameters of the finding's machine that the repaired protocol does not have
	// any more: it was checked without them.
	Without []string `json:"without,omitempty"`
	// Reason says why the repaired protocol cannot be simulated, or not on the machine of
	// the finding.
	Reason string `json:"reason,omitempty"`
	_      struct{}
}

// Passes reports that the bug is gone and nothing is new.
func (p *Proposed) Passes() bool { return p.Gone && len(p.New) == 0 && p.Reason == "" }

// propose checks the proposed repair of a bug that was found.
func (b *Bench) propose(ctx context.Context, bug *Bug, r *Result) error {
	r.Proposed = new(Proposed)
	without, err := b.audited(ctx, r.Trees.Before, r.Trees.Identity)
	if err != nil {
		return err
	}
	refused := func(err error) error {
		if ctx.Err() == nil {
			r.Proposed.Reason = Brief(err)
		}
		return context.Cause(ctx)
	}
	repaired, err := b.audited(ctx, r.Trees.Repaired, r.Trees.RepairedIdentity)
	if err != nil || ctx.Err() != nil {
		return refused(err)
	}
	r.Proposed.Operations = repaired.Operations
	f := *r.Finding
	f.Machine.SetParameter, r.Proposed.Without = present(&f.Machine, r.Trees.Repaired)
	shows, err := audit.Shows(ctx, r.Trees.Repaired, &f)
	if err != nil || ctx.Err() != nil {
		return refused(err)
	}
	r.Proposed.Gone = !shows
	x := &comparison{
		b: b, id: bug.ID, of: r.Trees.Repaired, in: r.Trees.Before, audited: without,
		hides: bug.Shows,
	}
	for _, f := range repaired.Findings {
		more := func(condition string) bool { return !slices.Contains(r.Finding.Conditions, condition) }
		title := f.Title
		if bug.Shows(title) && !slices.ContainsFunc(f.Conditions, more) {
			others, err := b.others(ctx, r.Trees, f)
			if err != nil {
				return err
			}
			r.Proposed.Gone = r.Proposed.Gone && others
			continue
		}
		if e := b.Maker.List.says(bug.Protocol, title); len(f.Conditions) > 0 || e.otherThan(bug) || len(e.accepted) > 0 {
			continue
		}
		seen, err := x.seen(ctx, f)
		if err != nil {
			return err
		}
		switch seen {
		case shown:
			r.Proposed.Known++
		case masked:
			r.Proposed.Hidden = append(r.Proposed.Hidden, f.Title)
		case absent:
			r.Proposed.New = append(r.Proposed.New, f.Title)
		}
	}
	return nil
}

// present are the parameters of a machine that a protocol has, and those that it has not.
func present(m *config.Machine, slicc string) (with, without []string) {
	for _, p := range m.SetParameter {
		one := config.Machine{SLICC: slicc, SetParameter: []string{p}}
		if o, err := one.Builtin(); err == nil {
			_, err = builtin.New(o)
			if err != nil {
				without = append(without, p)
				continue
			}
		}
		with = append(with, p)
	}
	return with, without
}

// others reports whether a finding of a repaired protocol is of other bugs: with the repairs
// of all it does not show.
func (b *Bench) others(ctx context.Context, t *Trees, f *audit.Finding) (bool, error) {
	if t.All == "" || t.AllIdentity == t.RepairedIdentity {
		return false, nil
	}
	shows, err := audit.Shows(ctx, t.All, f)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	return err == nil && !shows, nil
}

// isOwn reports whether a finding with a title of the bug is not one of another bug that has the
// title, too: it shows where all others are repaired.
func (b *Bench) isOwn(ctx context.Context, bug *Bug, t *Trees, f *audit.Finding) (bool, error) {
	if !b.Maker.List.says(bug.Protocol, f.Title).otherThan(bug) || t.Alone == "" {
		return true, nil
	}
	shows, err := audit.Shows(ctx, t.Alone, f)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	return err == nil && shows, nil
}

// Shows reports whether a title is one that the bug, which is still there, has.
func (b *Bug) Shows(title string) bool { return covers(append([]string{b.Title}, b.Also...), title) }

// found reports whether a search has found the bug by a finding.
func (b *Bug) found(f *audit.Finding) bool { return diagnose.Matches(b.Title, f.Title) && b.permits(f) }

// permits reports whether a finding counts on a machine like the one that shows it.
func (b *Bug) permits(f *audit.Finding) bool {
	return !slices.Contains(f.Conditions, audit.Unordered) || slices.Contains(b.Needs, networkOrder)
}

func covers(patterns []string, title string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return diagnose.Matches(p, title) })
}

// entries are what a list says of a title: the bugs that have it, or else why it is not one.
type entries struct {
	bugs     []*Bug
	accepted []*Accepted
}

func (e entries) otherThan(bug *Bug) bool {
	return slices.ContainsFunc(e.bugs, func(b *Bug) bool { return b.ID != bug.ID })
}

// says returns what the list says of a title of a protocol.
func (l *List) says(protocol, title string) (e entries) {
	for i := range l.Bugs {
		if b := &l.Bugs[i]; diagnose.Matches(b.Protocol, protocol) && b.Shows(title) {
			e.bugs = append(e.bugs, b)
		}
	}
	for i := range l.Accepted {
		if a := &l.Accepted[i]; diagnose.Matches(a.Protocol, protocol) && covers(a.Titles, title) {
			e.accepted = append(e.accepted, a)
		}
	}
	return e
}

// Mark says of each finding of an audit which bugs of the list have its title, or why it
// is listed as not a bug, if the protocol that was audited is gem5's own: in a protocol of others, or one that
// was changed, a title does not say that the defect is the same.
func (l *List) Mark(r *audit.Report) {
	if !isGem5s(r.Source) {
		return
	}
	i := slices.IndexFunc(l.Bugs, func(b Bug) bool { return path.Base(b.Protocol) == r.Protocol })
	if i < 0 {
		return
	}
	r.Base = "gem5 " + l.Base
	for _, f := range r.Findings {
		f.Known = nil
		e := l.says(l.Bugs[i].Protocol, f.Title)
		for _, b := range e.bugs {
			f.Known = append(f.Known, audit.Known{ID: b.ID, About: b.About})
		}
		if f.Known != nil {
			continue
		}
		for _, a := range e.accepted {
			f.Known = append(f.Known, audit.Known{About: a.About})
		}
	}
}

// Proposed are the bugs with a proposed repair whose IDs are of a pattern, in which * stands
// for any text.
func (l *List) Proposed(pattern string) []*Bug {
	var list []*Bug
	for i := range l.Bugs {
		if b := &l.Bugs[i]; b.Repair != nil && diagnose.Matches(pattern, b.ID) {
			list = append(list, b)
		}
	}
	return list
}

// Patch is the proposed repairs of bugs as a patch that "patch -p1" applies from the root
// of a gem5 source tree; read gives the files of its directory of protocols. An edit that
// several have is made once.
func Patch(bugs []*Bug, read func(name string) ([]byte, error)) ([]byte, error) {
	files, err := proposal(bugs, read)
	var diff []byte
	for _, f := range files {
		diff = append(diff, f.Diff(protocols.Folder)...)
	}
	return diff, err
}

// proposal is the change that the proposed repairs of bugs make.
func proposal(bugs []*Bug, read func(name string) ([]byte, error)) ([]mutate.File, error) {
	old, edited := map[string][]byte{}, map[string]string{}
	var made []*Edit
	for _, b := range bugs {
		for i := range b.Repair {
			e := &b.Repair[i]
			if slices.ContainsFunc(made, func(other *Edit) bool { return reflect.DeepEqual(e, other) }) {
				continue
			}
			made = append(made, e)
			if _, ok := old[e.File]; !ok {
				text, err := read(e.File)
				if err != nil {
					return nil, fmt.Errorf("repair of %s: %w", b.ID, err)
				}
				old[e.File], edited[e.File] = text, string(text)
			}
			text, err := e.apply(edited[e.File])
			if err != nil {
				return nil, fmt.Errorf("repair of %s: edit %d: %w", b.ID, i+1, err)
			}
			edited[e.File] = text
		}
	}
	var files []mutate.File
	for _, name := range slices.Sorted(maps.Keys(old)) {
		files = append(files, mutate.File{Name: name, Old: old[name], New: []byte(edited[name])})
	}
	return files, nil
}

// repaired are the protocols with the proposed repairs of bugs.
func (p Protocols) repaired(bugs []*Bug) (Protocols, error) {
	files, err := proposal(bugs, p.file)
	if err != nil {
		return nil, err
	}
	repaired := maps.Clone(p)
	for _, f := range files {
		repaired[f.Name] = string(f.New)
	}
	return repaired, nil
}

func (p Protocols) file(name string) ([]byte, error) {
	text, ok := p[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return []byte(text), nil
}

// picture leaves what belongs to a defect of the unmodified protocol in the directory of
// its finding: the reduced run, the page that explains it, and the repair as a patch.
func (b *Bench) picture(ctx context.Context, dir string, reduced *reduction.Result) error {
	at := run.Dir(filepath.Join(dir, "reduced"))
	if err := reduced.Write(ctx, at, reduced.Spec.Command); err != nil {
		return err
	}
	page, err := explain.Run(ctx, at, explain.Options{})
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := page.WriteHTML(&text); err != nil {
		return err
	}
	return run.Overwrite(filepath.Join(dir, "page.html"), text.Bytes())
}

// patch leaves the proposed repair of a bug as a patch in the directory of its finding.
func (b *Bench) patch(ctx context.Context, bug *Bug, dir string) error {
	base, err := b.Maker.Clone.Protocols(ctx, b.Maker.List.Base)
	if err != nil {
		return err
	}
	diff, err := Patch([]*Bug{bug}, base.file)
	if err != nil {
		return err
	}
	return run.Overwrite(filepath.Join(dir, "repair.patch"), diff)
}
