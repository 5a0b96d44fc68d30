// Package syntax is the text of SLICC, the language that gem5's Ruby coherence
// protocols are written in: syntax trees, the parser and loader that make them
// from files, and the printer that writes them back.
//
// The grammar is that of gem5 v24 (src/mem/slicc/parser.py), including the
// parts no protocol uses. A tree holds what the parser read and nothing more:
// names are unresolved, parentheses and comments are dropped, and files stay
// separate, each Include pointing to its file. Trees may be built or edited by
// hand; parsing what Print writes gives the same tree back.
//
// The parser reports every fault it can find, not only the first, and never
// panics; nesting is limited by MaxNesting.
package syntax

type kind uint8

const (
	eof kind = iota
	ident
	number
	float
	text // a string literal
	keyword
	colon2   // ::
	assign   // :=
	operator // one of the operators of Op
	punct    // a single character with no operator of its own, in token.text
	bad      // a character that is no part of the language; already reported
)

// token is one word of the text. For a string literal, text is what stands
// between the quotes.
type token struct {
	kind kind
	op   Op // for operator
	line int32
	col  int32
	from int32 // offsets of the token in the text, quotes included
	to   int32
	text string
}

// is reports whether the token is the punctuation mark, operator or keyword s.
func (t *token) is(s string) bool {
	return t.text == s && t.kind != ident && t.kind != text
}

// String describes the token in a message.
func (t *token) String() string {
	switch t.kind {
	case eof:
		return "end of file"
	case text:
		return `string "` + t.text + `"`
	case keyword:
		return "keyword " + t.text
	case number, float:
		return "number " + t.text
	case ident:
		return t.text
	default:
		return "'" + t.text + "'"
	}
}

func isKeyword(word string) bool {
	switch word {
	case "if", "else", "static_cast", "is_valid", "is_invalid", "void", "new", "OOD", "true", "false":
		return true
	}
	return newDecl[word] != nil || newStmt[word] != nil
}
