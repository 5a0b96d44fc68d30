package syntax

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// Span is a part of a text, as offsets in bytes.
type Span struct{ From, To int }

// Text finds the parts of a source text that the nodes of its tree come from,
// so that an edit of one node leaves the rest of the text, comments included,
// as it is.
type Text struct {
	name   string
	tokens []token
}

// NewText prepares a text that Parse accepts.
func NewText(name string, src []byte) (*Text, error) {
	var faults Faults
	tokens, _ := lex(name, string(src), &faults)
	t := &Text{name: name, tokens: tokens}
	if len(faults) > 0 {
		return nil, faults
	}
	return t, nil
}

// Decl is the span of the declaration that starts at pos.
func (t *Text) Decl(pos Pos) (Span, error) {
	return t.span(pos, func(p *parser) { p.decl() })
}

// Stmt is the span of the statement that starts at pos.
func (t *Text) Stmt(pos Pos) (Span, error) {
	return t.span(pos, func(p *parser) { p.stmt() })
}

// Expr is the span of the expression that starts at pos and is no operand of
// a larger one: a condition, an argument, the right side of an assignment.
func (t *Text) Expr(pos Pos) (Span, error) {
	return t.span(pos, func(p *parser) { p.expression() })
}

// span reads a construct from its first token and sees where it ends.
func (t *Text) span(pos Pos, read func(*parser)) (Span, error) {
	at := sort.Search(len(t.tokens), func(i int) bool {
		tok := &t.tokens[i]
		return tok.line > pos.Line || tok.line == pos.Line && tok.col >= pos.Col
	})
	if at == len(t.tokens) || t.tokens[at].line != pos.Line || t.tokens[at].col != pos.Col {
		return Span{}, fmt.Errorf("%s: nothing starts here: the text is not the one that was read", pos)
	}
	var faults Faults
	p := &parser{file: t.name, tokens: t.tokens, at: at, faults: &faults}
	read(p)
	if len(faults) > 0 || p.lost || p.at == at {
		return Span{}, fmt.Errorf("%s: the text is not the one that was read: %w", pos, faults)
	}
	return Span{int(t.tokens[at].from), int(t.tokens[p.at-1].to)}, nil
}

// Margin is the white space in front of an offset on its line.
func Margin(src []byte, at int) string {
	start := bytes.LastIndexByte(src[:at], '\n') + 1
	end := start
	for end < at && (src[end] == ' ' || src[end] == '\t') {
		end++
	}
	return string(src[start:end])
}

// Splice puts a text in place of a span, with the indentation of the span. An
// empty text takes the lines that it leaves blank with it.
func Splice(src []byte, span Span, with string) []byte {
	with = strings.TrimRight(with, "\n")
	from, to := span.From, span.To
	if with == "" {
		start := bytes.LastIndexByte(src[:from], '\n') + 1
		if len(bytes.TrimSpace(src[start:from])) == 0 {
			if n := bytes.IndexByte(src[to:], '\n'); n >= 0 && len(bytes.TrimSpace(src[to:to+n])) == 0 {
				from, to = start, to+n+1
			}
		}
	}
	with = strings.ReplaceAll(with, "\n", "\n"+Margin(src, span.From))
	with = strings.ReplaceAll(with, "\n"+Margin(src, span.From)+"\n", "\n\n") // blank lines stay blank
	var out bytes.Buffer
	out.Write(src[:from])
	out.WriteString(with)
	out.Write(src[to:])
	return out.Bytes()
}
