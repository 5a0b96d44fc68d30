package cli

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/report/progress"
	"ordeal/campaigns/run"
	"ordeal/sim"
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

// TestHostileLive has what acts on a terminal in all that a live display shows of a
// campaign whose file, titles and messages come from others: none of it reaches
// the terminal, and no line gets too wide.
func TestHostileLive(t *testing.T) {
	const columns = 60
	const evil = "x\x1b]0;pwned\a\x1b[2J\u202e\u009b\rfake\nline"
	ours, theirs := openTerminal(t, columns, 24)
	c, err := config.Parse("c.yaml", []byte("{name: night, sim: builtin, configs: [{name: a, runs: 9, protocol: mi}, {name: b, runs: 9, protocol: mi, bug: {about: x}}]}"), nil)
	must.Succeed(t, err)
	c.Name = "night " + evil
	names := []string{"a " + evil, "b " + evil}
	for i := range c.Configs {
		c.Configs[i].Name, c.Configs[i].Protocol, c.Configs[i].SLICC = names[i], "", "/x/"+evil
	}
	sum := summary.New(c, "/runs/"+evil, config.Shard{}, time.Now())
	show := progress.New(theirs, theirs, progress.ModeLive, c, "/runs/"+evil)
	for number := range 18 {
		cfg := &c.Configs[number%2]
		e := &journal.Entry{
			Number: number, ConfigName: cfg.Name, Config: cfg, Dir: run.Dir("/runs/" + evil),
			Result: &run.Result{
				Outcome: []sim.Outcome{sim.Crash, sim.Passed}[number%2], Title: fmt.Sprintf("%s %d", evil, number%4), Covered: &run.Covered{Taken: 1, Total: 2, New: 1},
			},
			Coverage: sim.Coverage{{Row: sim.Row{Machine: evil, State: evil, Event: evil}, Count: 1}},
		}
		sum.Add(e)
		show.OnResult(sum, e)
	}
	show.Logf("infrastructure error: %s", strings.ReplaceAll(evil, "\n", " "))
	s := &screen{columns: columns}
	var raw strings.Builder
	buffer := make([]byte, 1<<16)
	for !strings.Contains(raw.String(), "coverage") || !strings.Contains(raw.String(), "found ") || !strings.Contains(raw.String(), "infrastructure") {
		n, err := ours.Read(buffer)
		must.Succeed(t, err)
		raw.Write(buffer[:n])
		s.write(string(buffer[:n]))
	}
	show.Close()
	theirs.Close()
	s.faults = slices.DeleteFunc(s.faults, func(fault string) bool { // lines that stay may wrap
		for _, label := range []string{"campaign", "finding:", "infrastructure"} {
			if strings.HasPrefix(fault, "a line is too wide: "+label) {
				return true
			}
		}
		return false
	})
	if len(s.faults) > 0 || strings.ContainsAny(raw.String(), "\a\u202e\u009b") || strings.Contains(raw.String(), "\nline") {
		t.Errorf("%q: the terminal gets\n%q", s.faults, raw.String())
	}
}

// TestLine shows how far work is on terminals of a known and of an unknown size, as
// that of script, and leaves nothing but what stays.
func TestLine(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for _, size := range [][2]int{{40, 24}, {0, 0}} {
		ours, theirs := openTerminal(t, size[0], size[1])
		e := command.NewEnv([]string{"ordeal"}, nil, theirs, theirs)
		line := e.Progress("begin")
		line.Show("%d of 9 %s", 1, strings.Repeat("wide ", 40))
		fmt.Fprintln(line, "stays")
		s := &screen{columns: cmp.Or(size[0], 80)}
		read := func(want string) {
			t.Helper()
			buffer := make([]byte, 1<<16)
			for !strings.Contains(s.String(), want) {
				n, err := ours.Read(buffer)
				must.Succeed(t, err)
				s.write(string(buffer[:n]))
			}
		}
		read("s: 1 of 9 wide wide wide")
		line.Close()
		fmt.Fprintln(e.Stdout, "result")
		read("result")
		theirs.Close()
		if got := s.String(); got != "stays\nresult\n" || len(s.faults) > 0 {
			t.Errorf("%v: %q: at the end the screen shows\n%s", size, s.faults, got)
		}
	}
}
