package rundir

import (
	"path/filepath"
	"time"

	"ordeal/campaigns/config"
	"ordeal/gen"
	"ordeal/sim"
)

// RecordVersion is the version of run.json and verdict.json.
const RecordVersion = 1

// Record is run.json: everything that makes a run, written before it starts.
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
	// Memory and LogSize bound the run; see Campaign.
	Memory  config.Size `json:"memory,omitempty"`
	LogSize config.Size `json:"log_size,omitempty"`
	// Batch lists the runs that were made in one launch, in order; empty for
	// a run alone.
	Batch   []int             `json:"batch,omitempty"`
	Command []string          `json:"command"`
	Tools   map[string]string `json:"tools"`
	Started time.Time         `json:"started"`
	_       struct{}
}

// job is what a simulator is told of a run.
func (r *Spec) Job(dir Dir, p *gen.Program) (sim.Job, error) {
	// The simulator works in the directory, so the path must not depend on
	// where this process works.
	abs, err := filepath.Abs(string(dir))
	return sim.Job{
		Program: p, Rounds: r.Config.Rounds, Seed: r.Seed + uint64(r.Number),
		Dir: abs, Timeout: time.Duration(r.Timeout), Memory: int64(r.Memory), LogSize: int64(r.LogSize),
	}, err
}
