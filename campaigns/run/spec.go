package run

import (
	"path/filepath"
	"time"

	"ordeal/campaigns/config"
	"ordeal/gen"
	"ordeal/sim"
)

// FormatVersion is the version of run.json, result.json and the journal.
const FormatVersion = 1

// Spec is run.json: everything that defines a run, written before it starts.
type Spec struct {
	Version  int           `json:"version"`
	Campaign string        `json:"campaign,omitempty"` // empty for ordeal run
	Seed     uint64        `json:"seed"`
	Number   int           `json:"number"`
	Sim      string        `json:"sim"`
	Config   config.Config `json:"config"`
	// Program is the SHA-256 of program.txt, in hexadecimal.
	Program string          `json:"program"`
	Timeout config.Duration `json:"timeout"`
	// Memory and LogSize bound the run; see config.Campaign.
	Memory  config.Size `json:"memory,omitempty"`
	LogSize config.Size `json:"log_size,omitempty"`
	// Batch lists the runs that were executed in one launch, in order; empty
	// for a run alone.
	Batch   []int             `json:"batch,omitempty"`
	Command []string          `json:"command"`
	Tools   map[string]string `json:"tools"`
	Started time.Time         `json:"started"`
	_       struct{}
}

// SimSeed is the seed of the simulator.
func (s *Spec) SimSeed() uint64 { return s.Seed + uint64(s.Number) }

// SetProgram makes p the program of the run, and returns its text.
func (s *Spec) SetProgram(p *gen.Program) []byte {
	text := p.Text()
	s.Version, s.Program = FormatVersion, Hash(text)
	return text
}

// Job is the simulator's job of the run of p in dir.
func (s *Spec) Job(dir Dir, p *gen.Program) (sim.Job, error) {
	// The simulator works in the directory, so the path must be absolute.
	abs, err := filepath.Abs(string(dir))
	return sim.Job{
		Program: p, Rounds: s.Config.Rounds, Seed: s.SimSeed(),
		Dir: abs, Timeout: time.Duration(s.Timeout), Memory: int64(s.Memory), LogSize: int64(s.LogSize),
	}, err
}
