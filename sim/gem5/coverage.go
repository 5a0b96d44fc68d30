package gem5

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"ordeal/sim"
	"ordeal/sim/osfile"
)

// statsPrefix begins the statistics of Ruby.
const statsPrefix = "system.ruby."

// ReadCoverage reads the transitions that were taken from gem5's statistics
// (stats.txt), ordered by machine, state and event: lines of the form
//
//	system.ruby.L1Cache_Controller.I.Load::total  3201
//
// or, for a single controller, without "::total". If the statistics were written
// more than once, the last count counts.
func ReadCoverage(stats io.Reader) (sim.Coverage, error) {
	counts := make(map[sim.Transition]uint64) // with Count 0 in the keys
	lines := bufio.NewScanner(stats)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		key, count, ok := transition(lines.Text())
		if ok {
			counts[key] = count
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read statistics: %w", err)
	}
	var all sim.Coverage
	for key, count := range counts {
		if count > 0 {
			key.Count = count
			all = append(all, key)
		}
	}
	slices.SortFunc(all, func(a, b sim.Transition) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.State, b.State), cmp.Compare(a.Event, b.Event))
	})
	return all, nil
}

func transition(line string) (key sim.Transition, count uint64, ok bool) {
	rest, ok := strings.CutPrefix(line, statsPrefix)
	if !ok {
		return key, 0, false
	}
	fields := strings.Fields(rest)
	if len(fields) < 2 || fields[1] == "|" {
		return key, 0, false // one column for each controller: the total follows
	}
	machine, name, ok := strings.Cut(strings.TrimSuffix(fields[0], "::total"), "_Controller.")
	if !ok {
		return key, 0, false
	}
	state, event, ok := strings.Cut(name, ".")
	if !ok || machine == "" || state == "" || event == "" || strings.ContainsAny(event, ".:") {
		return key, 0, false
	}
	count, err := strconv.ParseUint(fields[1], 10, 64)
	return sim.Transition{Row: sim.Row{Machine: machine, State: state, Event: event}}, count, err == nil
}

// coverage reads the coverage of the launch and writes it to CoverageFile: a
// line for each transition with machine, state, event and count. A simulation
// that did not come to its end has no statistics.
func (l *launch) coverage() (sim.Coverage, error) {
	stats, err := osfile.OpenRegular(l.path(OutputDir, "stats.txt"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer stats.Close() // only read
	coverage, err := ReadCoverage(stats)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	for _, t := range coverage {
		fmt.Fprintf(&text, "%s %s %s %d\n", t.Machine, t.State, t.Event, t.Count)
	}
	return coverage, os.WriteFile(l.path(CoverageFile), text.Bytes(), 0o644)
}
