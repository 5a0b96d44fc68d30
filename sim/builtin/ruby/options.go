package ruby

import (
	"errors"
	"fmt"

	"ordeal/sim/builtin/latency"
	"ordeal/sim/builtin/ruby/cache"
)

// Options describe the system around a protocol. The zero value of a field
// has the default that its comment says.
type Options struct {
	Cores int // 1 to MaxCores
	// Network is the latency of a message; a zero Model means
	// DefaultNetwork.
	Network latency.Model
	// Memory is the latency of memory; a zero Model means DefaultMemory.
	Memory latency.Model
	// Private and Shared are the sizes of the caches of cores and of all
	// others; zero means DefaultPrivate and DefaultShared, which are tiny so
	// that replacements race with everything else.
	Private, Shared cache.Geometry
	// Trace is called at every transition, if it is not nil.
	Trace func(Step)
	Seed  uint64
	_     struct{}
}

// MaxCores bounds the number of cores: sets of controllers are words of bits.
const MaxCores = 64

// Defaults of Options.
var (
	DefaultNetwork = latency.Model{Base: 5, Jitter: 10}
	DefaultMemory  = latency.Model{Base: 10, Jitter: 10}
	DefaultPrivate = cache.Geometry{Sets: 2, Ways: 2, IndexBit: 6}
	DefaultShared  = cache.Geometry{Sets: 2, Ways: 4, IndexBit: 6}
)

// WithDefaults fills in the defaults.
func (o Options) WithDefaults() Options {
	if o.Network == (latency.Model{}) {
		o.Network = DefaultNetwork
	}
	if o.Memory == (latency.Model{}) {
		o.Memory = DefaultMemory
	}
	if o.Private == (cache.Geometry{}) {
		o.Private = DefaultPrivate
	}
	if o.Shared == (cache.Geometry{}) {
		o.Shared = DefaultShared
	}
	return o
}

// Validate reports everything that is wrong with the options, which are those
// that WithDefaults returned.
func (o Options) Validate() error {
	var errs []error
	if o.Cores < 1 || o.Cores > MaxCores {
		errs = append(errs, fmt.Errorf("%d cores: want 1 to %d", o.Cores, MaxCores))
	}
	return errors.Join(append(errs, o.Network.Validate(), o.Memory.Validate(), o.Private.Validate(), o.Shared.Validate())...)
}
