package syntax

import "fmt"

// Pos is a place in a source text: the file's name, and line and column
// counted from one, the column in bytes. The zero Pos means unknown, which is
// what nodes made by a program have.
type Pos struct {
	File string
	Line int32
	Col  int32
}

// IsKnown reports whether the position was set by a parser.
func (p Pos) IsKnown() bool { return p.Line > 0 }

// String writes file:line:col, the form editors and compilers understand.
func (p Pos) String() string {
	if !p.IsKnown() {
		return "-"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}
