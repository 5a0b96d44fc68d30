package exploration

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"ordeal/campaigns/internal/messages"
	"ordeal/sim"
	"ordeal/sim/explore"
	"ordeal/sim/explore/machine"
	"ordeal/sim/explore/search"
)

// Result is explored.json: what was visited, and what was found.
type Result struct {
	Version int `json:"version"`
	// Limit is what ended the search before everything was visited; empty: all
	// was.
	Limit search.Limit `json:"limit,omitempty"`
	// Orbits counts the states up to symmetry, of which Expanded have had their
	// steps taken; States counts all states of these.
	Orbits   uint64 `json:"orbits"`
	Expanded uint64 `json:"expanded"`
	States   uint64 `json:"states"`
	Steps    uint64 `json:"steps"`
	Depth    int    `json:"depth"`
	// Symmetry says which names make no difference, so that states that differ
	// only in them are one orbit: "cores and lines", "cores", "lines" or "none".
	// Ranked says that the protocol treats some names otherwise than others, so
	// that fewer are renamed.
	Symmetry string   `json:"symmetry"`
	Ranked   bool     `json:"ranked,omitempty"`
	Levels   []uint64 `json:"levels"`
	// Digest is a hash of the graph: complete explorations with the same states and
	// steps have the same.
	Digest uint64 `json:"digest"`
	// BytesPerState is the memory of a visited orbit, Components that of the
	// machine's tables, in bytes.
	BytesPerState float64 `json:"bytes_per_state"`
	Components    int64   `json:"components"`
	// Omission bounds the probability that a state was taken for another one.
	Omission float64       `json:"omission_probability"`
	Findings []Finding     `json:"findings"`
	Coverage sim.Coverage  `json:"rows"`
	Elapsed  time.Duration `json:"elapsed_ns"`
	// Checkpoint says that the search can be continued.
	Checkpoint bool `json:"checkpoint,omitempty"`
	_          struct{}
}

// Complete reports whether everything was visited.
func (r *Result) Complete() bool { return r.Limit == search.NoLimit }

// Finding is a violation with a shortest path to it.
type Finding struct {
	Property machine.Property `json:"property"`
	Title    string           `json:"title"`
	Failure  sim.Failure      `json:"failure"`
	Detail   string           `json:"detail,omitempty"`
	// Steps are the steps from the initial state; the last is the one that
	// fails, if the state after them does not. The last Cycle of them repeat for
	// ever.
	Steps []string `json:"steps"`
	Cycle int      `json:"cycle,omitempty"`
	// State is the last state.
	State string `json:"state"`
	// Program is what the cores ran; nil: any access at any time.
	Program *Program `json:"program,omitempty"`
	// Schedule is the file of the steps in the directory.
	Schedule string `json:"schedule,omitempty"`
}

func newResult(m *explore.Machine, found *search.Result) *Result {
	return &Result{
		Version: Version, Limit: found.Limit, Orbits: found.Orbits, Expanded: found.Expanded, States: found.States,
		Steps: found.Steps, Depth: found.Depth, Symmetry: m.Symmetry(), Ranked: m.Ranked(), Levels: found.Levels, Digest: found.Digest, BytesPerState: found.BytesPerState(),
		Components: found.ComponentBytes, Omission: found.OmissionProbability, Coverage: found.Coverage, Findings: []Finding{},
	}
}

func newFinding(m machine.Machine, fault machine.Fault, path *search.Path) Finding {
	f := Finding{
		Property: fault.Property, Title: fault.Title(), Failure: fault.Failure, Detail: fault.Detail, Steps: []string{},
		State: m.Describe(path.States[len(path.States)-1]),
	}
	for _, step := range path.Steps {
		f.Steps = append(f.Steps, step.String())
	}
	return f
}

// Head is the property and what is wrong.
func (f *Finding) Head() string {
	if property := f.Property.String() + ": "; !strings.HasPrefix(f.Title, property) {
		return property + f.Title
	}
	return f.Title
}

// text is the schedule, a step a line.
func (f *Finding) text() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n", messages.EscapeLine(f.Head()))
	for i, step := range f.Steps {
		if f.Cycle > 0 && i == len(f.Steps)-f.Cycle {
			fmt.Fprintln(&out, "# from here on for ever")
		}
		fmt.Fprintln(&out, step)
	}
	return out.Bytes()
}
