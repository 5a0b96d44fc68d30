// Package amend searches for repairs of coherence protocols: single and double edits
// that make a finding go away, keep what else holds, and change little.
package amend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/cause"
	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/mutation"
	"ordeal/campaigns/signature"
	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/repair"
)

// Options are those of Search.
type Options struct {
	// Finding is what is to go away. Its machine has the protocol.
	Finding *audit.Finding
	// Tries bounds the edits that are run, Steps the work of the audit of each of the
	// Best that remain; 0 stands for the defaults.
	Tries int
	Best  int
	Steps uint64
	Seed  uint64
	// OnTry is called after each edit was run; nil means no callback.
	OnTry func(tried int, id string)
	_     struct{}
}

// Defaults of Options.
const (
	DefaultTries = 1000
	DefaultBest  = 16
	DefaultSteps = 3_000_000
)

// Repair is an edit with what it was checked by.
type Repair struct {
	// ID is the edit as a mutant is named; several are joined by " + ". Edits counts
	// them, those that do the same to several rows once.
	ID    string `json:"id"`
	Edits int    `json:"edits"`
	// New are the titles of an audit that the protocol itself does not show, neither in
	// its own audit nor in the runs that show them. Left are those that it shows, too.
	New  []string `json:"new,omitempty"`
	Left []string `json:"left,omitempty"`
	// Lost counts rows that the audit of the protocol took, and that of the repaired
	// one did not.
	Lost int `json:"lost_rows"`
	// Findings are those of the audit: those of New and of Left.
	Findings []*audit.Finding `json:"-"`
	// Steps and Runs are what it was checked by, besides the finding.
	Steps uint64 `json:"steps"`
	Runs  int    `json:"runs"`
	rank  int
	_     struct{}
}

// Result is the repairs, the best first.
type Result struct {
	Title   string        `json:"title"`
	Tried   int           `json:"tried"`
	Repairs []*Repair     `json:"repairs"`
	Steps   uint64        `json:"steps"` // of the audit of each of them
	CPU     time.Duration `json:"cpu_ns"`
	_       struct{}
}

// search is a search under way.
type search struct {
	o     Options
	base  config.Machine // without an edit
	stock *audit.Report  // of the protocol itself
	// shown are titles that it shows besides.
	shown  map[string]bool
	result *Result
	began  time.Duration
}

// ErrNoProtocol is the error for a finding without a coherence protocol.
var ErrNoProtocol = errors.New("the finding has no coherence protocol to repair")

// Search searches for repairs. A cancelled context ends it with what was found.
func Search(ctx context.Context, o Options) (*Result, error) {
	if o.Tries == 0 {
		o.Tries = DefaultTries
	}
	if o.Best == 0 {
		o.Best = DefaultBest
	}
	if o.Steps == 0 {
		o.Steps = DefaultSteps
	}
	s := &search{o: o, base: o.Finding.Machine, shown: map[string]bool{}, result: &Result{Title: o.Finding.Title, Repairs: []*Repair{}, Steps: o.Steps}, began: audit.ProcessTime()}
	if !s.base.Coherent() {
		return nil, ErrNoProtocol
	}
	shown, err := s.outcome(ctx, "", func(title string) bool { return title == o.Finding.Title })
	if err != nil {
		return nil, err
	}
	if len(shown.titles) == 0 {
		return nil, fmt.Errorf("the protocol does not show %q any more", o.Finding.Title)
	}
	if !slices.Contains(shown.titles, o.Finding.Title) { // the same runs, by a simulator with other titles
		now := *o.Finding
		now.Title = shown.titles[0]
		s.o.Finding, s.result.Title = &now, now.Title
	}
	if shown.last, err = s.last(ctx); err != nil {
		return nil, err
	}
	shown.value = len(shown.last) > 0 && s.violates()
	if s.stock, err = s.audited(ctx, ""); err != nil {
		return nil, err
	}
	found, progress, err := s.step(ctx, partial{shown: shown}, s.o.Finding.Title, o.Tries/2)
	if err != nil {
		return nil, err
	}
	for _, p := range progress[:min(len(progress), mostPartial)] {
		if len(found) > 0 && s.result.Tried >= o.Tries*3/4 || s.result.Tried >= o.Tries || ctx.Err() != nil {
			break
		}
		more, _, err := s.step(ctx, p, p.shown.titles[0], (o.Tries-s.result.Tried)/2)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	slices.SortStableFunc(found, func(a, b *Repair) int { return a.order() - b.order() })
	uncovering, err := s.uncovering(ctx, progress, max(o.Best/2, o.Best-len(found)))
	if err != nil {
		return nil, err
	}
	if err := s.audit(ctx, append(found[:min(len(found), o.Best-len(uncovering))], uncovering...)); err != nil {
		return nil, err
	}
	s.result.CPU = audit.ProcessTime() - s.began
	return s.result, nil
}

func (r *Repair) order() int { return r.rank + 1000*(r.Edits-1) }

// partial is an edit with which the finding is another one.
type partial struct {
	candidate
	shown *outcome
}

// mostPartial bounds the edits that a second one is added to.
const mostPartial = 4

// step tries the edits for a title on the protocol with an edit, or without one.
func (s *search) step(ctx context.Context, on partial, title string, tries int) (found []*Repair, progress []partial, err error) {
	catalogue, err := s.catalogue(on.id)
	if err != nil {
		return nil, nil, err
	}
	checked, err := catalogue.Protocol()
	if err != nil {
		return nil, nil, err
	}
	for _, c := range candidates(checked, newBodyEdits(catalogue), title, on.shown) {
		if tries == 0 || ctx.Err() != nil {
			break
		}
		if _, err := catalogue.Find(c.id); err != nil {
			continue // not an edit of this protocol
		}
		c.id, c.edits = join(on.id, c.id), on.edits+c.edits
		now, err := s.outcome(ctx, c.id, s.isNew)
		if err != nil {
			continue // it does not compile
		}
		tries--
		s.result.Tried++
		if s.o.OnTry != nil {
			s.o.OnTry(s.result.Tried, c.id)
		}
		switch {
		case !slices.ContainsFunc(now.titles, s.isNew):
			found = append(found, c.repair(now))
			if len(found) >= 4*s.o.Best {
				return found, progress, nil
			}
		case !slices.Contains(now.titles, title):
			progress = append(progress, partial{c, now})
		}
	}
	return found, progress, nil
}

// isNew reports whether a title is the finding's, or one that the protocol's own audit
// does not show.
func (s *search) isNew(title string) bool {
	return title == s.o.Finding.Title || s.stock.Find(title) == nil && !s.shown[title]
}

func (c *candidate) repair(shown *outcome) *Repair {
	return &Repair{ID: c.id, Edits: c.edits, Runs: shown.runs, rank: c.rank}
}

// inTurn orders edits by what comes up with them, one of each title in turn: those that come
// up with the most edits first, which may be the protocol's, and of the edits of a title the
// most likely first. Many edits alike, as of actions that need a message where there is none,
// do not displace others.
func inTurn(progress []partial) []partial {
	nth := make(map[string]int, len(progress))
	rounds := make([]int, len(progress))
	order := make([]int, len(progress))
	for i, p := range progress {
		title := p.shown.titles[0]
		order[i], rounds[i] = i, nth[title]
		nth[title]++
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rounds[a], rounds[b]), cmp.Compare(nth[progress[b].shown.titles[0]], nth[progress[a].shown.titles[0]]))
	})
	list := make([]partial, len(progress))
	for i, at := range order {
		list[i] = progress[at]
	}
	return list
}

// uncovering are at most so many of the edits with which the finding goes away, and
// others come up that it had hidden.
func (s *search) uncovering(ctx context.Context, progress []partial, most int) (found []*Repair, err error) {
	for i, p := range inTurn(progress) {
		if i >= 4*most || len(found) >= most || ctx.Err() != nil {
			break
		}
		shown, err := s.outcome(ctx, p.id, func(title string) bool { return title == s.o.Finding.Title })
		if err != nil {
			return nil, err
		}
		if !slices.Contains(shown.titles, s.o.Finding.Title) {
			found = append(found, p.repair(shown))
		}
	}
	return found, nil
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " + " + b
}

// catalogue is that of the protocol with an edit.
func (s *search) catalogue(id string) (*mutate.Catalogue, error) {
	t, err := s.target()
	if err != nil {
		return nil, err
	}
	c, err := mutate.NewCatalogue(t.Tree)
	if whole := join(s.base.Mutant, id); err == nil && whole != "" {
		var m mutate.Mutant
		if m, err = c.Find(whole); err == nil {
			c, err = mutate.NewCatalogue(c.Tree(m))
		}
	}
	return c, err
}

func (s *search) target() (mutation.Target, error) {
	if s.base.SLICC == "" {
		return mutation.Embedded(s.base.Protocol)
	}
	return mutation.File(s.base.SLICC, s.base.Repair)
}

// audited is an audit of the protocol with an edit.
func (s *search) audited(ctx context.Context, id string) (*audit.Report, error) {
	m := s.on(id)
	return audit.Run(ctx, audit.Options{SLICC: m.SLICC, Protocol: m.Protocol, Mutant: m.Mutant, Seed: s.o.Seed, Steps: s.o.Steps})
}

// on is the machine of the finding with an edit.
func (s *search) on(id string) config.Machine {
	m := s.base
	if id != "" {
		m.Mutant = join(m.Mutant, id)
	}
	return m
}

// outcome is what the finding's own runs, or its exploration, show.
type outcome struct {
	titles []string
	taken  sim.Coverage
	runs   int
	last   []row // of the finding's own run, the likeliest first
	// value reports that last are those of the line of a lost value: others are less
	// likely.
	value bool
}

// outcome runs the finding with an edit, until a title is enough.
func (s *search) outcome(ctx context.Context, id string, enough func(title string) bool) (*outcome, error) {
	titles, taken, runs, err := audit.Again(ctx, s.on(id), s.o.Finding, enough)
	return &outcome{titles: titles, taken: taken, runs: runs}, err
}

// last are the rows that the finding's own run took before it failed, the last one
// first; where an access finds an old value, those of its line since the write, the
// nearest to where that was lost first. There are none for an exploration, nor for other
// failures of order, which a model finds at the end of the run.
func (s *search) last(ctx context.Context) ([]row, error) {
	f := s.o.Finding
	if f.Explore != nil {
		return nil, nil
	}
	on, err := execute.NewRunner(config.SimBuiltin, &config.Config{Machine: s.base})
	if err != nil {
		return nil, err
	}
	p, err := gen.Parse("finding", []byte(f.Program))
	if err != nil {
		return nil, fmt.Errorf("program of %q: %w", f.Title, err)
	}
	job := sim.Job{Program: p, Rounds: f.Rounds, Seed: f.Seed, Timeout: lastTime}
	var rows []row
	if s.violates() {
		near, err := signature.Between(ctx, on.(signature.Observer), job)
		for _, r := range near {
			rows = append(rows, row{r.Machine, r.State, r.Event})
		}
		return rows, err
	}
	last, err := cause.RecordLast(ctx, on.(cause.Recorder), job, cause.Filter{})
	if err != nil {
		return nil, err
	}
	for _, e := range last.Transitions() {
		machine, _, _ := strings.Cut(e.Place, " ")
		if r := (row{machine, e.State, e.Name}); !slices.Contains(rows, r) {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// violates reports whether the finding is a failure of order.
func (s *search) violates() bool { return s.o.Finding.Outcome == sim.Violation.String() }

// lastTime bounds the recording of the finding's run.
const lastTime = time.Minute

// known reports whether the protocol without an edit shows a finding of a repaired one: in its
// audit, or in the runs of the finding. Two audits of a protocol with many defects show
// different ones.
func (s *search) known(ctx context.Context, f *audit.Finding) (bool, error) {
	if s.stock.Find(f.Title) != nil || s.shown[f.Title] {
		return true, nil
	}
	m := f.Machine
	m.Mutant = s.base.Mutant
	same := func(title string) bool { return audit.Same(title, f.Title) }
	titles, _, _, err := audit.Again(ctx, m, f, same)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(titles, same) {
		s.shown[f.Title] = true
	}
	return s.shown[f.Title], nil
}

// audit audits repairs, and puts them in order: by what is new, by rows that are lost,
// by the number of edits, and by how likely the search took them to be. Findings of
// the protocol that are left count nothing: what breaks more hides more of them.
func (s *search) audit(ctx context.Context, found []*Repair) error {
	for _, r := range found {
		report, err := s.audited(ctx, r.ID)
		if err != nil {
			return err
		}
		if report.Find(s.o.Finding.Title) != nil {
			continue // other runs show it still
		}
		r.Steps, r.Findings = report.Steps, report.Findings
		for _, f := range report.Findings {
			known, err := s.known(ctx, f)
			if err != nil {
				return err
			}
			if known {
				r.Left = append(r.Left, f.Title)
			} else {
				r.New = append(r.New, f.Title)
			}
		}
		r.Lost = max(s.stock.Coverage.Taken()-report.Coverage.Taken(), 0)
		s.result.Repairs = append(s.result.Repairs, r)
	}
	slices.SortStableFunc(s.result.Repairs, func(a, b *Repair) int {
		score := func(r *Repair) int { return 5*len(r.New) + r.Lost + 5*(r.Edits-1) + r.rank }
		return score(a) - score(b)
	})
	return nil
}

// Patch is a repair as a unified diff; dir is put before the names of files. On a machine
// without the known defects of gem5's files it is of the files without them, as "mutate
// apply --repair" makes them.
func Patch(m config.Machine, id, dir string) ([]byte, error) {
	fsys := protocols.Files()
	root, err := protocols.Root(m.Protocol)
	if m.SLICC != "" {
		fsys, root = protocols.OnDisk(m.SLICC)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if m.Repair { // the edits are of the protocol without its known defects
		files, _, err := repair.Text(fsys, root)
		if err != nil {
			return nil, err
		}
		var changed []mutate.File
		for _, f := range files {
			changed = append(changed, mutate.File{Name: f.Name, New: f.New})
		}
		fsys = mutate.Overlay(fsys, changed)
	}
	return mutate.Patch(fsys, root, join(m.Mutant, id), dir)
}
