package porcupine

import (
	"bytes"
	"fmt"
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

// form is a value of EDN: a text (nothing for nil), a list of forms from a vector or
// list, or anything else, which is not looked into.
type form struct {
	text  string
	list  []form
	other bool
}

// maxDepth bounds the vectors in a vector that are looked into: [key [from to]].
const maxDepth = 2

// ednForm reads a value in as many vectors as depth says.
func ednForm(s *trace.Scanner, depth int) form {
	for s.Eat(",") {
	}
	switch c := s.Next(); {
	case c == '"':
		return form{text: ednString(s)}
	case (c == '[' || c == '(') && depth < maxDepth:
		f := form{list: []form{}}
		for s.At++; s.Err == nil && !s.Eat("]") && !s.Eat(")"); s.Eat(",") {
			f.list = append(f.list, ednForm(s, depth+1))
		}
		return f
	case strings.IndexByte("[({#", c) >= 0 && c != 0:
		ednSkip(s)
		return form{other: true}
	}
	text := ednToken(s)
	if text == "" {
		s.Unexpected("a value")
	}
	if text == "nil" {
		text = nothing
	}
	return form{text: text}
}

// ednToken reads up to a space or bracket.
func ednToken(s *trace.Scanner) string {
	end := bytes.IndexAny(s.Text[s.At:], " \t\r\n,;\"[](){}")
	if end < 0 {
		end = len(s.Text) - s.At
	}
	s.At += end
	return string(s.Text[s.At-end : s.At])
}

// ednString reads a string, whose escapes stay.
func ednString(s *trace.Scanner) string {
	end := s.At + 1
	for end < len(s.Text) && s.Text[end] != '"' {
		if s.Text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(s.Text) {
		s.Fail("the string is not closed")
		return nothing
	}
	value := string(s.Text[s.At+1 : end])
	s.At = end + 1
	return value
}

// ednSkip skips a value of brackets or with tags, however deep.
func ednSkip(s *trace.Scanner) {
	for s.Next() == '#' {
		s.At++
		ednToken(s) // none before a set or a pattern
	}
	if c := s.Next(); c == '"' {
		ednString(s)
		return
	} else if strings.IndexByte("[({", c) < 0 || c == 0 {
		ednToken(s)
		return
	}
	inner := splitter{depth: 1}
	for s.At++; s.At < len(s.Text) && inner.depth > 0; s.At++ {
		inner.text = inner.text[:0]
		inner.add(s.Text[s.At])
	}
	if inner.depth > 0 {
		s.Fail("a bracket is not closed")
	}
}
