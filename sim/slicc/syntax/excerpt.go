package syntax

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Excerpt writes the faults as compilers do: "path:line:col: message", and below
// it the line of the source with a caret. Where gives the path of a file, and read
// its text, or an error: then the line is left out.
func (fs Faults) Excerpt(where func(file string) string, read func(file string) ([]byte, error)) string {
	var b strings.Builder
	texts := map[string][][]byte{}
	for i, f := range fs {
		if i > 0 {
			b.WriteByte('\n')
		}
		if !f.Pos.IsKnown() {
			b.WriteString(f.Error())
			continue
		}
		lines, ok := texts[f.Pos.File]
		if !ok {
			if text, err := read(f.Pos.File); err == nil {
				lines = bytes.Split(text, []byte("\n"))
			}
			texts[f.Pos.File] = lines
		}
		at := f.Pos
		at.File = where(at.File)
		fmt.Fprintf(&b, "%s: %s", at, f.Msg)
		if n := int(f.Pos.Line); n <= len(lines) {
			b.WriteString(pointed(lines[n-1], f.Pos))
		}
	}
	return b.String()
}

// longestExcerpt bounds the lines that are shown, in bytes.
const longestExcerpt = 200

// pointed is a line of a source, and below it a mark under the word at a position.
func pointed(line []byte, pos Pos) string {
	line = bytes.TrimRight(line, "\r")
	col := int(pos.Col) - 1
	if len(line) > longestExcerpt || col < 0 || col > len(line) || !utf8.Valid(line) {
		return ""
	}
	// The mark is below the word however wide tabs are.
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(line[:col]))
	end := col
	for end < len(line) && (isLetter(line[end]) || isDigit(line[end])) {
		end++
	}
	number := fmt.Sprintf("%5d", pos.Line)
	return fmt.Sprintf("\n%s | %s\n%s | %s^%s", number, line, strings.Repeat(" ", len(number)), indent, strings.Repeat("~", max(0, end-col-1)))
}
