package gem5

import (
	"fmt"
	"strconv"
	"strings"
)

// ownLine begins the lines that se.py prints itself.
const ownLine = "ORDEAL "

// said is what se.py printed about a run.
type said struct {
	started bool
	refused string // the reason; empty: not refused
	notes   []string
	// ended says that the guest ended: code and cause tell how. limited says
	// that the maximum of ticks was reached.
	ended, limited bool
	code           int
	cause          string
	ticks          int64
	instructions   int64
}

// parseSaid reads the lines of se.py among gem5's output. A line that is cut
// off is none.
func parseSaid(text string) said {
	var s said
	for line := range strings.Lines(text) {
		whole, ok := strings.CutSuffix(line, "\n")
		if !ok {
			break
		}
		if rest, ok := strings.CutPrefix(strings.TrimSuffix(whole, "\r"), ownLine); ok {
			s.line(rest)
		}
	}
	return s
}

func (s *said) line(text string) {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "start":
		s.started = true
	case "refused":
		s.refused = rest
	case "note":
		s.notes = append(s.notes, rest)
	case "progress":
		if n, ok := numbers(rest, 2); ok {
			s.ticks, s.instructions = n[0], n[1]
		}
	case "limit":
		if n, ok := numbers(rest, 2); ok {
			s.limited, s.ticks, s.instructions = true, n[0], n[1]
		}
	case "exit":
		fields := strings.SplitN(rest, " ", 4)
		if len(fields) < 4 {
			return
		}
		if n, ok := numbers(strings.Join(fields[:3], " "), 3); ok {
			s.ended, s.code, s.ticks, s.instructions, s.cause = true, int(n[0]), n[1], n[2], fields[3]
		}
	}
}

// numbers reads exactly n numbers.
func numbers(text string, n int) ([]int64, bool) {
	fields := strings.Fields(text)
	if len(fields) != n {
		return nil, false
	}
	out := make([]int64, n)
	for i, f := range fields {
		v, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

// String is how far the simulation got, for people.
func (s *said) String() string {
	text := fmt.Sprintf("%d ticks, %d instructions", s.ticks, s.instructions)
	for _, note := range s.notes {
		text += "; " + note
	}
	return text
}
