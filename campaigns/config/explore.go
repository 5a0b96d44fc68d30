package config

import (
	"slices"

	"ordeal/gen/option"
	"ordeal/sim/builtin/core"
	"ordeal/sim/explore"
	"ordeal/sim/explore/liveness"
	"ordeal/sim/explore/machine"
	"ordeal/sim/ruby"
)

// Explore describes an exploration: what may happen on a Machine, and where the
// search ends. The zero value of an option stands for its default.
type Explore struct {
	Lines        int      `yaml:"lines" json:"lines,omitempty" schema:"min=0,max=16,zero=1" help:"number of lines that are accessed; those of a directory and bank lie in one set of every cache"`
	Words        int      `yaml:"words" json:"words,omitempty" schema:"min=0,max=8,zero=1" help:"number of words of each line that are accessed"`
	Values       int      `yaml:"values" json:"values,omitempty" schema:"min=0,max=64,zero=2" help:"number of values of a word that are distinguished by their age: the last written one and the older ones; 1 leaves data out"`
	Outstanding  int      `yaml:"outstanding" json:"outstanding,omitempty" schema:"min=0,max=16,zero=1" help:"most accesses of a core under way"`
	DMA          int      `yaml:"dma" json:"dma,omitempty" schema:"min=0,max=8" help:"number of devices, which read and write any line at any time"`
	Depth        int      `yaml:"channel-depth" json:"channel-depth,omitempty" schema:"min=0,max=100,zero=4" help:"messages under way in one channel at most"`
	Unordered    []string `yaml:"unordered" json:"unordered,omitempty" help:"buffers whose messages from other controllers arrive in any order, as MACHINE.buffer"`
	Shape        []string `yaml:"shape" json:"shape,omitempty" help:"critical cycles that the cores run in place of any access at any time, with every placement of their threads, or all"`
	IdleLoads    int      `yaml:"idle-loads" json:"idle-loads,omitempty" schema:"min=0,max=16" help:"with programs: loads of any line that every core may make at any time, whose values are ignored"`
	OutcomesOnly bool     `yaml:"outcomes-only" json:"outcomes-only,omitempty" help:"with programs: leave out states from which no outcome can be reached that the model forbids, or that random runs have not shown; other properties are checked in the states that are left"`
	NoSymmetry   bool     `yaml:"no-symmetry" json:"no-symmetry,omitempty" help:"tell states apart that are permutations of each other's cores and lines"`
	Liveness     string   `yaml:"liveness" json:"liveness,omitempty" schema:"values=fairness,empty=not checked" help:"look for requests that need never be answered when what is possible for ever (weak) or again and again (strong) happens some time; without symmetry"`
	Ignore       []string `yaml:"ignore" json:"ignore,omitempty" schema:"values=properties" help:"properties that are not checked"`
	KeepGoing    bool     `yaml:"keep-going" json:"keep-going,omitempty" help:"go on behind a violation, and show the first one of each title"`
	Fingerprint  int      `yaml:"fingerprint" json:"fingerprint,omitempty" schema:"min=0,max=128,unit=bits,zero=128" help:"length of the fingerprints of states, 64 or 128"`
	MaxStates    uint64   `yaml:"max-states" json:"max-states,omitempty" schema:"zero=no limit" help:"end after this number of states"`
	MaxDepth     int      `yaml:"max-depth" json:"max-depth,omitempty" schema:"min=0,unit=steps,zero=no limit" help:"end at this distance from the initial state"`
	MaxTime      Duration `yaml:"max-time" json:"max-time,omitempty" schema:"min=0,zero=no limit" help:"end after this time"`
	MaxMemory    Size     `yaml:"max-memory" json:"max-memory,omitempty" schema:"zero=four fifths of what is available" help:"end before the search takes more memory"`
}

// ProgramKeys and FreeKeys are the keys that count where cores run programs only, and those that have
// no meaning there.
var (
	ProgramKeys = []string{"idle-loads", "outcomes-only"}
	FreeKeys    = []string{"lines", "words", "values", "outstanding", "no-symmetry", "liveness"}
)

// programFaults are keys of a configuration of a campaign that contradict its programs.
func (e *Explore) programFaults() []option.Fault {
	given := map[string]bool{
		"idle-loads": e.IdleLoads > 0, "outcomes-only": e.OutcomesOnly,
		"lines": e.Lines > 0, "words": e.Words > 0, "values": e.Values > 0, "outstanding": e.Outstanding > 0,
		"no-symmetry": e.NoSymmetry, "liveness": e.Liveness != "",
	}
	keys, format := ProgramKeys, "counts for programs only: want shape"
	if len(e.Shape) > 0 {
		keys, format = FreeKeys, "contradicts shape, whose programs say what is accessed, and come to an end"
	}
	var faults []option.Fault
	for _, key := range keys {
		if given[key] {
			faults = append(faults, option.Faultf(key, "%s", format))
		}
	}
	return faults
}

// FairnessNames are the values of Explore.Liveness.
func FairnessNames() []string { return []string{liveness.Weak.String(), liveness.Strong.String()} }

// Ignored are the properties that are not checked.
func (e *Explore) Ignored() []machine.Property {
	var list []machine.Property
	for _, name := range e.Ignore {
		var p machine.Property
		if p.UnmarshalText([]byte(name)) == nil { // else a fault of the option
			list = append(list, p)
		}
	}
	return list
}

// Geometry of the caches of an explored machine that names none: as small as
// can be, so that lines replace each other.
const exploredCache = "1x1"

// DefaultExploredCores is the number of cores of an explored machine that names
// none.
const DefaultExploredCores = 2

// Explored is the machine that an exploration visits. The error joins an
// option.Fault for each option that is unusable.
func Explored(m Machine, e *Explore) (explore.Config, error) { return ExploredWith(nil, m, e) }

// ExploredWith is Explored with the protocol of the machine, if that is compiled
// already.
func ExploredWith(compiled *ruby.Protocol, m Machine, e *Explore) (explore.Config, error) {
	if m.PrivateCache == "" {
		m.PrivateCache = exploredCache
	}
	if m.SharedCache == "" {
		m.SharedCache = exploredCache
	}
	if m.Cores == 0 && m.MachineFile == "" {
		m.Cores = DefaultExploredCores
	}
	var c explore.Config
	faults := e.faults(&m)
	if !m.Coherent() {
		return c, option.Join(faults)
	}
	o, err := m.Builtin()
	faults = append(faults, option.Faults(err, "protocol")...)
	if len(faults) > 0 {
		return c, option.Join(faults)
	}
	o.Core = core.TSO
	if compiled != nil {
		o = o.With(compiled)
	}
	protocol, system, err := o.Coherent()
	if err != nil {
		return c, err
	}
	system.Devices = e.DMA
	c = explore.Config{
		Protocol: protocol, System: system, Lines: e.Lines, Words: e.Words, Values: e.Values, Outstanding: e.Outstanding, Depth: e.Depth, Unordered: e.Unordered,
		Symmetry: !e.NoSymmetry && e.Liveness == "" && system.Layout == nil,
	}
	return c, c.Validate()
}

// faults are what is wrong with an exploration whatever the protocol is.
func (e *Explore) faults(m *Machine) []option.Fault {
	faults := Rules.Check(e)
	if e.Fingerprint != 0 && e.Fingerprint != 64 && e.Fingerprint != 128 {
		faults = append(faults, option.Faultf("fingerprint", "%d bits: want 64 or 128", e.Fingerprint))
	}
	if e.Liveness != "" && e.Fingerprint == 64 {
		faults = append(faults, option.Faultf("liveness", "contradicts --fingerprint 64: want numbers of states without doubt"))
	}
	if e.Liveness != "" && slices.Contains(e.Ignore, machine.Livelock.String()) {
		faults = append(faults, option.Faultf("ignore", "livelock contradicts --liveness"))
	}
	if !m.Coherent() {
		faults = append(faults, option.Faultf("protocol", "%q has no states to explore: want a coherence protocol, or --slicc", m.Protocol))
	}
	return faults
}
