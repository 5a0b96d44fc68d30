package syntax

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// lexer splits a text into tokens. Offsets and columns count bytes.
type lexer struct {
	file   string
	src    string
	off    int
	line   int32
	start  int // offset of the start of the line
	tokens []token
	faults *Faults
	// unclosed is the line of the first string that is not closed; 0 if there is none.
	unclosed int32
}

// lex gives the tokens of a text, an eof token last. Characters and literals
// that are no part of the language are reported and become bad tokens or are
// left out. unclosed is the line of the first string that is not closed; 0 if
// there is none.
func lex(file, src string, faults *Faults) (tokens []token, unclosed int32) {
	l := lexer{
		file: file, src: src, line: 1, faults: faults,
		tokens: make([]token, 0, len(src)/4+1),
	}
	for l.skipBlank() {
		l.next()
	}
	l.emit(eof, "", len(src), len(src))
	return l.tokens, l.unclosed
}

// emit appends a token whose text is given and which covers src[from:to].
func (l *lexer) emit(k kind, text string, from, to int) {
	l.tokens = append(l.tokens, token{
		kind: k, line: l.line, col: l.column(from), from: int32(from), to: int32(to), text: text,
	})
	l.off = to
}

func (l *lexer) column(off int) int32 { return int32(off-l.start) + 1 }

func (l *lexer) fault(off int, format string, args ...any) {
	if len(*l.faults) >= maxFaults {
		return
	}
	l.faults.Add(Pos{File: l.file, Line: l.line, Col: l.column(off)}, format, args...)
}

func (l *lexer) skipBlank() bool {
	for l.off < len(l.src) {
		switch c := l.src[l.off]; {
		case c == '\n':
			l.off++
			l.newline()
		case c == ' ' || c == '\t' || c == '\r':
			l.off++
		case c == '/' && strings.HasPrefix(l.src[l.off:], "//"):
			if n := strings.IndexByte(l.src[l.off:], '\n'); n >= 0 {
				l.off += n
			} else {
				l.off = len(l.src)
			}
		case c == '/' && strings.HasPrefix(l.src[l.off:], "/*"):
			l.blockComment()
		default:
			return true
		}
	}
	return false
}

func (l *lexer) newline() {
	l.line++
	l.start = l.off
}

func (l *lexer) blockComment() {
	end := len(l.src)
	if n := strings.Index(l.src[l.off+2:], "*/"); n >= 0 {
		end = l.off + 2 + n + 2
	} else {
		l.fault(l.off, "comment is not closed")
	}
	for l.off < end {
		l.off++
		if l.src[l.off-1] == '\n' {
			l.newline()
		}
	}
}

// next reads one token; the lexer stands at a character that is not blank.
func (l *lexer) next() {
	from := l.off
	switch c := l.src[from]; {
	case isLetter(c):
		l.word(from)
	case isDigit(c):
		l.number(from)
	case c == '"' || c == '\'':
		l.text(from, c)
	default:
		l.mark(from)
	}
}

func (l *lexer) word(from int) {
	to := from + 1
	for to < len(l.src) && (isLetter(l.src[to]) || isDigit(l.src[to])) {
		to++
	}
	word := l.src[from:to]
	if isKeyword(word) {
		l.emit(keyword, word, from, to)
	} else {
		l.emit(ident, word, from, to)
	}
}

func (l *lexer) digits(from int) int {
	for from < len(l.src) && isDigit(l.src[from]) {
		from++
	}
	return from
}

func (l *lexer) number(from int) {
	to := l.digits(from)
	if to+1 < len(l.src) && l.src[to] == '.' && isDigit(l.src[to+1]) {
		to = l.digits(to + 1)
		l.emit(float, l.src[from:to], from, to)
		return
	}
	l.emit(number, l.src[from:to], from, to)
}

// text reads a string literal: everything up to the same quote on the same
// line, without escapes.
func (l *lexer) text(from int, quote byte) {
	for to := from + 1; to < len(l.src) && l.src[to] != '\n'; to++ {
		if l.src[to] == quote {
			l.emit(text, l.src[from+1:to], from, to+1)
			return
		}
	}
	l.fault(from, "string is not closed on its line")
	l.unclosed = cmp.Or(l.unclosed, l.line)
	n := strings.IndexByte(l.src[from:], '\n')
	if n < 0 {
		n = len(l.src) - from
	}
	l.emit(text, l.src[from+1:from+n], from, from+n)
}

// marks are the operators, longer ones first where one is a prefix of another.
var marks = []struct {
	text string
	kind kind
	op   Op
}{
	{"::", colon2, 0}, {":=", assign, 0},
	{"==", operator, Eq}, {"!=", operator, Ne},
	{"<=", operator, Le}, {">=", operator, Ge},
	{"<<", operator, Shl}, {">>", operator, Shr},
	{"&&", operator, And}, {"||", operator, Or},
	{"++", operator, Inc}, {"--", operator, Dec},
	{"<", operator, Lt}, {">", operator, Gt}, {"!", operator, Not},
	{"+", operator, Add}, {"-", operator, Sub}, {"*", operator, Mul},
	{"/", operator, Div}, {"%", operator, Mod},
}

const singles = ":[]{}(),=&;."

func (l *lexer) mark(from int) {
	c := l.src[from]
	if !strings.ContainsRune("(){},;.[]", rune(c)) || c >= 0x80 {
		for i := range marks {
			if strings.HasPrefix(l.src[from:], marks[i].text) {
				l.emit(marks[i].kind, marks[i].text, from, from+len(marks[i].text))
				l.tokens[len(l.tokens)-1].op = marks[i].op
				return
			}
		}
	}
	if c < 0x80 && strings.IndexByte(singles, c) >= 0 {
		l.emit(punct, l.src[from:from+1], from, from+1)
		return
	}
	r, n := utf8.DecodeRuneInString(l.src[from:])
	if r == utf8.RuneError {
		l.fault(from, "unexpected byte 0x%02x", c)
	} else {
		l.fault(from, "unexpected character %q", r)
	}
	l.emit(bad, l.src[from:from+n], from, from+n)
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
