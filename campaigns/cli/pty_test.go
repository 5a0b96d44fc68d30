package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ordeal/campaigns/internal/must"
)

// openTerminal makes a terminal of a size in columns and lines: our end of it,
// and the one for a command. The test is skipped where there are none.
func openTerminal(t *testing.T, columns, lines int) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { ours.Close() })
	fd := int(ours.Fd())
	must.Succeed(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	must.Succeed(t, err)
	must.Succeed(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(lines), Col: uint16(columns)}))
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	must.Succeed(t, err)
	return ours, theirs
}

// screen is what a user sees: lines of text and a cursor.
type screen struct {
	columns     int
	lines       [][]rune
	row, column int
	faults      []string
}

// write shows what a command prints. It knows what our display needs of a
// terminal, and notes anything else, and lines that are too wide.
func (s *screen) write(text string) {
	for text != "" {
		var r rune
		for _, r = range text {
			break
		}
		switch {
		case strings.HasPrefix(text, "\x1b["):
			n, end := 0, 2
			for ; end < len(text) && text[end] >= '0' && text[end] <= '9'; end++ {
				n = 10*n + int(text[end]-'0')
			}
			switch {
			case end < len(text) && text[end] == 'A':
				s.row = max(0, s.row-max(n, 1))
			case end < len(text) && text[end] == 'J' && n == 0:
				s.lines = s.lines[:min(s.row+1, len(s.lines))]
				if s.row < len(s.lines) {
					s.lines[s.row] = s.lines[s.row][:min(s.column, len(s.lines[s.row]))]
				}
			default:
				s.faults = append(s.faults, fmt.Sprintf("unknown sequence %q", text[:min(end+1, len(text))]))
			}
			text = text[min(end+1, len(text)):]
			continue
		case r == '\r':
			s.column = 0
		case r == '\n':
			s.row++
		case r < ' ':
			s.faults = append(s.faults, fmt.Sprintf("control character %q", r))
		default:
			s.put(r)
		}
		text = text[len(string(r)):]
	}
}

// put shows a character at the cursor.
func (s *screen) put(r rune) {
	for len(s.lines) <= s.row {
		s.lines = append(s.lines, nil)
	}
	line := s.lines[s.row]
	for len(line) <= s.column {
		line = append(line, ' ')
	}
	line[s.column] = r
	s.lines[s.row] = line
	if s.column++; s.column > s.columns {
		s.faults = append(s.faults, "a line is too wide: "+string(line))
	}
}

// String is what is on the screen, without spaces at the ends of lines.
func (s *screen) String() string {
	var b strings.Builder
	for _, line := range s.lines {
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return b.String()
}
