package protocols

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Row is a transition that no run takes, though the protocol has it: it is
// there to be complete, or for a machine of another shape.
type Row struct {
	Machine, State, Event string
	// Reason gives the reason why it is never taken.
	Reason string
}

// Unreachable lists the transitions of a protocol that no run takes, so that
// coverage is measured against the others. They stand beside the protocol's
// root file, in a file with the extension .unreachable; without one, every
// transition can be taken.
func Unreachable(name string) ([]Row, error) {
	root, err := Root(name)
	if err != nil {
		return nil, err
	}
	file := strings.TrimSuffix(root, path.Ext(root)) + ".unreachable"
	text, err := fs.ReadFile(Files(), file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseRows(file, string(text))
}

// parseRows reads lines of the form "Machine State Event: reason"; empty
// lines and those that begin with // say nothing.
func parseRows(file, text string) ([]Row, error) {
	var rows []Row
	var faults []error
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		names, reason, _ := strings.Cut(line, ":")
		reason = strings.TrimSpace(reason)
		fields := strings.Fields(names)
		if len(fields) != 3 || reason == "" {
			faults = append(faults, fmt.Errorf(`%s:%d: want "Machine State Event: reason"`, file, n))
			continue
		}
		rows = append(rows, Row{Machine: fields[0], State: fields[1], Event: fields[2], Reason: reason})
	}
	return rows, errors.Join(faults...)
}
