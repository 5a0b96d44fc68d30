// Package wording writes numbers as people read them, the same in every
// report.
package wording

import "strconv"

// Group writes a number with commas between thousands.
func Group(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural writes a number and its noun, which it makes a plural unless the
// number is 1.
func Plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case noun == "canary":
		return Group(n) + " canaries"
	}
	return Group(n) + " " + noun + "s"
}

// Rate writes a rate with one decimal, or none from a hundred on.
func Rate(r float64) string {
	if r >= 100 {
		return Group(int(r + 0.5))
	}
	return strconv.FormatFloat(r, 'f', 1, 64)
}
