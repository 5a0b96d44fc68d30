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
	// of ticks was reached.
	exited, limited     bool
	code                int64
	cause               string
	ticks, instructions int64
}

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
		parseNumbers(rest, &s.ticks, &s.instructions)
	case "limit":
		s.limited = parseNumbers(rest, &s.ticks, &s.instructions)
	case "exit":
		if fields := strings.SplitN(rest, " ", 4); len(fields) == 4 {
			s.exited, s.cause = parseNumbers(strings.Join(fields[:3], " "), &s.code, &s.ticks, &s.instructions), fields[3]
		}
	}
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
