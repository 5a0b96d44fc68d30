package bugs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// contextLines are the lines around a change by which it is found, and by which
// changes that are near each other are one hunk, as git counts them.
const contextLines = 3

// hunk is a change of lines [From, To) of a text to New.
type hunk struct {
	from, to int
	new      []string
	number   int // of the hunk that it is in, from 1
}

// lines splits a text; each line has its end.
func lines(text string) []string {
	return strings.SplitAfter(strings.TrimSuffix(text, "\n")+"\n", "\n")
}

// compare lists the changes from one text to another.
func compare(from, to []string) []hunk {
	var list []hunk
	last, number := 0, 0
	for _, c := range difflib.NewMatcherWithJunk(from, to, false, nil).GetOpCodes() {
		if c.Tag == 'e' {
			continue
		}
		if number == 0 || c.I1-last > 2*contextLines {
			number++
		}
		last = c.I2
		list = append(list, hunk{c.I1, c.I2, to[c.J1:c.J2], number})
	}
	return list
}

// takeOut takes a change out of a text that has changed since: fixed is the text
// just after the change, before just before it. Only the hunks of the given
// numbers are taken out; nil means all. The error names the first change that later
// ones do not permit to take out.
//
// Each change is looked for where later changes have left the lines of fixed
// around it; where they have touched these, at the only place that has the
// lines that the change made, with as many lines around them as are still there.
func takeOut(text, fixed, before string, only []int) (string, error) {
	now, then := lines(text), lines(fixed)
	place := matching(then, now)
	var edits []hunk
	for _, h := range compare(then, lines(before)) {
		if only != nil && !slices.Contains(only, h.number) {
			continue
		}
		from, to, err := locate(now, then, place, h)
		if err != nil {
			return "", err
		}
		edits = append(edits, hunk{from: from, to: to, new: h.new})
	}
	for _, number := range only {
		if !slices.ContainsFunc(compare(then, lines(before)), func(h hunk) bool { return h.number == number }) {
			return "", fmt.Errorf("no hunk %d", number)
		}
	}
	slices.SortStableFunc(edits, func(a, b hunk) int { return b.from - a.from })
	for i, e := range edits {
		if i > 0 && e.to > edits[i-1].from {
			return "", fmt.Errorf("line %d: two changes at one place", e.from+1)
		}
		now = slices.Concat(now[:e.from], e.new, now[e.to:])
	}
	return strings.Join(now, ""), nil
}

// matching gives for each line of one text the line of another that it has become,
// or -1.
func matching(from, to []string) []int {
	place := make([]int, len(from))
	for i := range place {
		place[i] = -1
	}
	for _, c := range difflib.NewMatcherWithJunk(from, to, false, nil).GetOpCodes() {
		if c.Tag == 'e' {
			for i := range c.I2 - c.I1 {
				place[c.I1+i] = c.J1 + i
			}
		}
	}
	return place
}

// locate finds the lines of now that are lines h.from to h.to of then.
func locate(now, then []string, place []int, h hunk) (from, to int, err error) {
	// Untouched with both neighbours.
	lo, hi := max(h.from-1, 0), min(h.to+1, len(then))
	whole := true
	for i := lo; i < hi; i++ {
		whole = whole && place[i] >= 0 && place[i] == place[lo]+i-lo
	}
	if whole {
		return place[lo] + h.from - lo, place[lo] + h.to - lo, nil
	}
	for context := contextLines; context >= 0; context-- {
		for _, around := range [][2]int{{context, context}, {context, 0}, {0, context}} {
			lo, hi := max(h.from-around[0], 0), min(h.to+around[1], len(then))
			if hi-lo == 0 || h.from == h.to && hi-lo < 2 {
				continue
			}
			if at := only(now, then[lo:hi]); at >= 0 {
				return at + h.from - lo, at + h.to - lo, nil
			}
		}
	}
	return 0, 0, fmt.Errorf("what line %d of the fix has made was changed since", h.from+1)
}

// only is the only place of some lines in a text, blanks aside; -1 if there is
// none or more than one.
func only(text, part []string) int {
	found := -1
	for at := 0; at+len(part) <= len(text); at++ {
		same := true
		for i := range part {
			if same = strings.Join(strings.Fields(text[at+i]), " ") == strings.Join(strings.Fields(part[i]), " "); !same {
				break
			}
		}
		if same && found >= 0 {
			return -1
		}
		if same {
			found = at
		}
	}
	return found
}
