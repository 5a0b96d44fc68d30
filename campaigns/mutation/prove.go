package mutation

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/lab"
	"ordeal/campaigns/run"
	"ordeal/sim"
	"ordeal/sim/explore/search"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/mutate"
)

// Truth is the result of exploring a mutant on small machines.
type Truth string

// The truths.
const (
	Refuted   Truth = "killed"        // a property does not hold that holds for the protocol
	Bounded   Truth = "no difference" // every property holds in all states of all machines, on the last up to some depth
	Undecided Truth = "undecided"     // a machine has too many states
)

// Proof is the result of exploring a mutant.
type Proof struct {
	Protocol string          `json:"protocol"`
	Mutant   string          `json:"mutant"`
	Operator mutate.Operator `json:"operator"`
	// Equivalent is the reason where it is known to be; it is not explored then.
	Equivalent string `json:"equivalent,omitempty"`
	Truth      Truth  `json:"truth,omitempty"`
	// Machine is the one that decides: that of the counterexample, or all that were
	// visited whole, or the one with too many states.
	Machine string `json:"machine,omitempty"`
	States  uint64 `json:"states,omitempty"` // visited, of all machines
	// Same says that the states and steps of all machines are those of the
	// protocol.
	Same bool `json:"same,omitempty"`
	// Counterexample is a shortest one.
	Counterexample *exploration.Finding `json:"counterexample,omitempty"`
	// Error is why the mutant could not be explored.
	Error string `json:"error,omitempty"`
}

// ProveOptions are the options of Prove.
type ProveOptions struct {
	Targets []Target
	// Mutants names those to explore, of any edits that every catalogue has; nil means those listed that
	// Accept and Sample choose, as in Options.
	Mutants []string
	Accept  func(*mutate.Mutant) bool
	Sample  int
	Seed    uint64
	// MaxStates bounds the orbits of each exploration. Machines of which the protocol
	// itself has more are left out.
	MaxStates uint64
	Workers   int // mutants at a time; 0: one for each processor
	// Stored are the results of earlier calls with the same options, and those of this
	// call; nil: nothing is stored.
	Stored *lab.Results[Proof]
	// OnProof is called with every result, one at a time; nil means no callback.
	OnProof func(Proof)
	// OnTarget is called before the mutants of a target are explored, with their
	// number; nil means no callback.
	OnTarget func(t *Target, mutants int)
	// Notef is called with what is worth to know of the protocol's own machines; nil
	// means no callback.
	Notef func(format string, args ...any)
	_     struct{}
}

// Prove explores all mutants on small machines, each until a property is
// violated that holds for the protocol. The results are in the order of targets
// and mutants. With an error, that of ctx included, it returns what was decided before.
func Prove(ctx context.Context, o ProveOptions) ([]Proof, error) {
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return each(ctx, o.Targets, (&prover{o: o}).target)
}

type prover struct{ o ProveOptions }

func (p *prover) notef(format string, args ...any) {
	if p.o.Notef != nil {
		p.o.Notef(format, args...)
	}
}

// target explores the mutants of one protocol, several at a time.
func (p *prover) target(ctx context.Context, t *Target) ([]Proof, error) {
	catalogue, transitions, err := t.read()
	if err != nil {
		return nil, err
	}
	list, err := p.choose(catalogue)
	if err != nil {
		return nil, err
	}
	if p.o.OnTarget != nil {
		p.o.OnTarget(t, len(list))
	}
	depends, err := lab.Hash([]any{t.Name, t.text(), p.o.MaxStates})
	if err != nil {
		return nil, err
	}
	known := sync.OnceValues(func() (*ladder, error) { return p.ladder(ctx, t) })
	return lab.Run(ctx, p.o.Workers, list, func(ctx context.Context, m mutate.Mutant) (Proof, error) {
		return p.o.Stored.Do(lab.Case{Name: m.ID, Depends: depends}, func() (Proof, error) {
			known, err := known()
			if err != nil {
				return Proof{}, err
			}
			return p.prove(ctx, t, catalogue, transitions, known, &m)
		})
	}, p.o.OnProof)
}

// choose lists the mutants to explore.
func (p *prover) choose(c *mutate.Catalogue) ([]mutate.Mutant, error) {
	if p.o.Mutants == nil {
		return (&matrix{o: Options{Accept: p.o.Accept, Sample: p.o.Sample, Seed: p.o.Seed}}).choose(c), nil
	}
	var list []mutate.Mutant
	for _, id := range p.o.Mutants {
		m, err := c.Find(id)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// explore explores a machine with a protocol. A context that ends is an error.
func (p *prover) explore(ctx context.Context, g *ground, protocol *ruby.Protocol, keepGoing bool) (*exploration.Result, error) {
	c := g.config
	c.Protocol = protocol
	o := search.Options{Workers: 1, MaxStates: p.o.MaxStates, MaxDepth: g.depth, KeepGoing: keepGoing, Graph: g.live}
	r, err := exploration.Compiled(ctx, c, g.model, o)
	if err == nil {
		err = ctx.Err()
	}
	return r, err
}

// ladder is the machines that the protocol has been explored on whole.
type ladder struct {
	grounds []*ground
	// last is the machine for what no other kills, once a mutant is there, up to some depth
	// if the protocol has too many states; nil if the protocol has none.
	last func() (*ground, error)
}

func (p *prover) ladder(ctx context.Context, t *Target) (*ladder, error) {
	protocol, err := ruby.Compile(t.Tree)
	if err != nil {
		return nil, err
	}
	candidates, err := grounds(protocol)
	if err != nil {
		return nil, err
	}
	l := &ladder{last: func() (*ground, error) { return nil, nil }}
	for _, g := range candidates {
		if g.last {
			l.last = sync.OnceValues(func() (*ground, error) { return p.lastBaseline(ctx, t, protocol, g) })
			continue
		}
		whole, err := p.baseline(ctx, t, protocol, g)
		if err != nil {
			return nil, err
		}
		if whole != nil {
			l.grounds = append(l.grounds, whole)
		}
	}
	if len(l.grounds) == 0 {
		return nil, fmt.Errorf("explore protocol %s: no machine has at most %d orbits of states", t.Name, p.o.MaxStates)
	}
	return l, nil
}

// baseline notes what the protocol itself does on a machine; nil if it has too many states.
func (p *prover) baseline(ctx context.Context, t *Target, protocol *ruby.Protocol, g *ground) (*ground, error) {
	r, err := p.explore(ctx, g, protocol, true)
	if err != nil {
		return nil, fmt.Errorf("explore protocol %s: %w", t.Name, err)
	}
	if !r.Complete() {
		p.notef("%s: %s: more than %d orbits of states: left out", t.Name, g.name, p.o.MaxStates)
		return nil, nil
	}
	g.known(r)
	for title := range g.titles {
		p.notef("%s: %s: the protocol itself: %s", t.Name, g.name, title)
	}
	return g, nil
}

// lastShare is the inverse of the share of MaxStates that the last machine may have up to the depth
// at which it ends, since every mutant without a difference is explored there.
const lastShare = 4

// lastBaseline is baseline on the last machine. If the protocol has too many states there, it is explored
// up to the greatest depth at which it has a share of them.
func (p *prover) lastBaseline(ctx context.Context, t *Target, protocol *ruby.Protocol, g *ground) (*ground, error) {
	r, err := p.explore(ctx, g, protocol, true)
	if err != nil {
		return nil, fmt.Errorf("explore protocol %s: %w", t.Name, err)
	}
	if !r.Complete() {
		g.depth = depthOf(r.Levels, p.o.MaxStates/lastShare)
		g.name += fmt.Sprintf(" up to depth %d", g.depth)
		if r, err = p.explore(ctx, g, protocol, true); err != nil {
			return nil, fmt.Errorf("explore protocol %s: %w", t.Name, err)
		}
	}
	g.known(r)
	return g, nil
}

// depthOf is the greatest depth up to which levels have no more than some orbits, at least 1.
func depthOf(levels []uint64, most uint64) int {
	depth, n := 1, levels[0]
	for depth < len(levels)-1 && n+levels[depth] <= most {
		n += levels[depth]
		depth++
	}
	return depth
}

// prove explores one mutant.
func (p *prover) prove(ctx context.Context, t *Target, catalogue *mutate.Catalogue, x transitions, known *ladder, m *mutate.Mutant) (Proof, error) {
	proof := Proof{Protocol: t.Name, Mutant: m.ID, Operator: m.Operator, Equivalent: m.Equivalent}
	if m.Equivalent != "" {
		return proof, nil
	}
	if err := ctx.Err(); err != nil {
		return proof, err
	}
	err := run.Guarded(func() error {
		protocol, err := ruby.Compile(catalogue.Tree(*m))
		if err != nil {
			return err
		}
		return p.decide(ctx, &proof, protocol, known, x.of(m))
	})
	if ctx.Err() != nil {
		return proof, ctx.Err()
	}
	if err != nil {
		proof.Truth, proof.Error = Undecided, err.Error()
	}
	return proof, nil
}

// errStates ends the exploration of a mutant that has too many states.
var errStates = errors.New("too many states")

// decide explores a mutant of some rows, nil for any, on one machine after the
// other.
func (p *prover) decide(ctx context.Context, proof *Proof, protocol *ruby.Protocol, known *ladder, rows []sim.Row) error {
	proof.Truth, proof.Same, proof.Machine = Bounded, true, names(known.grounds)
	for _, g := range known.grounds {
		if decided, err := p.decideOn(ctx, proof, protocol, g, rows); decided || err != nil {
			return err
		}
	}
	last, err := known.last()
	if err != nil || last == nil {
		return err
	}
	before := *proof
	_, err = p.decideOn(ctx, proof, protocol, last, rows)
	switch {
	case errors.Is(err, errStates): // the other machines decide
		*proof = before
		return nil
	case proof.Truth == Bounded:
		proof.Machine += "; " + last.name
	}
	return err
}

// decideOn explores a mutant on one machine, and reports whether that kills it.
func (p *prover) decideOn(ctx context.Context, proof *Proof, protocol *ruby.Protocol, g *ground, rows []sim.Row) (killed bool, err error) {
	if rows != nil && !slices.ContainsFunc(rows, func(row sim.Row) bool { return g.taken[row] }) {
		proof.States += g.states // it is the protocol there
		return false, nil
	}
	r, err := p.explore(ctx, g, protocol, len(g.titles) > 0)
	if err != nil {
		return false, fmt.Errorf("%s: %w", g.name, err)
	}
	proof.States += r.States
	if at := slices.IndexFunc(r.Findings, g.isNew); at >= 0 {
		proof.Truth, proof.Machine, proof.Counterexample, proof.Same = Refuted, g.name, &r.Findings[at], false
		return true, nil
	}
	if !r.Complete() && (g.depth == 0 || r.Limit != search.DepthLimit) {
		proof.Truth, proof.Machine, proof.Same = Undecided, g.name, false
		return false, fmt.Errorf("%s: %w: more than %d orbits", g.name, errStates, p.o.MaxStates)
	}
	proof.Same = proof.Same && r.Digest == g.digest
	return false, nil
}

// known notes what the protocol does on the machine.
func (g *ground) known(r *exploration.Result) {
	g.states, g.digest = r.States, r.Digest
	for i := range r.Findings {
		if g.titles == nil {
			g.titles = map[string]bool{}
		}
		g.titles[titleOf(&r.Findings[i])] = true
	}
	g.taken = map[sim.Row]bool{}
	for _, row := range r.Coverage {
		if row.Count+row.Stalls > 0 {
			g.taken[row.Row] = true
		}
	}
}

func (g *ground) isNew(f exploration.Finding) bool {
	return !g.titles[titleOf(&f)]
}

func titleOf(f *exploration.Finding) string { return f.Property.String() + ": " + f.Title }
