// Package mutate injects bugs into coherence protocols: small edits of a SLICC
// tree, each with a readable name that survives edits of other parts of the
// protocol.
//
// A name has four parts: the protocol, the machine, the place in the machine
// and the edit. The place is a row of the transition table, (STATE,EVENT), or
// the name of an action, a port or a function:
//
//	MI_example/L1Cache/(M,Store)/swap:s_store_hit,p_profileHit
//	MESI_Two_Level/L1Cache/s_deallocateTBE/skip:unset_tbe()
//
// Where the same edit is possible at several points of a place, "#2" and so on
// distinguish them. Several edits joined by " + " are one mutant. A Catalogue
// lists the single edits of a protocol; its method Find makes any mutant from
// its name, including edits that are too many to list.
//
// No program can distinguish an equivalent mutant from the protocol. The
// catalogue marks those whose reason it can see, see Mutant.Equivalent; all
// others may or may not be equivalent.
package mutate

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"ordeal/sim/slicc/compiler"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// Operator is a kind of edit.
type Operator string

// The operators on rows of the transition table.
const (
	Swap    Operator = "swap"    // swap:A,B exchanges two adjacent actions
	Drop    Operator = "drop"    // drop:A leaves an action out
	Dup     Operator = "dup"     // dup:A runs an action twice
	Next    Operator = "next"    // next:S leads to another state; next:stay leaves the state
	Delete  Operator = "delete"  // delete drops the transition
	Copy    Operator = "copy"    // copy:S does what state S does with the event, copy:S@E with event E; also fills a missing row
	Pop     Operator = "pop"     // pop:A takes a message that should wait off its queue by action A
	Insert  Operator = "insert"  // insert:A@B runs action A before action B, or at the end without @B
	Replace Operator = "replace" // replace:A>B runs action B instead of A
)

// The operators on the bodies of actions, ports and functions.
const (
	Skip    Operator = "skip"    // skip:STATEMENT leaves a statement out
	Set     Operator = "set"     // set:LEFT=VALUE assigns another value
	Negate  Operator = "negate"  // negate:CONDITION turns a condition round
	Trigger Operator = "trigger" // trigger:A>B triggers another event
	Forget  Operator = "forget"  // forget:PORT leaves one destination of a message out
)

// Operators lists the operators, those on rows first.
func Operators() []Operator {
	return []Operator{Swap, Drop, Dup, Next, Delete, Copy, Pop, Insert, Replace, Skip, Set, Negate, Trigger, Forget}
}

// Listed reports whether a Catalogue lists the mutants of the operator. Those of others are too many;
// Find makes them from their names.
func (o Operator) Listed() bool { return o != Insert && o != Replace }

// Mutant is an edit of a protocol.
type Mutant struct {
	ID       string
	Operator Operator // of the first edit
	Machine  string
	// State and Event are the row that is edited; empty for other places.
	State, Event string
	// Place is the row, or the name of the action, port or function.
	Place string
	// Equivalent is why no program can distinguish the mutant from the protocol;
	// empty where that cannot be seen.
	Equivalent string
	// Evictions says that the mutant changes nothing but eviction
	// notifications of cores, which cores that do not speculate ignore.
	Evictions bool
	changes   []change
}

// Catalogue is the mutants of one protocol. It may be used by several
// goroutines at the same time; the protocol's tree is never changed.
type Catalogue struct {
	Name     string // that the protocol gives itself
	Root     *syntax.File
	machines []*machine
	fields   map[string]bool // names of fields that something reads
	mutants  func() []Mutant
	checked  func() (*types.Protocol, error)
}

// NewCatalogue makes the catalogue of a protocol whose files are all loaded.
func NewCatalogue(root *syntax.File) (*Catalogue, error) {
	p := &Catalogue{Root: root, fields: map[string]bool{}}
	p.collect(root)
	if p.Name == "" {
		return nil, fmt.Errorf("%s: the protocol does not say its name", root.Name)
	}
	if len(p.machines) == 0 {
		return nil, fmt.Errorf("%s: the protocol has no machine", root.Name)
	}
	p.readFields()
	p.mutants = sync.OnceValue(p.list)
	p.checked = sync.OnceValues(func() (*types.Protocol, error) { return compiler.Check(root) })
	return p, nil
}

// Protocol is the checked form of the protocol itself, without a mutant. It is
// checked at the first call.
func (p *Catalogue) Protocol() (*types.Protocol, error) { return p.checked() }

// Mutants lists the mutants in the order of the protocol's text. They are
// enumerated at the first call; the caller must not change the list.
func (p *Catalogue) Mutants() []Mutant { return p.mutants() }

func (p *Catalogue) collect(f *syntax.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *syntax.Protocol:
			p.Name = d.Name
		case *syntax.Include:
			if d.File != nil {
				p.collect(d.File)
			}
		case *syntax.Machine:
			m := &machine{
				name: d.Name.Value.Name, actions: map[string]*syntax.Action{}, funcs: map[string]*syntax.Func{}, directories: map[string]bool{},
				stalling: map[string]bool{},
			}
			for _, v := range d.Params {
				m.directories[v.Name.Name] = v.Type.Name == "DirectoryMemory"
			}
			m.collect(d.Body)
			m.heldStates = m.held()
			p.machines = append(p.machines, m)
		}
	}
}

func (p *Catalogue) machine(name string) *machine {
	i := slices.IndexFunc(p.machines, func(m *machine) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return p.machines[i]
}

func (p *Catalogue) list() []Mutant {
	var list []Mutant
	for _, m := range p.machines {
		for _, s := range m.sites() {
			list = slices.AppendSeq(list, p.of(m, s))
		}
	}
	return list
}

// Bodies are the mutants of actions, ports and functions, in the order of Mutants, without
// enumerating those of rows, which are many more.
func (p *Catalogue) Bodies() iter.Seq[Mutant] {
	return func(yield func(Mutant) bool) {
		for _, m := range p.machines {
			for _, s := range m.bodies {
				for mutant := range p.of(m, s) {
					if !yield(mutant) {
						return
					}
				}
			}
		}
	}
}

// of are the mutants of a site.
func (p *Catalogue) of(m *machine, s site) iter.Seq[Mutant] {
	return func(yield func(Mutant) bool) {
		seen := map[string]int{}
		for _, point := range m.points(s) {
			name := point.edit.text()
			if seen[name]++; seen[name] > 1 {
				point.edit.nth = seen[name]
			}
			if !yield(p.mutant(m, s, point)) {
				return
			}
		}
	}
}

func (p *Catalogue) mutant(m *machine, s site, at point) Mutant {
	e, c := at.edit, at.change
	mutant := Mutant{
		ID: strings.Join([]string{p.Name, m.name, s.String(), e.String()}, "/"), Operator: e.op,
		Machine: m.name, Place: s.String(), State: s.state, Event: s.event, changes: []change{c},
	}
	if s.name != "" || s.row != nil {
		mutant.Equivalent, mutant.Evictions = p.equivalent(m, s, e, c.stmt), m.evictionsOnly(s, e, c.stmt)
	}
	return mutant
}

// Tree is the protocol's tree with the mutant's edits. It shares all that is
// not edited with Root.
func (p *Catalogue) Tree(m Mutant) *syntax.File {
	root := p.Root
	for _, c := range m.changes {
		root, _ = c.file(root)
	}
	return root
}
