package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/sim"
)

// Campaign is what a campaign file says: which programs to run how often,
// where, and what to expect of them. Everything but timing is a function of
// the file, the seed and the run number.
type Campaign struct {
	// Name stands in run directories and reports.
	Name string `yaml:"name" schema:"form=name,required"`
	// Seed is what programs and simulators are seeded from, together with the
	// number of the run.
	Seed uint64 `yaml:"seed"`
	// Sim is the simulator of configurations that name no other.
	Sim string `yaml:"sim" schema:"values=sims"`
	// Workers is how many runs are in flight at a time.
	Workers int `yaml:"workers" schema:"min=0,max=4096,zero=one per core"`
	// Keep says which run directories stay: those of findings and an example of
	// each kind of run that passed, or all.
	Keep Keep `yaml:"keep" schema:"values=keeps"`
	// Budget ends the campaign after that time.
	Budget Duration `yaml:"budget" schema:"min=0,zero=no limit"`
	// Stop ends the campaign early.
	Stop Stop `yaml:"stop"`
	// Timeout bounds the time of one run.
	Timeout Duration `yaml:"timeout" schema:"min=0"`
	// CheckTimeout bounds the time of judging one run by one model; the verdict
	// is unknown then.
	CheckTimeout Duration `yaml:"check-timeout" schema:"min=0"`
	// Memory bounds the memory of one run.
	Memory Size `yaml:"memory" schema:"zero=no bound"`
	// LogSize bounds what one run may print.
	LogSize Size `yaml:"log-size" schema:"zero=no bound"`
	// OnTrouble says what to do about a run that could not be made: go on, and
	// give up after ten in a row (continue), or end the campaign (stop).
	OnTrouble OnInfraError `yaml:"on-trouble" schema:"values=troubles"`
	// Reduce is how long the first run of each finding is shrunk.
	Reduce Duration `yaml:"reduce" schema:"min=0,zero=not at all"`
	// Configs are the kinds of run. Runs of all of them interleave.
	Configs []Config `yaml:"configs" schema:"required"`
}

// Config is one kind of run.
type Config struct {
	// Name tells this kind of run from the others.
	Name string `yaml:"name" json:"name" schema:"form=name,required"`
	// Sim is the simulator of these runs; empty means the campaign's.
	Sim string `yaml:"sim" json:"sim,omitempty" schema:"values=sims,empty=that of the campaign"`
	// Runs is how many runs of this kind the campaign makes.
	Runs int `yaml:"runs" json:"runs" schema:"min=1,max=10000000"`
	// Programs describes the program of each run.
	Programs `yaml:",inline" json:"programs"`
	// Machine is what to simulate, with the embedded simulator.
	Machine `yaml:",inline" json:"machine,omitzero"`
	// Gem5 is the gem5 to run, with gem5.
	Gem5 `yaml:",inline" json:"gem5,omitzero"`
	// Bug says that a fault is planted, by `mutant` or `core-bugs`: the
	// configuration is a canary, whose runs ought to fail. That they do is no
	// finding; that none of them does is one, unless the fault is equivalent.
	Bug *Bug `yaml:"bug" json:"bug,omitempty"`
	// Expect is the model that the simulator promises: a history that it
	// forbids is a violation.
	Expect string `yaml:"expect" json:"expect" schema:"values=models"`
	// Classify lists further models whose verdicts are only counted.
	Classify []string `yaml:"classify" json:"classify" schema:"values=classes"`
}

// Stop says when to end a campaign before its runs are done.
type Stop struct {
	// Findings is a number of different findings: 1 stops at the first.
	Findings int `yaml:"findings" schema:"min=0,zero=never"`
	// Same is a number of runs of one finding.
	Same int `yaml:"same" schema:"min=0,zero=never"`
}

// Bug describes a planted fault.
type Bug struct {
	// Known is what papers or trackers call the fault.
	Known string `yaml:"known" json:"known,omitempty"`
	// About says what goes wrong.
	About string `yaml:"about" json:"about"`
	// By lists the outcomes that may show the fault; empty means any.
	By []string `yaml:"by" json:"by,omitempty" schema:"values=outcomes"`
	// Budget is how many operations the fault may need to show: a canary that
	// made fewer is not missed yet, and `ordeal mutate bugs` gives each seed as
	// many at least.
	Budget int `yaml:"budget" json:"budget,omitempty" schema:"min=0,unit=operations,zero=those of its runs"`
	// Equivalent says why nothing can show the fault: a negative control.
	Equivalent string `yaml:"equivalent" json:"equivalent,omitempty"`
}

// Keep says which run directories a campaign keeps.
type Keep string

// The keeping policies. Whatever the policy, every run leaves a line in
// runs.jsonl from which it can be made again.
const (
	// KeepFindings removes the directory of a run that passed, except the
	// first of each configuration with the same answers of the same models.
	KeepFindings Keep = "findings"
	// KeepAll keeps every run directory.
	KeepAll Keep = "all"
)

// Duration is a time.Duration written as in "1m30s".
type Duration time.Duration

// UnmarshalText reads the form that time.ParseDuration reads.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration: want as 90s, 1m30s or 8h", text)
	}
	*d = Duration(v)
	return nil
}

// MarshalText writes the form that UnmarshalText reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// Defaults is the campaign of an empty file: everything not written in a
// campaign file is as here.
func Defaults() Campaign {
	return Campaign{
		Seed: 1, Sim: "host", Keep: KeepFindings, OnTrouble: InfraContinue,
		Timeout: Duration(time.Minute), CheckTimeout: Duration(time.Minute),
	}
}

// UnmarshalYAML reads a configuration over DefaultConfig.
func (c *Config) UnmarshalYAML(node *yaml.Node) error {
	type plain Config // without this method
	*c = DefaultConfig()
	return node.Decode((*plain)(c))
}

// DefaultConfig is the configuration of an empty mapping.
func DefaultConfig() Config {
	return Config{Runs: 1, Programs: DefaultPrograms(), Expect: "tso", Classify: []string{"sc"}}
}

// Models lists the models that judge a run: the expected one first.
func (c *Config) Models() ([]model.Model, error) {
	return ParseModels(strings.Join(append([]string{c.Expect}, c.Classify...), ","))
}

// Runs is the number of runs of the whole campaign.
func (c *Campaign) Runs() int {
	n := 0
	for i := range c.Configs {
		n += c.Configs[i].Runs
	}
	return n
}

// SimOf is the simulator of a configuration.
func (c *Campaign) SimOf(cfg *Config) string { return cmp.Or(cfg.Sim, c.Sim) }

// Number gives the configuration and the program of run number n, counted from
// 0, and the seed of its simulator.
func (c *Campaign) Number(n int) (cfg *Config, p *gen.Program, seed uint64, err error) {
	order := c.Schedule()
	if n < 0 || n >= len(order) {
		return nil, nil, 0, fmt.Errorf("run %d: the campaign has %d runs, counted from 0", n, len(order))
	}
	cfg = &c.Configs[order[n]]
	p, err = cfg.Programs.Program(c.Seed, n)
	return cfg, p, c.Seed + uint64(n), err
}

// MaxRuns bounds the runs of a campaign, maxWorkers those in flight.
const (
	MaxRuns    = 10_000_000
	maxWorkers = 4096
)

// bugOutcomes are the outcomes that may show a fault.
func bugOutcomes() []sim.Outcome {
	return []sim.Outcome{sim.Violation, sim.Corrupt, sim.Crash, sim.Deadlock, sim.Timeout}
}

// faults lists what is wrong with the description of a planted fault.
func (b *Bug) faults() []fault {
	var faults []fault
	for _, by := range b.By {
		if !slices.ContainsFunc(bugOutcomes(), func(o sim.Outcome) bool { return o.String() == by }) {
			faults = append(faults, fault{"by", fmt.Sprintf("%q is no outcome that shows a fault: want violation, corrupt, crash, deadlock or timeout", by)})
		}
	}
	if b.Budget < 0 {
		faults = append(faults, fault{"budget", fmt.Sprintf("%d is negative", b.Budget)})
	}
	return faults
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._+-]*$`)

// validate reports everything that keeps c from running. At turns the path of
// a value into its place for messages.
func (c *Campaign) validate(at func(path ...string) string) error {
	var faults []error
	fault := func(path []string, format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s: %s: %s", at(path...), path[len(path)-1], fmt.Sprintf(format, args...)))
	}
	if !nameForm.MatchString(c.Name) {
		fault([]string{"name"}, "%q is not a name (lowercase letters, digits, . _ + -)", c.Name)
	}
	if c.Keep != KeepAll && c.Keep != KeepFindings {
		fault([]string{"keep"}, "%q is neither %q nor %q", c.Keep, KeepFindings, KeepAll)
	}
	if !slices.Contains(Sims(), c.Sim) {
		fault([]string{"sim"}, "unknown simulator %q (known: %s)", c.Sim, strings.Join(Sims(), ", "))
	}
	if c.OnTrouble != InfraContinue && c.OnTrouble != InfraStop {
		fault([]string{"on-trouble"}, "%q is neither %q nor %q", c.OnTrouble, InfraContinue, InfraStop)
	}
	for _, n := range []struct {
		path  []string
		value int
	}{{[]string{"workers"}, c.Workers}, {[]string{"stop", "findings"}, c.Stop.Findings}, {[]string{"stop", "same"}, c.Stop.Same}} {
		if n.value < 0 {
			fault(n.path, "%d is negative", n.value)
		}
	}
	if c.Workers > maxWorkers {
		fault([]string{"workers"}, "%d: want at most %d", c.Workers, maxWorkers)
	}
	for _, d := range []struct {
		key string
		d   Duration
	}{{"budget", c.Budget}, {"timeout", c.Timeout}, {"check-timeout", c.CheckTimeout}, {"reduce", c.Reduce}} {
		if d.d < 0 {
			fault([]string{d.key}, "%v is negative", time.Duration(d.d))
		}
	}
	if len(c.Configs) == 0 {
		fault([]string{"configs"}, "no configuration")
	}
	seen := make(map[string]bool)
	total := 0
	for i := range c.Configs {
		cfg := &c.Configs[i]
		path := func(key string) []string { return []string{"configs", fmt.Sprint(i), key} }
		if !nameForm.MatchString(cfg.Name) {
			fault(path("name"), "%q is not a name (lowercase letters, digits, . _ + -)", cfg.Name)
		} else if seen[cfg.Name] {
			fault(path("name"), "%q names two configurations", cfg.Name)
		}
		seen[cfg.Name] = true
		if cfg.Runs < 1 {
			fault(path("runs"), "%d is not a positive number", cfg.Runs)
		} else if total += cfg.Runs; cfg.Runs > MaxRuns || total > MaxRuns {
			fault(path("runs"), "%d: want at most %d in the whole campaign", cfg.Runs, MaxRuns)
			total = 0
		}
		if cfg.Sim != "" && !slices.Contains(Sims(), cfg.Sim) {
			fault(path("sim"), "unknown simulator %q (known: %s)", cfg.Sim, strings.Join(Sims(), ", "))
		}
		if !slices.Contains(ModelNames(), cfg.Expect) {
			fault(path("expect"), "unknown model %q (known: %s)", cfg.Expect, strings.Join(ModelNames(), ", "))
		}
		if cfg.Bug != nil {
			for _, f := range cfg.Bug.faults() {
				fault([]string{"configs", fmt.Sprint(i), "bug", f.key}, "%s", f.message)
			}
		}
		for _, name := range cfg.Classify {
			if _, err := ParseModels(name); err != nil {
				fault(path("classify"), "%v", err)
			} else if name == cfg.Expect {
				fault(path("classify"), "%q is the expected model already", name)
			}
		}
		for _, f := range append(cfg.Programs.faults(), cfg.machineFaults(c.SimOf(cfg))...) {
			fault(path(f.key), "%s", f.message)
		}
	}
	return errors.Join(faults...)
}

// canary reports whether the runs of c ought to fail.
func (c *Config) Canary() bool { return c.Bug != nil && c.Bug.Equivalent == "" }

// shows reports whether a failing run shows the fault.
func (b *Bug) Shows(o sim.Outcome) bool { return len(b.By) == 0 || slices.Contains(b.By, o.String()) }

// system is what the runs of a configuration test: the same fault of two
// protocols is two findings, that of two kinds of core on one protocol is one.
func (c *Config) System(simulator string) string {
	words := []string{simulator}
	switch {
	case c.SLICC != "":
		words = append(words, filepath.Base(c.SLICC))
	case c.Protocol != "":
		words = append(words, c.Protocol)
	}
	if c.Bug != nil || c.Mutant != "" || len(c.CoreBugs) > 0 { // each planted fault is one
		words = append(words, c.Name)
	}
	return strings.Join(words, " ")
}
