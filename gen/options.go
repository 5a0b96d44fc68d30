package gen

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"ordeal/gen/option"
)

// MaxOps bounds the operations of a generated program, all threads together.
const MaxOps = 1 << 26

// Options are the options of Random, declared for campaign files and flags as
// package option describes. Start from Defaults.
type Options struct {
	Threads   int `yaml:"threads" json:"threads" schema:"min=1,max=64" help:"threads of a program"`
	Ops       int `yaml:"ops" json:"ops" schema:"min=1,max=67108864" help:"operations of each thread, of any kind"`
	Locations int `yaml:"locations" json:"locations" schema:"min=1,max=65536" help:"locations that the threads share"`
	// Mix needs weight on a memory access.
	Mix    Mix     `yaml:"mix" json:"mix" schema:"form=mix" help:"weights of the kinds of operation in random code; a kind left out has none"`
	Delays float64 `yaml:"delays" json:"delays" schema:"min=0,below=1" help:"share of delays among the operations"`
	// DMA and Fetch: the threads come after those of cores.
	DMA      int     `yaml:"dma" json:"dma,omitempty" schema:"min=0,max=32" help:"further threads that devices run, which load and store parts of lines and whole lines (embedded simulator, gem5 with agent)"`
	DMAParts float64 `yaml:"dma-parts" json:"dma-parts,omitempty" schema:"min=0,max=1" help:"share of a device's transfers that are of one location and not of all of its line"`
	Fetch    int     `yaml:"fetch" json:"fetch,omitempty" schema:"min=0,max=32" help:"further threads that fetch instructions, each from one location, on the cores in turn (embedded simulator, gem5 with agent)"`
	// MaxDelay is ignored when Delays is 0; lengths are uniform from 1 on.
	MaxDelay Value `yaml:"max-delay" json:"max-delay" schema:"min=0,max=1048576,unit=iterations" help:"length of the longest delay"`
	ISA      ISA   `yaml:"isa" json:"isa,omitempty" schema:"values=isas" help:"instruction set of the program"`
	// Annotations, PartialFences and Dependencies are of other instruction sets
	// than x86-64, in random code and planted cycles alike.
	Annotations   float64 `yaml:"annotations" json:"annotations,omitempty" schema:"min=0,max=1" help:"share of accesses that acquire or release (aarch64, riscv64)"`
	PartialFences float64 `yaml:"partial-fences" json:"partial-fences,omitempty" schema:"min=0,max=1" help:"share of fences that order some pairs only (aarch64, riscv64)"`
	Dependencies  float64 `yaml:"dependencies" json:"dependencies,omitempty" schema:"min=0,max=1" help:"share of operations that depend on a read shortly before (aarch64, riscv64)"`
	// Retries: each attempt is two operations of Ops.
	Retries int    `yaml:"retries" json:"retries,omitempty" schema:"min=0,max=16" help:"further attempts of a pair of load-linked and store-conditional, each made if the one before it failed (aarch64, riscv64)"`
	Layout  Layout `yaml:"layout" json:"layout" schema:"values=layouts" help:"memory layout: each location on a cache line of its own (spread), several on one (packed), two on one (pairs), on lines of one cache set (conflict), or drawn from the seed (any)"`
	// Locality: all threads share the working set of a phase, and it drifts
	// as the program goes on, so that threads meet even among many locations.
	// With 0 all accesses are uniform.
	Locality   float64  `yaml:"locality" json:"locality" schema:"min=0,max=1" help:"share of accesses to a small working set that changes from phase to phase"`
	ShapeShare float64  `yaml:"shape-share" json:"shape-share" schema:"min=0,max=1" help:"share of operations that belong to planted critical cycles, as far as whole cycles fit"`
	Shapes     []string `yaml:"shapes" json:"shapes,omitempty" schema:"suggest=shapes" help:"critical cycles to plant, also with edges of an instruction set (MP+dmb.st+addr); empty means all that fit the threads and locations"`
	// Transaction: lengths are uniform from 1 on, and every operation is in a
	// transaction.
	Transaction int `yaml:"transaction" json:"transaction,omitempty" schema:"min=0,max=67108864,unit=operations,zero=no transactions" help:"length of the longest transaction"`
	// FenceTransactions adds the fences on top of Ops.
	FenceTransactions bool     `yaml:"fence-transactions" json:"fence-transactions,omitempty" help:"close each transaction by a fence"`
	_                 struct{} `yaml:"-"`
}

// Defaults are options whose programs show store buffering on hardware: few
// locations, loads right after stores, few atomics and fences, which would
// drain the buffers.
func Defaults() Options {
	return Options{
		Threads: 4, Ops: 200, Locations: 8,
		Mix:    Mix{Load: 50, Store: 43, Exchange: 3, Add: 2, Fence: 2},
		Delays: 0.02, MaxDelay: 32,
		Locality: 0.5, ShapeShare: 0.2, DMAParts: 0.25,
	}
}

// Mix holds the relative weights of the kinds of operation in random code.
type Mix struct {
	Load, Store, Exchange, Add, Fence int
	// Pair is the weight of pairs of load-linked and store-conditional.
	Pair int
}

// weights lists the weights with their kinds, in the order of printing.
func (m *Mix) weights() []weight {
	return []weight{
		{Load, &m.Load}, {Store, &m.Store}, {Exchange, &m.Exchange},
		{FetchAdd, &m.Add}, {FullFence, &m.Fence}, {StoreConditional, &m.Pair},
	}
}

type weight struct {
	kind OpKind
	n    *int
}

// name is the kind as an option names it.
func (w weight) name() string {
	if w.kind == StoreConditional {
		return "pair"
	}
	return w.kind.String()
}

// maxWeight bounds each weight of a Mix.
const maxWeight = 1 << 20

// String is the form that ParseMix reads, "load=50,store=43,…", without kinds of
// weight 0.
func (m Mix) String() string {
	var parts []string
	for _, w := range m.weights() {
		if *w.n != 0 || m == (Mix{}) && w.kind != StoreConditional {
			parts = append(parts, fmt.Sprintf("%s=%d", w.name(), *w.n))
		}
	}
	return strings.Join(parts, ",")
}

// ParseMix reads weights in the form "load=50,store=43,exchange=3,add=2,
// fence=2". Kinds that are not named have weight 0.
func ParseMix(text string) (Mix, error) {
	var m Mix
	seen := make(map[string]bool)
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > maxWeight {
			return Mix{}, fmt.Errorf("mix %q: want kind=weight with a weight from 0 to %d", part, maxWeight)
		}
		if seen[name] {
			return Mix{}, fmt.Errorf("mix %q: %s has a weight already", part, name)
		}
		seen[name] = true
		weights := m.weights()
		i := slices.IndexFunc(weights, func(w weight) bool { return w.name() == name })
		if i < 0 {
			return Mix{}, fmt.Errorf("mix %q: unknown kind %q: want load, store, exchange, add, fence or pair", part, name)
		}
		*weights[i].n = n
	}
	return m, nil
}

// MarshalText is String.
func (m Mix) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText is ParseMix.
func (m *Mix) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMix(string(text))
	return err
}

// declared is read only.
var declared = option.Of(reflect.TypeFor[Options]())

// Validate reports everything that is wrong with the options: an option.Fault
// for each, joined.
func (o Options) Validate() error {
	faults := new(option.Rules).CheckDeclared(declared, &o)
	add := func(name, format string, args ...any) {
		faults = append(faults, option.Faultf(name, format, args...))
	}
	if most := MaxOps / min(max(o.Threads, 1), MaxThreads); o.Ops > most && o.Ops <= MaxOps {
		add("ops", "%d: want 1 to %d", o.Ops, most)
	}
	if n := o.Threads + o.DMA + o.Fetch; n > MaxThreads && o.Threads <= MaxThreads {
		add("threads", "%d, --dma %d and --fetch %d: want at most %d in all", o.Threads, o.DMA, o.Fetch, MaxThreads)
	}
	accesses := 0
	for _, w := range o.Mix.weights() {
		if *w.n < 0 || *w.n > maxWeight {
			add("mix", "%s=%d: want 0 to %d", w.name(), *w.n, maxWeight)
		} else if w.kind != FullFence {
			accesses += *w.n
		}
	}
	if accesses == 0 {
		add("mix", "%s: no weight on any memory access", o.Mix)
	}
	if o.ISA == X86 {
		for _, only := range []struct {
			name string
			is   bool
		}{
			{"annotations", o.Annotations > 0}, {"partial-fences", o.PartialFences > 0},
			{"dependencies", o.Dependencies > 0}, {"mix", o.Mix.Pair > 0}, {"retries", o.Retries > 0},
		} {
			if only.is {
				add(only.name, "--isa %s has no such operations", o.ISA)
			}
		}
	}
	if o.ISA != X86 && o.DMA+o.Fetch > 0 {
		add("isa", "%s: its programs have no devices and no fetchers", o.ISA)
	}
	if o.Delays > 0 && o.MaxDelay < 1 {
		add("max-delay", "0: want 1 to %d with --delays %v", MaxDelay, o.Delays)
	}
	if o.Layout > Conflict {
		add("layout", "unknown layout %d", o.Layout)
	}
	if o.ShapeShare == 0 && len(o.Shapes) > 0 {
		add("shapes", "%s: nothing is planted with --shape-share 0", strings.Join(o.Shapes, ","))
	}
	if o.FenceTransactions && o.Transaction == 0 {
		add("fence-transactions", "there are no transactions with --transaction 0")
	}
	for _, name := range o.Shapes {
		s, err := shape(name, o.ISA)
		if err != nil {
			add("shapes", "%s: %v", name, err)
			continue
		}
		for _, need := range []struct {
			what, option string
			n, have      int
		}{
			{"threads", "threads", len(s.Threads), o.Threads},
			{"locations", "locations", s.Locations, o.Locations},
			{"operations in a thread", "ops", s.Longest(), o.Ops},
		} {
			if need.n > need.have {
				add("shapes", "%s: needs %d %s, --%s is %d", name, need.n, need.what, need.option, need.have)
			}
		}
	}
	var errs []error
	for _, f := range faults {
		errs = append(errs, fmt.Errorf("generate program: %w", f))
	}
	return errors.Join(errs...)
}
