package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config/document"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/sim"
)

// Campaign is the content of a campaign file: which programs to run how often,
// where, and what to expect of them. Everything but timing is a function of
// the file, the seed and the run number.
type Campaign struct {
	Name           string       `yaml:"name" schema:"form=name,required" help:"name of the campaign, for run directories and reports"`
	Seed           uint64       `yaml:"seed" help:"seed of programs and simulators; the runs of a campaign add their numbers"`
	Sim            string       `yaml:"sim" schema:"values=sims" help:"simulator; a configuration may name another one"`
	Total          int          `yaml:"runs" schema:"min=0,max=10000000,zero=the runs of the configurations" help:"number of runs of the whole campaign; beyond those of the configurations, these take turns again, without explorations"`
	Workers        int          `yaml:"workers" schema:"min=0,max=4096,zero=one per core" help:"number of concurrent runs"`
	Keep           Keep         `yaml:"keep" schema:"values=keeps" help:"run directories to keep: those of findings and an example of each kind of run that passed (findings), or every one (all)"`
	KeepPerFinding int          `yaml:"keep-per-finding" schema:"min=1" help:"most run directories of one finding to keep with keep: findings: the first ones, the first of other configurations and the smallest"`
	Known          []Known      `yaml:"known" help:"known issues: findings to report apart, which do not make the campaign fail"`
	Budget         Duration     `yaml:"budget" schema:"min=0,zero=no limit" help:"time after which the campaign ends"`
	AnyLatency     bool         `yaml:"any-latency" help:"findings in a protocol of gem5 that need latencies which its simple network does not produce make the campaign fail, too"`
	Stop           Stop         `yaml:"stop" help:"conditions that end the campaign early"`
	Timeout        Duration     `yaml:"timeout" schema:"min=0" help:"longest time of one run"`
	CheckTimeout   Duration     `yaml:"check-timeout" schema:"min=0" help:"longest time of checking one run against one model; the verdict is unknown after it"`
	Memory         Size         `yaml:"memory" sim:"host,gem5" schema:"zero=no limit" help:"most memory that one run may use"`
	LogSize        Size         `yaml:"log-size" sim:"host,gem5" schema:"zero=no limit" help:"most output that one run may write"`
	OnInfraError   OnInfraError `yaml:"on-infra-error" schema:"values=policies" help:"after a run that could not be made: go on, and give up after ten such runs in a row (continue), or end the campaign (stop)"`
	Reduce         Duration     `yaml:"reduce" schema:"min=0,zero=no reduction" help:"longest time for reducing the first run of each finding"`
	Audit          *Audit       `yaml:"audit" help:"audit a protocol: each configuration is a way of searching, named by it (sample, faithful, cycles, guided, explore), and draws programs and machines by the results so far"`
	Configs        []Config     `yaml:"configs" schema:"required" help:"kinds of run; runs of all of them interleave"`
}

// Config is one kind of run.
type Config struct {
	Name     string `yaml:"name" json:"name" schema:"form=name,required" help:"name of this kind of run"`
	Sim      string `yaml:"sim" json:"sim,omitempty" schema:"values=sims,empty=that of the campaign" help:"simulator of these runs"`
	Runs     int    `yaml:"runs" json:"runs" schema:"min=1,max=10000000" help:"number of these runs in the campaign"`
	Programs `yaml:",inline" json:"programs"`
	Machine  `yaml:",inline" json:"machine,omitzero"`
	Gem5     `yaml:",inline" json:"gem5,omitzero"`
	// Explore makes the run an exploration of the machine; nil: programs run on it.
	Explore *Explore `yaml:"explore" json:"explore,omitempty" help:"explore all states of the machine in place of running a program; there is one such run"`
	// Bug makes the configuration a canary unless the bug is equivalent: that
	// runs fail is no finding, that none of them does is one.
	Bug      *Bug     `yaml:"bug" json:"bug,omitempty" help:"description of the bug that mutant or core-bugs inject; the configuration is a canary, whose runs ought to fail: if none does, that is a finding"`
	Expect   string   `yaml:"expect" json:"expect" schema:"values=models" help:"model that the simulator promises: a history that it forbids is a violation"`
	Classify []string `yaml:"classify" json:"classify" schema:"values=classes" help:"further models, whose verdicts are only counted"`
	// Environment has the variables in the values; nil: none.
	Environment *Environment `yaml:"-" json:"environment,omitempty"`
}

// Audit says where an audit ends. Its runs depend on the results of those before; how many there
// are is not known in advance.
type Audit struct {
	Steps uint64   `yaml:"steps" schema:"zero=no limit" help:"events of simulations and steps of explorations after which the audit ends"`
	CPU   Duration `yaml:"cpu-time" schema:"min=0,zero=no limit" help:"CPU time after which the audit ends"`
	Title string   `yaml:"title" schema:"empty=none" help:"end with the first finding of such a title; * is any text"`
}

// Stop says when to end a campaign before its runs are done.
type Stop struct {
	Findings int `yaml:"findings" schema:"min=0,zero=never" help:"stop after this number of different findings"`
	Same     int `yaml:"same" schema:"min=0,zero=never" help:"stop after this number of runs with the same finding"`
}

// Bug describes an injected bug.
type Bug struct {
	Known string   `yaml:"known" json:"known,omitempty" help:"name of the bug in papers or trackers"`
	About string   `yaml:"about" json:"about" help:"what goes wrong"`
	By    []string `yaml:"by" json:"by,omitempty" schema:"values=outcomes" help:"outcomes that may show the bug; empty means any"`
	// Budget is also what mutate bugs gives each seed at least.
	Budget     int    `yaml:"budget" json:"budget,omitempty" schema:"min=0,unit=operations,zero=those of its runs" help:"operations that the bug may need to show; a canary with fewer is not missed yet"`
	Equivalent string `yaml:"equivalent" json:"equivalent,omitempty" help:"reason why nothing can show the bug: a negative control"`
}

// Keep says which run directories a campaign keeps.
type Keep string

// The keeping policies. Whatever the policy, every run leaves a line in
// runs.jsonl from which it can be made again.
const (
	// KeepFindings removes the directory of a run that passed, except the
	// first of each configuration with the same verdicts.
	KeepFindings Keep = "findings"
	// KeepAll keeps every run directory.
	KeepAll Keep = "all"
)

// DefaultKeepPerFinding is Campaign.KeepPerFinding of an empty file.
const DefaultKeepPerFinding = 10

// OnInfraError says what a campaign does after a run that could not be made or
// checked: its simulator is missing, its directory cannot be written, a checker
// fails. Either way the run is moved to quarantine and reported.
type OnInfraError string

// The policies.
const (
	// InfraContinue goes on with the next run, and gives up after a number
	// of such runs in a row.
	InfraContinue OnInfraError = "continue"
	// InfraStop ends the campaign at the first such run.
	InfraStop OnInfraError = "stop"
)

// Duration is a time.Duration written as in "1m30s".
type Duration time.Duration

// String is the form that UnmarshalText reads.
func (d Duration) String() string { return time.Duration(d).String() }

// UnmarshalText reads the form that time.ParseDuration reads.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration: want as 90s, 1m30s or 8h", text)
	}
	*d = Duration(v)
	return nil
}

// MarshalText is String.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// The names of the simulators.
const (
	SimHost    = "host"
	SimBuiltin = "builtin"
	SimGem5    = "gem5"
)

// Sims lists the simulators by name.
func Sims() []string { return []string{SimHost, SimBuiltin, SimGem5} }

// Defaults is the campaign of an empty file.
func Defaults() Campaign {
	return Campaign{
		Seed: 1, Sim: SimHost, Keep: KeepFindings, KeepPerFinding: DefaultKeepPerFinding, OnInfraError: InfraContinue,
		Timeout: Duration(time.Minute), CheckTimeout: Duration(time.Minute),
	}
}

// UnmarshalYAML reads a configuration over DefaultConfig.
func (c *Config) UnmarshalYAML(node *yaml.Node) error {
	type plain Config // without this method
	*c = DefaultConfig()
	if err := node.Decode((*plain)(c)); err != nil {
		return err
	}
	if document.Child(node, "classify") == nil { // the default is for other models than the expected one
		c.Classify = slices.DeleteFunc(c.Classify, func(name string) bool { return name == c.Expect })
	}
	return nil
}

// DefaultConfig is the configuration of an empty mapping.
func DefaultConfig() Config {
	return Config{Runs: 1, Programs: DefaultPrograms(), Expect: "tso", Classify: []string{"sc"}}
}

// Models lists the models that a run is checked against: the expected one
// first.
func (c *Config) Models() ([]model.Model, error) {
	return ParseModels(strings.Join(append([]string{c.Expect}, c.Classify...), ","))
}

// Runs is the number of runs of the whole campaign; 0 of an audit, for which it is not known.
func (c *Campaign) Runs() int {
	if c.Audit != nil {
		return 0
	}
	return cmp.Or(c.Total, c.once())
}

// once is the number of runs in which each configuration has its own.
func (c *Campaign) once() int {
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

// Canary reports whether the runs of c ought to fail.
func (c *Config) Canary() bool { return c.Bug != nil && c.Bug.Equivalent == "" }

// Shows reports whether a failing run shows the bug.
func (b *Bug) Shows(o sim.Outcome) bool { return len(b.By) == 0 || slices.Contains(b.By, o.String()) }

// System names what the runs of a configuration test: the same fault of two
// protocols is two findings, that of two kinds of core on one protocol is one. An injected bug
// is part of it: mutants and bugs of cores by their names, another bug by that of the configuration.
func (c *Config) System(simulator string) string {
	words := []string{simulator}
	switch {
	case c.SLICC != "":
		words = append(words, filepath.Base(c.recorded("slicc", c.SLICC)))
	case c.Protocol != "":
		words = append(words, c.Protocol)
	}
	switch {
	case c.Mutant != "" || len(c.CoreBugs) > 0:
		if c.Mutant != "" {
			words = append(words, c.Mutant)
		}
		words = append(words, c.CoreBugs...)
	case c.Bug != nil:
		words = append(words, c.Name)
	}
	return strings.Join(words, " ")
}

// Injected reports whether a bug is injected.
func (c *Config) Injected() bool { return c.Bug != nil || c.Mutant != "" || len(c.CoreBugs) > 0 }
