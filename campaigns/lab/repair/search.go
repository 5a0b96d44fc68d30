package repair

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/config"
	"ordeal/campaigns/mutation"
	"ordeal/sim"
	"ordeal/sim/slicc/mutate"
	"ordeal/sim/slicc/types"
)

// search is the state of a search.
type search struct {
	o     Options
	base  config.Machine // without an edit
	stock *audit.Report  // of the protocol itself
	// protocol is the checked form of it.
	protocol *types.Protocol
	// shown are titles that it shows besides; absent counts the findings of a title in whose runs
	// it did not.
	shown  map[string]bool
	absent map[string]int
	// failures are those that were seen, by their titles.
	failures map[string]sim.Failure
	// made are the protocols that were tried, by hashes of their text.
	made map[[sha256.Size]byte]bool
	// comes are the edits of the protocol itself with which a title comes up.
	comes map[string]map[string]bool
	// other is the finding with other seeds, and otherRuns how many of them an edit has to
	// pass.
	other     *audit.Finding
	otherRuns int
	// passed are repairs whose audits passed, nearly those that showed no more than what was put
	// aside, failed others.
	passed, nearly, failed []*Repair
	// spent are the steps of audits of edits.
	spent  uint64
	result *Result
}

// Bounds of a search.
const (
	// enough repairs of different places that pass end a search.
	enough = 3
	// hiding is with how many edits a title has to come up to count as one that the
	// finding hides.
	hiding = 3
	// lacking is in how many other states an event has to be missing for a missing row of it to be
	// the protocol's own.
	lacking = 2
	// turn is how many edits are added to one before another may be the likelier one.
	turn = 8
	// asideRuns have to pass before another failure does not count against an edit, and
	// mostAside is how many of them do not.
	asideRuns = 3
	mostAside = 2
	// mostSought findings of a title are run on the protocol.
	mostSought = 3
)

// root is the protocol without an edit.
func (s *search) root(ctx context.Context) (*node, error) {
	f := s.o.Finding
	shown, err := s.outcome(ctx, &node{}, f, func(title string) bool { return title == f.Title })
	if err != nil {
		return nil, err
	}
	if len(shown.titles) == 0 {
		return nil, fmt.Errorf("the protocol does not show %q any more", f.Title)
	}
	if !slices.Contains(shown.titles, f.Title) { // the same runs, by a simulator with other titles
		now := *f
		now.Title = shown.titles[0]
		s.o.Finding, s.result.Title, f = &now, now.Title, &now
	}
	if f.Explore == nil { // as often as it takes other seeds to show it
		other := *f
		other.Seed += audit.ShowTries
		again, err := s.outcome(ctx, &node{}, &other, func(title string) bool { return title == f.Title })
		if err != nil {
			return nil, err
		}
		s.other, s.otherRuns = &other, min(4*again.runs, audit.ShowTries*4)
	}
	n := &node{findings: []*audit.Finding{f}, title: f.Title, shown: shown, value: math.Log2(float64(f.Steps + 1))}
	return n, s.recall(ctx, n, f)
}

// recall adds the rows that the run of a finding took last to what an edit showed.
func (s *search) recall(ctx context.Context, n *node, f *audit.Finding) (err error) {
	n.shown.last, err = s.last(ctx, n.id, f)
	n.shown.value = len(n.shown.last) > 0 && violates(f)
	return err
}

// isNew reports whether a title is that of a finding that an edit is to take away, or one
// that the protocol's own audit does not show.
func (s *search) isNew(n *node, title string) bool {
	return n.against(title) || !s.has(title) && !s.shown[title] && !s.hides(n, title) && !slices.Contains(n.rare, title)
}

// has reports whether the protocol's own audit shows a title. Edits leave the lines of
// statements as they are.
func (s *search) has(title string) bool {
	return slices.ContainsFunc(s.stock.Findings, func(f *audit.Finding) bool { return f.Title == title })
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " + " + b
}

// catalogue returns the catalogue of the protocol with an edit.
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
	return mutation.File(s.base.Source(), s.base.Repair)
}

// audited is an audit of the protocol with an edit, of so many steps or until a finding ends it.
func (s *search) audited(ctx context.Context, id string, steps uint64, stop func(*audit.Finding) bool) (*audit.Report, error) {
	m := s.on(s.base, id)
	learned := func(f *audit.Finding) bool {
		s.learn(f.Failure)
		return stop != nil && stop(f)
	}
	return audit.Run(ctx, audit.Options{Machine: m.OfProtocol(), Seed: s.o.Seed, Steps: steps, Stop: learned})
}

// on is a machine with an edit.
func (s *search) on(m config.Machine, id string) config.Machine {
	m.Mutant = join(s.base.Mutant, id)
	return m
}

// learn notes failures.
func (s *search) learn(list ...sim.Failure) {
	if s.failures == nil {
		s.failures = map[string]sim.Failure{}
	}
	for _, f := range list {
		s.failures[f.Title()] = f
	}
}

// row is the row that a title names; ok is false if it names none.
func (s *search) row(title string) (r sim.Row, ok bool) {
	r = s.failures[title].Row
	return r, namesRow(r)
}
