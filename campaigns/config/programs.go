package config

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
)

// Programs describes a family of programs and how often to execute them; a
// seed and a number pick one program. Its fields are keys of a campaign file
// and flags of the command line under the same names; gen.Options says more
// about most of them.
type Programs struct {
	// Threads is the number of threads.
	Threads int `yaml:"threads" json:"threads" schema:"min=1,max=64"`
	// Ops is the number of operations of each thread.
	Ops int `yaml:"ops" json:"ops" schema:"min=1"`
	// Locations is the number of locations that the threads share.
	Locations int `yaml:"locations" json:"locations" schema:"min=1"`
	// Rounds is how often a run executes its program.
	Rounds int `yaml:"rounds" json:"rounds" schema:"min=1"`
	// Mix has the weights of the kinds of operation, load, store, exchange, add
	// and fence; what is left out has none.
	Mix string `yaml:"mix" json:"mix" schema:"form=mix"`
	// Delays is the share of delays among the operations, below 1.
	Delays float64 `yaml:"delays" json:"delays" schema:"min=0,below=1"`
	// MaxDelay is the length of the longest delay, in iterations of a loop.
	MaxDelay uint64 `yaml:"max-delay" json:"max-delay" schema:"unit=iterations"`
	// Layout says how locations lie in memory: each on a line of its own
	// (spread), several on one (packed), two on one (pairs), on lines of one
	// cache set (conflict), or as the seed of the run chooses (any).
	Layout string `yaml:"layout" json:"layout" schema:"values=layouts"`
	// Locality is the share of accesses to a small working set.
	Locality float64 `yaml:"locality" json:"locality" schema:"min=0,max=1"`
	// ShapeShare is the share of operations that belong to planted critical
	// cycles.
	ShapeShare float64 `yaml:"shape-share" json:"shape-share" schema:"min=0,max=1"`
	// Shapes are the critical cycles to plant, as `ordeal gen` names them; empty
	// means all that fit.
	Shapes []string `yaml:"shapes" json:"shapes,omitempty" schema:"values=shapes"`
	// Transaction is the length of the longest transaction, in operations; every
	// operation is in one.
	Transaction int `yaml:"transaction" json:"transaction,omitempty" schema:"min=0,unit=operations,zero=no transactions"`
	// FenceTransactions closes each transaction by a fence.
	FenceTransactions bool `yaml:"fence-transactions" json:"fence-transactions,omitempty"`
	// Sync says how threads proceed from round to round: back to back (free),
	// together (round), or as suits the simulator (auto).
	Sync string `yaml:"sync" json:"sync" schema:"values=syncs"`
}

// AnyLayout lets the seed choose the memory layout.
const AnyLayout = "any"

// Syncs lists the values of Programs.Sync.
func Syncs() []string { return []string{"auto", "free", "round"} }

// DefaultPrograms are those of gen.Defaults, executed a hundred times.
func DefaultPrograms() Programs {
	o := gen.Defaults()
	return Programs{
		Threads: o.Threads, Ops: o.Ops, Locations: o.Locations, Rounds: 100,
		Mix: o.Mix.String(), Delays: o.Delays, MaxDelay: uint64(o.MaxDelay),
		Layout: AnyLayout, Locality: o.Locality, ShapeShare: o.ShapeShare, Sync: "auto",
	}
}

// Program draws program number of the family from seed.
func (p *Programs) Program(seed uint64, number int) (*gen.Program, error) {
	o, err := p.options()
	if err != nil {
		return nil, err
	}
	return gen.Random(rand.New(rand.NewPCG(seed, uint64(number))), o)
}

// options are the generator's options.
func (p *Programs) options() (gen.Options, error) {
	o := gen.Options{
		Threads: p.Threads, Ops: p.Ops, Locations: p.Locations,
		Delays: p.Delays, MaxDelay: gen.Value(p.MaxDelay),
		Locality: p.Locality, ShapeShare: p.ShapeShare, Shapes: p.Shapes,
		Transaction: p.Transaction, FenceTransactions: p.FenceTransactions,
	}
	var errMix, errLayout error
	o.Mix, errMix = gen.ParseMix(p.Mix)
	if p.Layout != AnyLayout {
		if o.Layout, errLayout = gen.ParseLayout(p.Layout); errLayout != nil {
			errLayout = fmt.Errorf("%w, or any", errLayout)
		}
	}
	return o, errors.Join(errMix, errLayout)
}

// fault is something wrong with a field, named by its key.
type fault struct{ key, message string }

// Validate reports everything wrong with p, by the names of the flags.
func (p *Programs) Validate() error {
	var errs []error
	for _, f := range p.faults() {
		errs = append(errs, fmt.Errorf("--%s: %s", f.key, f.message))
	}
	return errors.Join(errs...)
}

// faults lists everything wrong with p.
func (p *Programs) faults() []fault {
	var faults []fault
	if p.Rounds < 1 {
		faults = append(faults, fault{"rounds", fmt.Sprintf("%d: want at least 1", p.Rounds)})
	}
	if !slices.Contains(Syncs(), p.Sync) {
		faults = append(faults, fault{"sync", fmt.Sprintf("%q: want %s", p.Sync, strings.Join(Syncs(), ", "))})
	}
	o, err := p.options()
	if err == nil {
		err = o.Validate()
	}
	for _, err := range flatten(err) {
		faults = append(faults, optionFault(err.Error()))
	}
	return faults
}

// optionFault finds the key in a message of gen about options, which is either
// "generate program: --KEY REST" or "mix …" or "… layout …".
func optionFault(message string) fault {
	message = strings.TrimPrefix(message, "generate program: ")
	if rest, ok := strings.CutPrefix(message, "--"); ok {
		if i := strings.IndexAny(rest, " :"); i > 0 {
			return fault{rest[:i], strings.TrimLeft(rest[i:], " :")}
		}
	}
	if rest, ok := strings.CutPrefix(message, "mix "); ok {
		return fault{"mix", rest}
	}
	return fault{"layout", message}
}

// flatten lists the errors that errors.Join joined.
func flatten(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, flatten(e)...)
		}
		return all
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// EmitOptions are the options of executables that run programs of family p.
func (p *Programs) EmitOptions() elf.Options {
	o := elf.Options{Rounds: p.Rounds}
	switch p.Sync {
	case "free":
		o.Sync = elf.SyncFree
	case "round":
		o.Sync, o.Every = elf.SyncRound, 1
	}
	return o
}
