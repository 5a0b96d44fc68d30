package mutate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// edit is the part of a name after the place: an operator, what it works on and
// which of several points is meant.
type edit struct {
	op   Operator
	arg  string
	nth  int    // from 1; 0 means the first
	what string // second argument, for operators with two
}

// separators part the two arguments of an operator.
var separators = map[Operator]string{Swap: ",", Insert: "@", Replace: ">", Set: "=", Trigger: ">", Copy: "@"}

// text is the edit without the number of its point.
func (e edit) text() string {
	s := string(e.op)
	if e.arg != "" {
		s += ":" + e.arg
	}
	if e.what != "" {
		s += separators[e.op] + e.what
	}
	return s
}

func (e edit) String() string {
	if e.nth > 1 {
		return e.text() + "#" + strconv.Itoa(e.nth)
	}
	return e.text()
}

// point is the number of the point, from 1.
func (e edit) point() int { return max(e.nth, 1) }

// parseEdit reads what String writes.
func parseEdit(s string) (edit, error) {
	op, arg, _ := strings.Cut(s, ":")
	e := edit{op: Operator(op), arg: arg}
	if at := strings.LastIndexByte(arg, '#'); at >= 0 {
		n, err := strconv.Atoi(arg[at+1:])
		if err != nil || n < 2 {
			return edit{}, fmt.Errorf("%q: want a number from 2 after #", s)
		}
		e.arg, e.nth = arg[:at], n
	}
	if !slices.Contains(Operators(), e.op) {
		return edit{}, fmt.Errorf("unknown operator %q", op)
	}
	if sep := separators[e.op]; sep != "" {
		// The right argument has no separator in it; "set" may have one on the
		// right, a left side has none.
		if left, right, ok := strings.Cut(e.arg, sep); ok {
			e.arg, e.what = left, right
		} else if e.op != Insert && e.op != Copy {
			return edit{}, fmt.Errorf("%q: want two arguments with %q between them", s, sep)
		}
	}
	if (e.op == Delete) != (e.arg == "") {
		return edit{}, fmt.Errorf("%q: operator %s takes %s", s, e.op, map[bool]string{true: "no argument", false: "an argument"}[e.op == Delete])
	}
	return e, nil
}
