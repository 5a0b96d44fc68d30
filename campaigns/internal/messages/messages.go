// Package messages formats what commands and reports print: numbers with their
// nouns, paragraphs, tables, and suggestions for misspelled names.
package messages

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/mitchellh/go-wordwrap"
)

// Comma returns n with commas between thousands.
func Comma(n int) string { return humanize.Comma(int64(n)) }

// Plural returns n and its noun, "1 run" or "2,000 runs".
func Plural(n int, noun string) string {
	return Comma(n) + " " + english.PluralWord(n, noun, "")
}

// Rate returns a number per second with one decimal, or none from 100 on.
func Rate(r float64) string {
	if r >= 100 {
		return Comma(int(r + 0.5))
	}
	return strconv.FormatFloat(r, 'f', 1, 64)
}

// Short returns a number in at most four characters: 950, 1.2k, 34k, 5.1M.
func Short(n float64) string {
	for _, unit := range []string{"", "k", "M", "G", "T"} {
		switch {
		case unit == "" && n < 0.95:
			return strconv.FormatFloat(n, 'g', 2, 64)
		case n < 9.95 && n != math.Trunc(n):
			return strconv.FormatFloat(n, 'f', 1, 64) + unit
		case n < 999.5:
			return strconv.FormatFloat(n, 'f', 0, 64) + unit
		}
		n /= 1000
	}
	return strconv.FormatFloat(n, 'g', 3, 64) + "P"
}

// Wrap breaks text between words into lines of at most width columns. The
// first line begins with first, the others with rest; the last one has no
// newline. Unbroken parts of it stay whole.
func Wrap(text, first, rest string, width int) string {
	// The first line is indented within the text, by characters that the
	// wrapper does not split, since first and rest may differ in width.
	pad := strings.Repeat("\u00a0", max(0, len([]rune(first))-len([]rune(rest))))
	text = wordwrap.WrapString(pad+strings.Join(strings.Fields(text), " "), uint(width-len([]rune(rest))))
	return first + strings.NewReplacer("\n", "\n"+rest, unbroken, " ").Replace(strings.TrimPrefix(text, pad))
}

// Unbroken is a recorded name for a text that Wrap breaks into lines: escaped, and
// none of its words begins a line, which would read as a message of its own.
func Unbroken(name string) string { return strings.ReplaceAll(EscapeLine(name), " ", unbroken) }

// unbroken stands for a space of an unbroken name. EscapeLine leaves no such character.
const unbroken = "\x00"

// Closest returns the known name that is most like a misspelled one: the only one
// that begins with it, one that differs in at most two characters or by two that are
// swapped, or the only one that has it as a part; ok is false if there is none.
func Closest(name string, known []string) (closest string, ok bool) {
	if closest, ok := only(known, func(k string) bool { return strings.HasPrefix(k, name) }); ok && len(name) >= partOfName {
		return closest, true
	}
	least := min(2, max(1, len(name)/2)) + 1
	for _, k := range known {
		d := levenshtein.ComputeDistance(name, k)
		if d == 2 && swapped(name, k) {
			d = 1
		}
		if d < least {
			closest, least, ok = k, d, true
		}
	}
	if ok || len(name) < partOfName {
		return closest, ok
	}
	return only(known, func(k string) bool { return strings.Contains(k, name) })
}

// swapped reports whether two neighbouring characters are swapped, and nothing else.
func swapped(a, b string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return len(a) == len(b) && i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}

// only is the name that is like a misspelled one, if there is exactly one.
func only(known []string, like func(string) bool) (name string, ok bool) {
	for _, k := range known {
		if !like(k) {
			continue
		}
		if ok {
			return "", false
		}
		name, ok = k, true
	}
	return name, ok
}

// partOfName is the least length of a part of a name that stands for it, in bytes.
const partOfName = 3

// hintNames bounds the known names that a hint lists.
const hintNames = 24

// Hint ends the message about an unknown name: with the known one that is most
// like it, or else with all of them, unless these are many.
func Hint(name string, known []string) string {
	if closest, ok := Closest(name, known); ok {
		return " (did you mean " + strconv.Quote(closest) + "?)"
	}
	if len(known) > hintNames {
		return ""
	}
	return " (known: " + strings.Join(known, ", ") + ")"
}

// Or joins names as "a, b or c".
func Or(names []string) string { return english.OxfordWordSeries(names, "or") }

// plain are the characters of words that a shell takes as they are.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-./=:,@%"

// Quoted is a word as a shell takes it, on one line. What Escape does not leave as
// it is has the form of POSIX.1-2024 (Shell Command Language, section 2.2.4),
// which bash, ksh and zsh know.
func Quoted(word string) string {
	switch {
	case word != "" && strings.Trim(word, plain) == "":
		return word
	case EscapeLine(word) == word:
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for part := range strings.SplitSeq(word, "") {
		switch {
		case part == "'" || part == `\`:
			b.WriteString(`\` + part)
		case EscapeLine(part) == part:
			b.WriteString(part)
		default:
			for i := range len(part) {
				fmt.Fprintf(&b, `\%03o`, part[i])
			}
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// QuotedPath is Quoted of a path that a command takes for an argument, and for no
// flag nor standard input.
func QuotedPath(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return Quoted(path)
}
