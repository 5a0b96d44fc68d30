package porcupine

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/parse/formats/internal/trace"
)

// splitter cuts a text of EDN or an array of JSON into the maps in it: one or several a
// line, over several lines, alone or in a vector or list, with comments (;) and tags (#name).
type splitter struct {
	inVector, inString, inTag bool
	escaped                   bool   // the byte before was a backslash
	depth                     int    // of brackets in the map
	text                      []byte // of the map so far
	line                      int    // where the map, or else the vector, begins
}

// split reads a line, and calls each for the maps that end in it.
func (s *splitter) split(code []byte, line int, each func(text []byte, line int)) error {
	for i, c := range code {
		if s.depth > 0 {
			if c == ';' && !s.inString && !s.escaped {
				break
			}
			if s.add(c); s.depth == 0 {
				each(s.text, s.line)
			}
			continue
		}
		switch {
		case c == ';':
			return nil
		case c == '{':
			s.text, s.line, s.depth, s.inTag = append(s.text[:0], c), line, 1, false
		case s.inTag, c == ' ', c == '\t', c == ',':
		case c == '#':
			s.inTag = true
		case !s.inVector && (c == '[' || c == '('):
			s.inVector, s.line = true, line
		case s.inVector && (c == ']' || c == ')'):
			s.inVector = false
		default:
			return fmt.Errorf("want an event as {:process …} before %.20q", code[i:])
		}
	}
	if s.depth > 0 {
		s.text = append(s.text, '\n')
	}
	if len(s.text) > trace.MaxLineBytes {
		*s = splitter{inVector: s.inVector}
		return trace.ErrLineTooLong
	}
	return nil
}

// add adds a byte to the map.
func (s *splitter) add(c byte) {
	s.text = append(s.text, c)
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		s.escaped = true
	case c == '"':
		s.inString = !s.inString
	case s.inString:
	case c == '{' || c == '[' || c == '(':
		s.depth++
	case c == '}' || c == ']' || c == ')':
		s.depth--
	}
}

// end says what is not closed at the end of the text.
func (s *splitter) end() error {
	switch {
	case s.inString:
		return fmt.Errorf("the string is not closed")
	case s.depth > 0:
		return fmt.Errorf("the event is not closed")
	case s.inVector:
		return fmt.Errorf("the vector is not closed")
	}
	return nil
}

// form is a value of EDN or JSON: a text (nothing for nil and null), a list of forms from a
// vector, list or map, whose names it has, or anything else, which is not looked into.
type form struct {
	text  string
	list  []form
	names []string // of a map
	other bool
	given bool // it stands there
}

// one is the value, or that of the first of the names, of a map.
func (f *form) one(names ...string) string {
	for _, name := range names {
		if i := slices.Index(f.names, name); i >= 0 {
			return f.list[i].text
		}
	}
	return f.text
}

// notation reads EDN and JSON, which differ in names and in what separates.
type notation struct {
	trace.Scanner
	words map[string]string // each once
	maps  bool              // that are values are looked into
}

// maxDepth bounds the vectors in a vector that are looked into: [key [from to]].
const maxDepth = 2

// value reads a value with as many brackets around it as depth says.
func (n *notation) value(depth int) form {
	for n.Eat(",") {
	}
	switch c := n.Next(); {
	case c == '"':
		return form{text: n.quoted(), given: true}
	case c == '{' && n.maps && depth < maxDepth:
		f := form{list: []form{}, given: true}
		n.each(func(name string) {
			f.names = append(f.names, name)
			f.list = append(f.list, n.value(depth+1))
		})
		return f
	case (c == '[' || c == '(') && depth < maxDepth:
		f := form{list: []form{}, given: true}
		for n.At++; n.Err == nil && !n.Eat("]") && !n.Eat(")"); n.Eat(",") {
			f.list = append(f.list, n.value(depth+1))
		}
		return f
	case strings.IndexByte("[({#", c) >= 0 && c != 0:
		n.skip()
		return form{other: true, given: true}
	}
	text := n.token()
	if text == "" {
		n.Unexpected("a value")
	}
	if text == "nil" || text == "null" {
		text = nothing
	}
	return form{text: text, given: true}
}

// each calls f for each name of a map, in lower case and without its colon, to read the
// value behind it.
func (n *notation) each(f func(name string)) {
	for n.Want("{"); n.Err == nil && !n.Eat("}"); n.Eat(",") {
		if n.Next() == '"' {
			name := n.quoted()
			n.Want(":")
			f(strings.ToLower(name))
			continue
		}
		name := n.value(maxDepth)
		f(strings.TrimPrefix(strings.ToLower(name.text), ":"))
	}
}

func (n *notation) word(text []byte) string {
	word, known := n.words[string(text)]
	if !known {
		word = string(text)
		n.words[word] = word
	}
	return word
}

func (n *notation) token() string { return n.word(n.raw()) }

// raw reads up to a space or bracket.
func (n *notation) raw() []byte {
	end := n.At
	for end < len(n.Text) && !ends[n.Text[end]] {
		end++
	}
	text := n.Text[n.At:end]
	n.At = end
	return text
}

// ends are the bytes behind a token.
var ends = func() (is [256]bool) {
	for _, c := range []byte(" \t\r\n,;\"[](){}") {
		is[c] = true
	}
	return is
}()

// quoted reads a string, whose escapes stay.
func (n *notation) quoted() string {
	end := n.At + 1
	for end < len(n.Text) && n.Text[end] != '"' {
		if n.Text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(n.Text) {
		n.Fail("the string is not closed")
		return nothing
	}
	value := n.word(n.Text[n.At+1 : end])
	n.At = end + 1
	return value
}

// skip skips a value of brackets or with tags, however deep.
func (n *notation) skip() {
	for n.Next() == '#' {
		n.At++
		n.token() // none before a set or a pattern
	}
	if c := n.Next(); c == '"' {
		n.quoted()
		return
	} else if strings.IndexByte("[({", c) < 0 || c == 0 {
		n.token()
		return
	}
	inner := splitter{depth: 1}
	for n.At++; n.At < len(n.Text) && inner.depth > 0; n.At++ {
		inner.text = inner.text[:0]
		inner.add(n.Text[n.At])
	}
	if inner.depth > 0 {
		n.Fail("a bracket is not closed")
	}
}
