package gen

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ordeal/gen/shapes"
)

// MaxOps bounds the operations of a generated program, all threads together.
const MaxOps = 1 << 26

// Options steer Random. Start from Defaults: a zero is what each field says.
type Options struct {
	Threads   int // --threads, 1 to MaxThreads; 0 is an error
	Ops       int // --ops: operations of each thread, of any kind; 0 is an error
	Locations int // --locations, 1 to MaxLocations; 0 is an error
	Mix       Mix // --mix; no weight at all is an error
	// Delays (--delays) is the share of delays among the operations, 0 to
	// below 1; 0 means none.
	Delays float64
	// MaxDelay (--max-delay) is the length of the longest delay, in
	// iterations; delays are uniform from 1 on. Ignored when Delays is 0.
	MaxDelay Value
	// Layout (--layout); LayoutUnknown lets the seed choose.
	Layout Layout
	// Locality (--locality) is the probability, 0 to 1, that an access goes
	// to the working set of its phase rather than to any location. All
	// threads share a phase's working set, and it drifts as the program
	// goes on, so that threads meet even among many locations. 0 means that
	// all accesses are uniform.
	Locality float64
	// ShapeShare (--shape-share) is the share of operations that belong to
	// planted critical cycles, 0 to 1, as far as whole cycles fit; 0 means
	// none.
	ShapeShare float64
	// Shapes (--shapes) names the shapes to plant; empty means all those
	// that fit the threads and locations.
	Shapes []string
	// Transaction (--transaction) is the length of the longest transaction,
	// in operations; lengths are uniform from 1 on, and every operation is
	// in one. 0 means no transactions.
	Transaction int
	// FenceTransactions (--fence-transactions) closes each by a fence, on top
	// of Ops.
	FenceTransactions bool
	_                 struct{}
}

// Defaults are options whose programs show store buffering on hardware: few
// locations, loads right after stores, few atomics and fences, which would
// drain the buffers.
func Defaults() Options {
	return Options{
		Threads: 4, Ops: 200, Locations: 8,
		Mix:    Mix{Load: 50, Store: 43, Exchange: 3, Add: 2, Fence: 2},
		Delays: 0.02, MaxDelay: 32,
		Locality: 0.5, ShapeShare: 0.2,
	}
}

// Mix holds the relative weights of the kinds of operation in random code.
type Mix struct {
	Load, Store, Exchange, Add, Fence int
}

// weights lists the weights with their kinds, in the order of printing.
func (m *Mix) weights() []weight {
	return []weight{
		{Load, &m.Load}, {Store, &m.Store}, {Exchange, &m.Exchange},
		{FetchAdd, &m.Add}, {FullFence, &m.Fence},
	}
}

type weight struct {
	kind OpKind
	n    *int
}

// maxWeight bounds each weight of a Mix.
const maxWeight = 1 << 20

// String is the form that ParseMix reads: "load=50,store=43,…".
func (m Mix) String() string {
	var parts []string
	for _, w := range m.weights() {
		parts = append(parts, fmt.Sprintf("%s=%d", w.kind, *w.n))
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
		known := false
		for _, w := range m.weights() {
			if w.kind.String() == name {
				*w.n, known = n, true
			}
		}
		if !known {
			return Mix{}, fmt.Errorf("mix %q: unknown kind %q: want load, store, exchange, add or fence", part, name)
		}
	}
	return m, nil
}

// Validate reports everything that is wrong with the options, each fault by
// the name of its option on the command line.
func (o Options) Validate() error {
	var errs []error
	add := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("generate program: "+format, args...))
	}
	if o.Threads < 1 || o.Threads > MaxThreads {
		add("--threads %d: want 1 to %d", o.Threads, MaxThreads)
	}
	if most := MaxOps / min(max(o.Threads, 1), MaxThreads); o.Ops < 1 || o.Ops > most {
		add("--ops %d: want 1 to %d", o.Ops, most)
	}
	if o.Locations < 1 || o.Locations > MaxLocations {
		add("--locations %d: want 1 to %d", o.Locations, MaxLocations)
	}
	accesses := 0
	for _, w := range o.Mix.weights() {
		if *w.n < 0 || *w.n > maxWeight {
			add("--mix %s=%d: want 0 to %d", w.kind, *w.n, maxWeight)
		} else if w.kind != FullFence {
			accesses += *w.n
		}
	}
	if accesses == 0 {
		add("--mix %s: no weight on any memory access", o.Mix)
	}
	if !(o.Delays >= 0 && o.Delays < 1) {
		add("--delays %v: want 0 to below 1", o.Delays)
	} else if o.Delays > 0 && (o.MaxDelay < 1 || o.MaxDelay > MaxDelay) {
		add("--max-delay %d: want 1 to %d with --delays %v", o.MaxDelay, MaxDelay, o.Delays)
	}
	if o.Layout != LayoutUnknown {
		if _, err := ParseLayout(o.Layout.String()); err != nil {
			add("--layout: %w", err)
		}
	}
	if !(o.Locality >= 0 && o.Locality <= 1) {
		add("--locality %v: want 0 to 1", o.Locality)
	}
	if !(o.ShapeShare >= 0 && o.ShapeShare <= 1) {
		add("--shape-share %v: want 0 to 1", o.ShapeShare)
	}
	if o.ShapeShare == 0 && len(o.Shapes) > 0 {
		add("--shapes %s: nothing is planted with --shape-share 0", strings.Join(o.Shapes, ","))
	}
	if o.Transaction < 0 || o.Transaction > MaxOps {
		add("--transaction %d: want 0 to %d", o.Transaction, MaxOps)
	}
	if o.FenceTransactions && o.Transaction == 0 {
		add("--fence-transactions: there are no transactions with --transaction 0")
	}
	for _, name := range o.Shapes {
		s, ok := shapes.ByName(name)
		switch {
		case !ok:
			add("--shapes %s: unknown shape", name)
		case len(s.Threads) > o.Threads:
			add("--shapes %s: needs %d threads, --threads is %d", name, len(s.Threads), o.Threads)
		case s.Locations > o.Locations:
			add("--shapes %s: needs %d locations, --locations is %d", name, s.Locations, o.Locations)
		case longest(&s) > o.Ops:
			add("--shapes %s: needs %d operations in a thread, --ops is %d", name, longest(&s), o.Ops)
		}
	}
	return errors.Join(errs...)
}

// longest is the length of a shape's longest thread.
func longest(s *shapes.Shape) int {
	n := 0
	for _, ops := range s.Threads {
		n = max(n, len(ops))
	}
	return n
}
