package litmus7

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/sim/lazyregexp"
)

// tables are what mcompare of herdtools7 prints, by title: whether states are in them. Those of
// Diffs are whole in the column of the first log, and what others have more (+) and less (-).
var tables = map[string]bool{
	"*Diffs*": true, "*Outcomes*": true, "*Validation*": false, "*Revalidation*": false, "*Witnesses*": false,
	"*WitnessesRecomputed*": false, "*Efficiency*": false, "*Time*": false, "*Productivity*": false, "*Summary*": false,
}

// isTable reports whether a text begins with a table of mcompare.
func isTable(text string) bool {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	_, is := tables[strings.TrimSpace(line)]
	return is
}

// tables reads the results in tables of mcompare: one for each test and log. A test's name
// stands in its first row, behind a rule; names of logs say where columns begin.
func (r *reader) tables() ([]Result, error) {
	var results []Result
	for r.skip() {
		withStates, is := tables[r.text]
		switch {
		case strings.HasPrefix(r.text, "!!! Warning"): // mcompare's summary of differences
			continue
		case !is:
			return nil, r.fault("%q where a table of mcompare is expected", r.text)
		case !withStates:
			return nil, r.fault("the table %s has no states: want that of mcompare -show s, or of no option", r.text)
		}
		list, err := r.table(r.text == "*Diffs*")
		if err != nil {
			return nil, err
		}
		results = append(results, list...)
	}
	if len(results) == 0 {
		return nil, r.fault("no test in a table")
	}
	return results, nil
}

// table reads what follows a title, up to a line that is no row.
func (r *reader) table(isDiff bool) (results []Result, err error) {
	if !r.next() || !strings.Contains(r.text, "|") {
		return nil, r.fault("%q where the names of logs are expected", r.text)
	}
	var logs []column
	for at := strings.LastIndexByte(r.text, '|') + 1; at < len(r.text); at++ {
		if rest := r.text[at:]; rest[0] != ' ' {
			name, _, _ := strings.Cut(rest, " ")
			logs = append(logs, column{name: name, from: at})
			at += len(name)
		}
	}
	if logs == nil {
		return nil, r.fault("want names of logs behind |")
	}
	test := ""
	finish := func() {
		first := logs[0].states
		for i := range logs {
			if l := &logs[i]; l.filled && test != "" {
				results = append(results, Result{Test: test, Log: l.name, Time: -1, States: l.of(first, isDiff && i > 0)})
			}
			logs[i] = column{name: logs[i].name, from: logs[i].from}
		}
		test = ""
	}
	for r.next() {
		isRule := r.text != "" && strings.Trim(r.text, "-") == ""
		if !isRule && !strings.Contains(r.text, "|") {
			break
		}
		if isRule {
			finish()
			continue
		}
		if name, _, _ := strings.Cut(r.text, "|"); test == "" {
			test = strings.TrimSpace(name)
		}
		for i := range logs {
			cell := r.text[min(len(r.text), logs[i].from):]
			if i+1 < len(logs) {
				cell = cell[:min(len(cell), logs[i+1].from-logs[i].from)]
			}
			if err := logs[i].add(strings.TrimSpace(cell)); err != nil {
				return nil, r.fault("test %s of %s: %w", test, logs[i].name, err)
			}
		}
	}
	finish()
	return results, nil
}

// column holds the part of a table about a test in one log.
type column struct {
	name         string
	from         int // byte of its lines
	filled       bool
	states, less []State
}

// stateCell is [x=1; 0:rax=0;], with + or - before it, or <COUNT> behind it.
var stateCell = lazyregexp.New(`^([+-]?)\[(.*)\](?:<(\d+)>)?$`)

func (c *column) add(cell string) error {
	if cell == "" {
		return nil
	}
	c.filled = true
	m := stateCell().FindStringSubmatch(cell)
	if m == nil && (cell == "==" || strings.HasPrefix(cell, "nstates=")) {
		return nil
	} else if m == nil {
		return fmt.Errorf("%q where a state [NAME=VALUE;] is expected", cell)
	}
	values, err := bindings(m[2])
	if err != nil {
		return err
	}
	s := State{Count: 1, Values: values}
	if m[3] != "" {
		if s.Count, err = parseCount(m[3]); err != nil {
			return err
		}
	}
	if m[1] == "-" {
		c.less = append(c.less, s)
	} else {
		c.states = append(c.states, s)
	}
	return nil
}

// of are the states of the column: where it has differences, with those of the first one.
func (c *column) of(first []State, isDiff bool) []State {
	if !isDiff {
		return c.states
	}
	without := func(s State) bool {
		return slices.ContainsFunc(c.less, func(less State) bool { return less.String() == s.String() })
	}
	return append(slices.DeleteFunc(slices.Clone(first), without), c.states...)
}
