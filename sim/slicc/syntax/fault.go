package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing wrong with a protocol's text, and where.
type Fault struct {
	Pos Pos
	Msg string // lowercase, no full stop
}

// Error writes "file:line:col: message".
func (f Fault) Error() string { return f.Pos.String() + ": " + f.Msg }

// Faults is every fault found in one pass over a protocol, in the order of
// the text. It is the error type of the parser and of the checker.
type Faults []Fault

// Error writes one fault a line.
func (fs Faults) Error() string {
	var b strings.Builder
	for i, f := range fs {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.Error())
	}
	return b.String()
}

// Unwrap gives the single faults to errors.As.
func (fs Faults) Unwrap() []error {
	errs := make([]error, len(fs))
	for i, f := range fs {
		errs[i] = f
	}
	return errs
}

// Add appends a fault.
func (fs *Faults) Add(pos Pos, format string, args ...any) {
	*fs = append(*fs, Fault{Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

// Sort puts the faults of each file into the order of its text. Files stay in
// the order of their first fault.
func (fs Faults) Sort() {
	files := map[string]int{}
	for _, f := range fs {
		if _, ok := files[f.Pos.File]; !ok {
			files[f.Pos.File] = len(files)
		}
	}
	slices.SortStableFunc(fs, func(a, b Fault) int {
		return cmp.Or(
			cmp.Compare(files[a.Pos.File], files[b.Pos.File]),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
}
