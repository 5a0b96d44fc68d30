package gem5

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ordeal/gen/emit/elf"
)

// CPUs lists the kinds of core: gem5's X86TimingSimpleCPU, X86O3CPU and
// X86MinorCPU.
func CPUs() []string { return []string{"timing", "o3", "minor"} }

// Networks lists Ruby's networks.
func Networks() []string { return []string{"simple", "garnet"} }

// Options describe the binary and the machine that it simulates. Sizes are as
// gem5 writes them, "512B" or "4kB". The zero value of each field but Binary
// and Tree has the default that its comment says.
type Options struct {
	// Binary (--gem5) is the gem5 executable, Tree (--gem5-tree) the source
	// tree whose configs folder fits it.
	Binary, Tree string
	// Protocol (--protocol) is the coherence protocol that the binary is
	// expected to have; empty means the one it has.
	Protocol string
	// CPU (--cpu) is one of CPUs; empty means "timing".
	CPU string
	// Cores (--cores) is the number of cores; 0 means one for each thread.
	Cores int
	// Caches. Small ones make lines move: empty sizes are 512B of data in 2
	// ways and 4kB of instructions in 2 ways for each core, 8kB in 4 ways for
	// each bank of L2.
	L1DSize, L1ISize, L2Size    string
	L1DAssoc, L1IAssoc, L2Assoc int
	// L2Banks and Dirs are the numbers of banks and directories, powers of
	// two; 0 means 1.
	L2Banks, Dirs int
	// Network is one of Networks, empty means "simple"; LinkLatency is in
	// cycles, 0 means 1.
	Network     string
	LinkLatency int
	// Randomization shuffles Ruby's messages a little; see design of the
	// simulator: by some ticks.
	Randomization bool
	// DeadlockThreshold is after how many cycles a sequencer takes a request
	// for deadlocked; 0 means gem5's own bound.
	DeadlockThreshold int
	// MaxTicks bounds the simulated time; 0 means no bound.
	MaxTicks int64
	// StoreOrder has the log say in which order stores reached memory, from
	// debug traces that only builds with tracing write (gem5.opt,
	// gem5.debug). It makes gem5 several times slower.
	StoreOrder bool
	// TreeOptions are further options of the tree's own configuration, as
	// "--recycle-latency=3".
	TreeOptions []string
	// Mutation plants a fault in the tree.
	Mutation Mutation
	// Emit shapes the executable. Its Rounds are the job's and Yield is always
	// on; a Spin of 0 means DefaultSpin.
	Emit elf.Options
	// Retries is how often a launch is made again that ended for a reason
	// which another seed of the simulator avoids; 0 means DefaultRetries, -1
	// none.
	Retries int
	// Grace is the time between SIGTERM and SIGKILL; 0 means launch's.
	Grace time.Duration
	// Watch, if not nil, is told of the progress of simulations. It may be
	// called from several goroutines.
	Watch func(Progress)
	_     struct{}
}

// Defaults of Options.
const (
	// DefaultSpin is some minutes of simulation at a barrier: about a
	// hundred times what a round of a hundred operations takes.
	DefaultSpin    = 1 << 17
	DefaultRetries = 2
)

// withDefaults fills in the defaults.
func (o Options) withDefaults() Options {
	text := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	number := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	text(&o.CPU, "timing")
	text(&o.L1DSize, "512B")
	text(&o.L1ISize, "4kB")
	text(&o.L2Size, "8kB")
	text(&o.Network, "simple")
	number(&o.L1DAssoc, 2)
	number(&o.L1IAssoc, 2)
	number(&o.L2Assoc, 4)
	number(&o.L2Banks, 1)
	number(&o.Dirs, 1)
	number(&o.LinkLatency, 1)
	number(&o.Emit.Spin, DefaultSpin)
	switch number(&o.Retries, DefaultRetries); {
	case o.Retries < 0:
		o.Retries = 0
	}
	return o
}

var sizeForm = regexp.MustCompile(`^[1-9][0-9]*(B|kB|KiB|MB|MiB)$`)

// Validate reports everything that is wrong with the options, but does not
// look for the files that they name.
func (o Options) Validate() error {
	o = o.withDefaults()
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	choice := func(name, value string, of []string) {
		if !slices.Contains(of, value) {
			fault("unknown %s %q: want %s", name, value, strings.Join(of, ", "))
		}
	}
	if o.Binary == "" {
		fault("no gem5 binary: want --gem5 FILE")
	}
	if o.Tree == "" {
		fault("no gem5 source tree: want --gem5-tree FOLDER")
	}
	choice("cpu", o.CPU, CPUs())
	choice("network", o.Network, Networks())
	for _, s := range []struct{ name, size string }{{"l1d-size", o.L1DSize}, {"l1i-size", o.L1ISize}, {"l2-size", o.L2Size}} {
		if !sizeForm.MatchString(s.size) {
			fault("%s %q: want a size as 512B or 4kB", s.name, s.size)
		}
	}
	for _, n := range []struct {
		name   string
		n, low int
		power  bool
	}{
		{"cores", o.Cores, 0, false}, {"l1d-assoc", o.L1DAssoc, 1, false}, {"l1i-assoc", o.L1IAssoc, 1, false},
		{"l2-assoc", o.L2Assoc, 1, false}, {"l2-banks", o.L2Banks, 1, true}, {"dirs", o.Dirs, 1, true},
		{"link-latency", o.LinkLatency, 1, false}, {"deadlock-threshold", o.DeadlockThreshold, 0, false},
	} {
		if n.n < n.low || n.power && n.n&(n.n-1) != 0 {
			want := fmt.Sprintf("at least %d", n.low)
			if n.power {
				want = "a power of two"
			}
			fault("%s %d: want %s", n.name, n.n, want)
		}
	}
	if len(o.Mutation.Changes) > 0 && len(o.Mutation.Rebuild) == 0 {
		fault("a mutant without a command that rebuilds gem5: want --rebuild COMMAND")
	}
	if o.MaxTicks < 0 {
		fault("max-ticks %d: want at least 0", o.MaxTicks)
	}
	return errors.Join(faults...)
}

// machine is the part of se.py's command line that describes the machine.
func (o *Options) machine() []string {
	words := []string{
		"--tree", o.Tree, "--cpu", o.CPU, "--network", o.Network,
		"--l1d-size", o.L1DSize, "--l1i-size", o.L1ISize, "--l2-size", o.L2Size,
	}
	number := func(flag string, n int64) { words = append(words, flag, strconv.FormatInt(n, 10)) }
	number("--l1d-assoc", int64(o.L1DAssoc))
	number("--l1i-assoc", int64(o.L1IAssoc))
	number("--l2-assoc", int64(o.L2Assoc))
	number("--l2-banks", int64(o.L2Banks))
	number("--dirs", int64(o.Dirs))
	number("--link-latency", int64(o.LinkLatency))
	if o.DeadlockThreshold > 0 {
		number("--deadlock-threshold", int64(o.DeadlockThreshold))
	}
	if o.MaxTicks > 0 {
		number("--max-ticks", o.MaxTicks)
	}
	if o.Protocol != "" {
		words = append(words, "--protocol", o.Protocol)
	}
	for _, option := range o.TreeOptions {
		words = append(words, "--tree-option="+option)
	}
	return words
}

// environment is that of gem5: its Python looks for its library there.
func environment() []string { return os.Environ() }
