package gem5

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ordeal/gen"
	"ordeal/gen/background"
	"ordeal/gen/emit/elf"
	"ordeal/gen/option"
	"ordeal/sim/gem5/agent"
	"ordeal/sim/lazyregexp"
)

// CPUs lists the kinds of core: gem5's X86TimingSimpleCPU, X86O3CPU and
// X86MinorCPU, with Arm or Riscv in place of X86 for programs of these.
func CPUs() []string { return []string{"timing", "o3", "minor"} }

// Networks lists Ruby's networks.
func Networks() []string { return []string{"simple", "garnet"} }

// The values of Options.Log.
const (
	LogAuto   = "auto"
	LogMemory = "memory"
	LogPseudo = "pseudo"
)

// Logs lists the ways in which the values that reads return leave gem5: collected
// in memory and written to a file at the end (memory); reported from
// registers after each round by pseudo-instructions (pseudo); or the latter if the
// binary prints the debug lines of m5_sum, and the former if not, as work_begin,
// which serves then, is slower (auto).
func Logs() []string { return []string{LogAuto, LogMemory, LogPseudo} }

// Options describe the binary and the machine that it simulates. Sizes are in
// gem5's notation, "512B" or "4kB". A zero field has the default that its
// comment gives.
type Options struct {
	// Binary (--gem5) is the gem5 executable, or where Locate finds it for the
	// protocol; Tree (--gem5-tree) the source
	// tree whose configs folder fits it. Both are required.
	Binary, Tree string
	// Protocol (--protocol) is the coherence protocol that the binary is
	// expected to have; empty means the one it has.
	Protocol string
	// CPU (--cpu) is one of CPUs; empty means "timing".
	CPU string
	// Cores (--cores) is the number of cores; 0 means one for each thread.
	Cores int
	// Caches. The defaults are small, which makes lines move: 512B of data in
	// 2 ways and 4kB of instructions in 2 ways for each core, 8kB in 4 ways for
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
	// Randomization delays Ruby's messages by a few random ticks.
	Randomization bool
	// Evictions has caches notify their cores of the lines that they lose. The tree's
	// scripts have them do so for cores of X86 and Arm only.
	Evictions bool
	// DeadlockThreshold is the age in cycles at which a sequencer takes a
	// request for deadlocked, and the number of cycles without an access of any
	// core after which a run is; 0 means gem5's own bound for the first, and one
	// derived from the latencies and the sequencers for the second.
	DeadlockThreshold int
	// LivelockThreshold is the number of cycles without a store of any core
	// after which a run is livelocked; 0 means one derived as the other.
	LivelockThreshold int
	// MaxTicks bounds the simulated time; 0 means no bound.
	MaxTicks int64
	// StoreOrder logs the order in which stores reached memory, taken from
	// debug traces that only builds with tracing write (gem5.opt, gem5.debug).
	// It makes gem5 several times slower.
	StoreOrder bool
	// Log (--log) is one of Logs; empty means "auto".
	Log string
	// TreeOptions are further options of the tree's own configuration, as
	// "--recycle-latency=3".
	TreeOptions []string
	// Mutation changes the tree for each launch.
	Mutation Mutation
	// Agent has Ordeal's own tester in place of CPUs, if it names a model: cores and devices
	// that are compiled into the binary.
	Agent agent.Options
	// Lfence (--lfence) is after how many operations of a round the code of a thread
	// has an LFENCE, which bounds what an O3 core executes early, and again after a
	// squash; 0 means none.
	Lfence int
	// Background surrounds programs with further accesses, which are no part of
	// their logs; a Length of 0 means none.
	Background background.Options
	// Emit shapes the executable. Its Rounds and Seed are the job's, its Log follows
	// from Log and Yield is always on; a Spin of 0 means DefaultSpin.
	Emit elf.Options
	// Retries is how often a launch is repeated that failed for a reason which
	// another seed of the simulator avoids; 0 means DefaultRetries, -1 none.
	Retries int
	// Grace is the time between SIGTERM and SIGKILL; 0 means the sandbox's.
	Grace time.Duration
	// OnProgress, if not nil, receives the progress of simulations, possibly
	// from several goroutines.
	OnProgress func(Progress)
	_          struct{}
}

// Defaults of Options.
const (
	// DefaultSpin is some minutes of simulation at a barrier: about a hundred
	// times what a round of a hundred operations takes.
	DefaultSpin    = 1 << 17
	DefaultRetries = 2
)

// textOption is an option of se.py whose value is a word.
type textOption struct {
	name      string // of the flag
	value     *string
	byDefault string
	choices   []string // nil: a size
}

func (o *Options) texts() []textOption {
	return []textOption{
		{"cpu", &o.CPU, "timing", CPUs()},
		{"network", &o.Network, "simple", Networks()},
		{"l1d-size", &o.L1DSize, "512B", nil},
		{"l1i-size", &o.L1ISize, "4kB", nil},
		{"l2-size", &o.L2Size, "8kB", nil},
	}
}

// numberOption is an option of se.py whose value is a number; 0 is not passed
// on.
type numberOption struct {
	name             string // of the flag
	value            *int
	byDefault, least int
	powerOfTwo       bool
}

func (o *Options) numbers() []numberOption {
	return []numberOption{
		{"cores", &o.Cores, 0, 0, false},
		{"l1d-assoc", &o.L1DAssoc, 2, 1, false},
		{"l1i-assoc", &o.L1IAssoc, 2, 1, false},
		{"l2-assoc", &o.L2Assoc, 4, 1, false},
		{"l2-banks", &o.L2Banks, 1, 1, true},
		{"dirs", &o.Dirs, 1, 1, true},
		{"link-latency", &o.LinkLatency, 1, 1, false},
		{"deadlock-threshold", &o.DeadlockThreshold, 0, 0, false},
		{"livelock-threshold", &o.LivelockThreshold, 0, 0, false},
	}
}

func (o Options) withDefaults() Options {
	for _, t := range o.texts() {
		*t.value = cmp.Or(*t.value, t.byDefault)
	}
	for _, n := range o.numbers() {
		*n.value = cmp.Or(*n.value, n.byDefault)
	}
	o.Log = cmp.Or(o.Log, LogAuto)
	o.Emit.Spin = cmp.Or(o.Emit.Spin, DefaultSpin)
	o.Retries = max(cmp.Or(o.Retries, DefaultRetries), 0)
	o.Mutation.Timeout = cmp.Or(o.Mutation.Timeout, DefaultRebuild)
	return o
}

// agents reports whether the tester runs programs, and not CPUs.
func (o *Options) agents() bool { return o.Agent.Model != "" }

// cores are what runs programs, in words.
func (o *Options) cores() string {
	if o.agents() {
		return o.Agent.Model + " cores of the tester"
	}
	return o.CPU + " cores"
}

var sizeForm = lazyregexp.New(`^[1-9][0-9]*(B|kB|KiB|MB|MiB)$`)

// Validate reports everything that is wrong with the options: an option.Fault
// for each, joined. It does not access the files that they name.
func (o Options) Validate() error {
	o = o.withDefaults()
	var faults []option.Fault
	fault := func(name, format string, args ...any) { faults = append(faults, option.Faultf(name, format, args...)) }
	if o.Binary == "" {
		fault("gem5", "is missing: want the path of a gem5 binary")
	}
	if o.Tree == "" {
		fault("gem5-tree", "is missing: want the path of a gem5 source tree")
	}
	for _, t := range o.texts() {
		switch {
		case t.choices != nil && !slices.Contains(t.choices, *t.value):
			fault(t.name, "unknown value %q: want %s", *t.value, strings.Join(t.choices, ", "))
		case t.choices == nil && !sizeForm().MatchString(*t.value):
			fault(t.name, "%q: want a size as 512B or 4kB", *t.value)
		}
	}
	for _, n := range o.numbers() {
		switch {
		case n.powerOfTwo && (*n.value < 1 || *n.value&(*n.value-1) != 0):
			fault(n.name, "%d: want a power of two", *n.value)
		case *n.value < n.least:
			fault(n.name, "%d: want at least %d", *n.value, n.least)
		}
	}
	if o.agents() {
		faults = append(faults, o.Agent.Faults()...)
		for i, given := range []bool{o.StoreOrder, o.Background.Length != 0, o.Lfence != 0, o.Log != LogAuto} {
			if given {
				fault([]string{"store-order", "background", "lfence", "log"}[i], "with agent: is an option of CPUs, which the tester replaces")
			}
		}
	}
	if l := o.Background.Length; l < 0 || l > background.MaxLength {
		fault("background", "%d: want 0 to %d", l, background.MaxLength)
	}
	if n := o.Background.Lead; n < 0 || n > background.MaxLead {
		fault("background-lead", "%d: want 0 to %d", n, background.MaxLead)
	}
	if n := o.Background.Threads; n < 0 || n > gen.MaxThreads {
		fault("background-threads", "%d: want 0 to %d", n, gen.MaxThreads)
	}
	if !slices.Contains(Logs(), o.Log) {
		fault("log", "unknown value %q: want %s", o.Log, strings.Join(Logs(), ", "))
	}
	if len(o.Mutation.Changes) > 0 && len(o.Mutation.Rebuild) == 0 {
		fault("rebuild", "is missing: a mutant or repair needs a command that rebuilds gem5")
	}
	if o.Emit.Jitter < 0 || o.Emit.Jitter > elf.MaxJitter {
		fault("stagger", "%d: want 0 to %d", o.Emit.Jitter, elf.MaxJitter)
	}
	if o.Lfence < 0 || o.Lfence > math.MaxInt32 {
		fault("lfence", "%d: want at least 0", o.Lfence)
	}
	if o.MaxTicks < 0 {
		fault("max-ticks", "%d: want at least 0", o.MaxTicks)
	}
	return option.Join(faults)
}

// machine is the part of se.py's command line that describes the machine.
func (o Options) machine() []string {
	words := []string{"--tree", o.Tree}
	for _, t := range o.texts() {
		words = append(words, "--"+t.name, *t.value)
	}
	for _, n := range o.numbers() {
		if *n.value > 0 {
			words = append(words, "--"+n.name, strconv.Itoa(*n.value))
		}
	}
	if o.Evictions {
		words = append(words, "--evictions")
	}
	if o.MaxTicks > 0 {
		words = append(words, "--max-ticks", strconv.FormatInt(o.MaxTicks, 10))
	}
	if o.Protocol != "" {
		words = append(words, "--protocol", o.Protocol)
	}
	for _, option := range o.TreeOptions {
		words = append(words, "--tree-option="+option)
	}
	return words
}
