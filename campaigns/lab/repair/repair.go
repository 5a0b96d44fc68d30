// Package repair searches for repairs of coherence protocols: edits that make a finding go
// away, keep what else holds, and change little.
//
// Each edit is tried on the runs of the finding, and audited if they pass. What an audit
// shows that the protocol does not is the next finding, which a further edit is to take away:
// a search guided by counterexamples (Solar-Lezama et al., "Combinatorial sketching for
// finite programs", ASPLOS 2006, section 4), with edits of the mutation operators in place of
// values of holes.
package repair

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/config"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/mutate"
)

// Options of Search.
type Options struct {
	// Finding is to go away. Its machine has the protocol.
	Finding *audit.Finding
	// Tries bounds the edits that are run. Steps is the work of the audit of one that
	// passes, and half of Best times Steps that of all audits: those of edits with which something
	// new comes up end there. 0 stands for the defaults.
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
	// New is what ended the audit, a title that the protocol itself does not show, neither in
	// its own audit nor in the runs that show it, and what its runs put aside, where the audit
	// shows it; none if the repair passes. Left are those that the protocol shows, too.
	New  []string `json:"new,omitempty"`
	Left []string `json:"left,omitempty"`
	// Hidden are those that come up with many edits, so that they are the protocol's own: the
	// finding ends the runs before.
	Hidden []string `json:"hidden,omitempty"`
	// Lost counts rows that the audit of the protocol took, and that of the repaired
	// one did not; 0 where an audit ended early.
	Lost int `json:"lost_rows"`
	// Findings are those of the audit: those of New and of Left.
	Findings []*audit.Finding `json:"-"`
	// Steps and Runs are what it was checked by, besides the finding.
	Steps uint64 `json:"steps"`
	Runs  int    `json:"runs"`
	rank  int
	_     struct{}
}

// Result is the repairs, the best first: those that pass, then those whose audits went
// on longest.
type Result struct {
	Title   string        `json:"title"`
	Tried   int           `json:"tried"`
	Repairs []*Repair     `json:"repairs"`
	Steps   uint64        `json:"steps"` // of the audit of one that passes
	CPU     time.Duration `json:"cpu_ns"`
	_       struct{}
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
	s := &search{o: o, base: o.Finding.Machine, shown: map[string]bool{}, absent: map[string]int{}, made: map[[sha256.Size]byte]bool{}, comes: map[string]map[string]bool{}, result: &Result{Title: o.Finding.Title, Repairs: []*Repair{}, Steps: o.Steps}}
	if !s.base.Coherent() {
		return nil, ErrNoProtocol
	}
	began := audit.ProcessTime()
	root, err := s.root(ctx)
	if err != nil {
		return nil, err
	}
	if s.stock, err = s.audited(ctx, "", o.Steps, nil); err != nil {
		return nil, err
	}
	if err := s.grow(ctx, root); err != nil && ctx.Err() == nil {
		return nil, err
	}
	s.result.Repairs = s.list()
	s.result.CPU = audit.ProcessTime() - began
	return s.result, nil
}

// Patch is a repair as a unified diff; dir is put before the names of files. On a machine
// without the known defects of gem5's files it is of the files without them, as "mutate
// apply --repair" makes them.
func Patch(m config.Machine, id, dir string) ([]byte, error) {
	fsys := protocols.Files()
	root, err := protocols.Root(m.Protocol)
	if m.SLICC != "" {
		fsys, root, _ = m.Source().Texts()
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if m.Repair { // the edits are of the protocol without its known defects
		files, _, err := mutate.CorrectedText(fsys, root)
		if err != nil {
			return nil, err
		}
		fsys = mutate.Overlay(fsys, files)
	}
	return mutate.Patch(fsys, root, join(m.Mutant, id), dir)
}
