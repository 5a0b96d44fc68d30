package config

import (
	"math/rand/v2"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
)

// Programs describes a family of programs and how often to execute them; a
// seed and a number pick one program.
type Programs struct {
	gen.Options `yaml:",inline"`
	Rounds      int    `yaml:"rounds" json:"rounds" schema:"min=1" help:"executions of the program in one run"`
	Sync        string `yaml:"sync" json:"sync" schema:"values=syncs" help:"how threads proceed from round to round: without waiting (free), together (round), or as suits the simulator (auto)"`
}

// The values of Programs.Sync.
const (
	SyncAuto  = "auto"
	SyncFree  = "free"
	SyncRound = "round"
)

// DefaultPrograms are those of gen.Defaults, executed a hundred times.
func DefaultPrograms() Programs {
	return Programs{Options: gen.Defaults(), Rounds: 100, Sync: SyncAuto}
}

// Operations are those of one run of a program of the family, its rounds counted. A journal does
// not have those of a run whose log is no history.
func (p *Programs) Operations() int { return p.Threads * p.Ops * p.Rounds }

// Program draws program number of the family from seed.
func (p *Programs) Program(seed uint64, number int) (*gen.Program, error) {
	return gen.Random(rand.New(rand.NewPCG(seed, uint64(number))), p.Options)
}

// EmitOptions are the options of executables that run programs of family p.
func (p *Programs) EmitOptions() elf.Options {
	o := elf.Options{Rounds: p.Rounds}
	switch p.Sync {
	case SyncFree:
		o.Sync = elf.SyncFree
	case SyncRound:
		o.Sync, o.Every = elf.SyncRound, 1
	}
	return o
}
