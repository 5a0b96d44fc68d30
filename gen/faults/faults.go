// Package faults collects what is wrong with an input: all faults are counted,
// the first ones are kept, and the result is one error.
package faults

import (
	"errors"
	"fmt"
)

// Kept is how many faults a List keeps: an input that is something else
// entirely would have one in every line.
const Kept = 20

// List is a list of faults; its zero value is empty.
type List struct {
	kept  []error
	count int
	more  bool // the rest of the input was not looked at
}

// Add adds a fault.
func (l *List) Add(err error) {
	l.count++
	if !l.Full() {
		l.kept = append(l.kept, err)
	}
}

// Addf adds a fault with a message to format, unless it is only counted.
func (l *List) Addf(format string, args ...any) {
	if l.Full() {
		l.count++
		return
	}
	l.Add(fmt.Errorf(format, args...))
}

// Full reports whether further faults are only counted.
func (l *List) Full() bool { return len(l.kept) == Kept }

// Stop says that the rest of the input is not looked at.
func (l *List) Stop() { l.more = true }

// Count is the number of faults.
func (l *List) Count() int { return l.count }

// Err joins the faults; nil when there are none.
func (l *List) Err() error {
	errs := l.kept
	if l.more {
		errs = append(errs[:len(errs):len(errs)], errors.New("the rest was not read: there are too many faults"))
	} else if more := l.count - len(l.kept); more > 0 {
		errs = append(errs[:len(errs):len(errs)], fmt.Errorf("and %d more faults", more))
	}
	return errors.Join(errs...)
}
