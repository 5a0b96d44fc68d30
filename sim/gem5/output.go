package gem5

import (
	"fmt"
	"strconv"
	"strings"
)

// scriptPrefix begins the lines that se.py prints itself.
const scriptPrefix = "ORDEAL "

// status is what se.py printed about a run.
type status struct {
	started bool
	refused string // why se.py refused its arguments; empty: it did not
	notes   []string
	// exited: the guest ended, with code and gem5's cause. limited: the maximum
	// of ticks was reached. stopped: the tick of --stop-at was.
	exited, limited, stopped bool
	// stuck is "deadlock" or "livelock" where se.py ended a run without
	// progress.
	stuck string
	// idle and quiet are the ticks without an access and without a store after
	// which it does.
	idle, quiet         int64
	code                int64
	cause               string
	ticks, instructions int64
	slices              []slice
}

// slice is the progress at the end of a slice of simulated time.
type slice struct {
	tick  int64
	cores []counts
}

// counts are what a core has committed.
type counts struct{ instructions, accesses, stores int64 }

// parseStatus reads the lines of se.py in gem5's output. An incomplete last
// line is ignored.
func parseStatus(text string) status {
	var s status
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, scriptPrefix); ok && strings.HasSuffix(line, "\n") {
			s.parseLine(strings.TrimRight(rest, "\r\n"))
		}
	}
	return s
}

func (s *status) parseLine(text string) {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "start":
		s.started = true
	case "refused":
		s.refused = rest
	case "note":
		s.notes = append(s.notes, rest)
	case "progress":
		if at, ok := parseSlice(rest); ok {
			s.slices, s.ticks, s.instructions = append(s.slices, at), at.tick, 0
			for _, c := range at.cores {
				s.instructions += c.instructions
			}
		}
	case "bounds":
		parseNumbers(rest, &s.idle, &s.quiet)
	case "stuck":
		if kind, rest, _ := strings.Cut(rest, " "); (kind == "deadlock" || kind == "livelock") && parseNumbers(rest, &s.ticks, &s.instructions) {
			s.stuck = kind
		}
	case "stop":
		s.stopped = parseNumbers(rest, &s.ticks, &s.instructions)
	case "limit":
		s.limited = parseNumbers(rest, &s.ticks, &s.instructions)
	case "exit":
		if fields := strings.SplitN(rest, " ", 4); len(fields) == 4 {
			s.exited, s.cause = parseNumbers(strings.Join(fields[:3], " "), &s.code, &s.ticks, &s.instructions), fields[3]
		}
	}
}

// parseSlice reads a tick, and three numbers joined by commas for each core.
func parseSlice(text string) (slice, bool) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return slice{}, false
	}
	var s slice
	if !parseNumbers(fields[0], &s.tick) {
		return slice{}, false
	}
	for _, f := range fields[1:] {
		var c counts
		if !parseNumbers(strings.ReplaceAll(f, ",", " "), &c.instructions, &c.accesses, &c.stores) {
			return slice{}, false
		}
		s.cores = append(s.cores, c)
	}
	return s, true
}

// parseNumbers reads exactly as many numbers as there are targets, which
// otherwise stay as they are.
func parseNumbers(text string, targets ...*int64) bool {
	fields := strings.Fields(text)
	if len(fields) != len(targets) {
		return false
	}
	numbers := make([]int64, len(fields))
	for i, f := range fields {
		var err error
		if numbers[i], err = strconv.ParseInt(f, 10, 64); err != nil {
			return false
		}
	}
	for i, n := range numbers {
		*targets[i] = n
	}
	return true
}

// String is the simulated time in one line.
func (s *status) String() string {
	text := fmt.Sprintf("%d ticks, %d instructions", s.ticks, s.instructions)
	for _, note := range s.notes {
		text += "; " + note
	}
	return text
}
