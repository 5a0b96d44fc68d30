// Package amend searches for repairs of coherence protocols: single and double edits
// that make a finding go away, keep what else holds, and change little.
package amend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/config"
	"ordeal/campaigns/mutation"
	"ordeal/sim"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
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
	DefaultTries = 400
	DefaultBest  = 8
	DefaultSteps = 3_000_000
)

// Repair is an edit with what it was checked by.
type Repair struct {
	// ID is the edit as a mutant is named; several are joined by " + ".
	ID    string `json:"id"`
	Edits int    `json:"edits"`
	// New are the titles of an audit that the protocol itself does not show, Left
	// counts those that it shows, too.
	New  []string `json:"new,omitempty"`
	Left int      `json:"left"`
	// Lost counts rows that the audit of the protocol took, and that of the repaired
	// one did not.
	Lost int `json:"lost_rows"`
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
	CPU     time.Duration `json:"cpu_ns"`
	_       struct{}
}

// search is a search under way.
type search struct {
	o      Options
	base   config.Machine // without an edit
	stock  *audit.Report  // of the protocol itself
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
	s := &search{o: o, base: o.Finding.Machine, result: &Result{Title: o.Finding.Title, Repairs: []*Repair{}}, began: audit.ProcessTime()}
	if !s.base.Coherent() {
		return nil, ErrNoProtocol
	}
	shown, err := s.outcome(ctx, "")
	if err != nil {
		return nil, err
	}
	if s.stock, err = s.audited(ctx, ""); err != nil {
		return nil, err
	}
	if !slices.Contains(shown.titles, o.Finding.Title) {
		return nil, fmt.Errorf("the protocol does not show %q any more", o.Finding.Title)
	}
	found, progress, err := s.step(ctx, "", shown, o.Finding.Title, o.Tries/2)
	if err != nil {
		return nil, err
	}
	for _, p := range progress {
		if len(found) > 0 && s.result.Tried >= o.Tries*3/4 || s.result.Tried >= o.Tries || ctx.Err() != nil {
			break
		}
		more, _, err := s.step(ctx, p.id, p.shown, p.shown.titles[0], (o.Tries-s.result.Tried)/2)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	slices.SortStableFunc(found, func(a, b *Repair) int { return a.order() - b.order() })
	if err := s.audit(ctx, found[:min(len(found), o.Best)]); err != nil {
		return nil, err
	}
	s.result.CPU = audit.ProcessTime() - s.began
	return s.result, nil
}

func (r *Repair) order() int { return r.rank + 1000*(r.Edits-1) }

// partial is an edit with which the finding is another one.
type partial struct {
	id    string
	shown *outcome
}

// mostPartial bounds the edits that a second one is added to.
const mostPartial = 4

// step tries the edits for a title on the protocol with an edit, "" for none.
func (s *search) step(ctx context.Context, id string, shown *outcome, title string, tries int) (found []*Repair, progress []partial, err error) {
	catalogue, err := s.catalogue(id)
	if err != nil {
		return nil, nil, err
	}
	checked, err := catalogue.Protocol()
	if err != nil {
		return nil, nil, err
	}
	for _, c := range candidates(checked, title, shown.taken) {
		if tries == 0 || ctx.Err() != nil {
			break
		}
		whole := join(id, c.id)
		if _, err := catalogue.Find(c.id); err != nil {
			continue // not an edit of this protocol
		}
		now, err := s.outcome(ctx, whole)
		if err != nil {
			continue // it does not compile
		}
		tries--
		s.result.Tried++
		if s.o.OnTry != nil {
			s.o.OnTry(s.result.Tried, whole)
		}
		switch {
		case !slices.ContainsFunc(now.titles, func(t string) bool { return t == s.o.Finding.Title || s.stock.Find(t) == nil }):
			found = append(found, &Repair{ID: whole, Edits: edits(whole), Runs: now.runs, rank: c.rank})
			if len(found) >= 4*s.o.Best {
				return found, progress, nil
			}
		case !slices.Contains(now.titles, title) && len(progress) < mostPartial:
			progress = append(progress, partial{whole, now})
		}
	}
	return found, progress, nil
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " + " + b
}

func edits(id string) int { return 1 + strings.Count(id, " + ") }

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
}

func (s *search) outcome(ctx context.Context, id string) (*outcome, error) {
	titles, taken, runs, err := audit.Again(ctx, s.on(id), s.o.Finding, func(title string) bool { return id != "" && s.stock.Find(title) == nil || title == s.o.Finding.Title })
	return &outcome{titles, taken, runs}, err
}

// audit audits repairs, and puts them in order: by what is new,
// by rows that are lost, by the number of edits.
func (s *search) audit(ctx context.Context, found []*Repair) error {
	for _, r := range found {
		report, err := s.audited(ctx, r.ID)
		if err != nil {
			return err
		}
		if report.Find(s.o.Finding.Title) != nil {
			continue // other runs show it still
		}
		r.Steps = report.Steps
		for _, f := range report.Findings {
			if s.stock.Find(f.Title) == nil {
				r.New = append(r.New, f.Title)
			} else {
				r.Left++
			}
		}
		r.Lost = max(s.stock.Coverage.Taken()-report.Coverage.Taken(), 0)
		s.result.Repairs = append(s.result.Repairs, r)
	}
	slices.SortStableFunc(s.result.Repairs, func(a, b *Repair) int {
		score := func(r *Repair) int { return 10*len(r.New) + 3*r.Left + min(r.Lost, 20) + 2*r.Edits }
		return score(a) - score(b)
	})
	return nil
}

// Patch is a repair as a unified diff; dir is put before the names of files.
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
	return mutate.Patch(fsys, root, join(m.Mutant, id), dir)
}
