package diagnose

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/trace"
)

// fileVersion is the version of the form that WriteTrace writes.
const fileVersion = 1

// Trace is a recorded trace.
type Trace struct {
	Events []trace.Event
	LineOf Lines
	Table  Table
	// LogHash is the SHA-256 of the log of the traced run, in hexadecimal.
	LogHash string
	_       struct{}
}

// fileHead is the first line of a recorded trace, fileEvent each line after it.
type fileHead struct {
	Version int    `json:"version"`
	LogHash string `json:"log_sha256"`
	// Lines are the addresses of the lines of the program's locations.
	Lines []int64 `json:"lines"`
}

type fileEvent struct {
	Event trace.Event `json:"event"`
	// Source and Actions are those of a transition.
	Source  string   `json:"source,omitempty"`
	Actions []string `json:"actions,omitempty"`
}

// around is how many events before and after those of the witness are recorded
// with them.
const around = 1000

// WriteTrace writes the events about the witness as JSON lines, which ReadTrace
// reads: those from shortly before the first request of the witness to shortly
// after its last access, and all writes to its locations.
func (c *Cause) WriteTrace(w io.Writer) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	head := fileHead{Version: fileVersion, LogHash: c.LogHash}
	for l := range c.program.Locations {
		head.Lines = append(head.Lines, c.lineOf(gen.LocID(l)))
	}
	if err := enc.Encode(head); err != nil {
		return err
	}
	first, last := len(c.Events), 0
	for _, j := range c.Joined {
		for _, i := range []int{j.Asked, j.Access} {
			if i >= 0 {
				first, last = min(first, i), max(last, i)
			}
		}
	}
	for i := range c.Events {
		e := &c.Events[i]
		if (i < first-around || i > last+around) && !(e.Kind == trace.Access && e.Writes) {
			continue
		}
		line := fileEvent{Event: *e}
		line.Source, line.Actions = c.source(e)
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// ReadTrace reads what WriteTrace has written about a run of p.
func ReadTrace(r io.Reader, p *gen.Program) (*Trace, error) {
	dec := json.NewDecoder(bufio.NewReader(r))
	var head fileHead
	if err := dec.Decode(&head); err != nil {
		return nil, fmt.Errorf("read trace: %w", err)
	}
	if head.Version != fileVersion || len(head.Lines) != len(p.Locations) {
		return nil, fmt.Errorf("read trace: version %d with %d locations, want version %d with the %d of the program", head.Version, len(head.Lines), fileVersion, len(p.Locations))
	}
	t := &Trace{LogHash: head.LogHash, LineOf: func(l gen.LocID) int64 { return head.Lines[l] }}
	sources := map[sim.Row]fileEvent{}
	for n := 2; ; n++ {
		var e fileEvent
		if err := dec.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read trace: line %d: %w", n, err)
		}
		if len(t.Events) == limit {
			return nil, fmt.Errorf("read trace: more than %d events", limit)
		}
		if e.Event.Loc < 0 || int(e.Event.Loc) >= len(p.Locations) || e.Event.Thread < 0 || int(e.Event.Thread) >= len(p.Threads) {
			return nil, fmt.Errorf("read trace: line %d: location %d and thread %d are not of the program", n, e.Event.Loc, e.Event.Thread)
		}
		t.Events = append(t.Events, e.Event)
		if e.Source != "" {
			sources[sim.Row{Machine: machineOf(e.Event.Place), State: e.Event.State, Event: e.Event.Name}] = e
		}
	}
	t.Table = func(machine, state, event string) (place string, actions []string) {
		e := sources[sim.Row{Machine: machine, State: state, Event: event}]
		return e.Source, slices.Clone(e.Actions)
	}
	return t, nil
}
