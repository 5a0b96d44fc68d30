package dbcop

import (
	"bytes"
	"encoding/json"

	"ordeal/gen"
	"ordeal/parse/formats/internal/trace"
)

// scanner cuts JSON (RFC 8259) into tokens.
type scanner struct{ trace.Scanner }

func (s *scanner) array(each func()) {
	s.Want("[")
	if s.Eat("]") {
		return
	}
	for s.Err == nil {
		each()
		if s.Eat("]") {
			return
		}
		if !s.Eat(",") {
			s.Unexpected(`"," or "]"`)
		}
	}
}

// object calls each for every key, to read its value. A key that comes twice
// is a fault; each returns a number for the key, at most 63, or a negative one
// for a key that does not belong there. The result has the bits of the keys.
func (s *scanner) object(each func(key []byte) int) (keys uint64) {
	s.Want("{")
	if s.Eat("}") {
		return 0
	}
	for s.Err == nil {
		s.Spaces()
		at := s.At
		key := s.text()
		s.Want(":")
		if s.Err != nil {
			break
		}
		k := each(key)
		switch {
		case k < 0:
			s.failAt(at, "key %q does not belong here", key)
		case keys>>k&1 != 0:
			s.failAt(at, "key %q comes twice", key)
		}
		keys |= 1 << max(k, 0)
		if s.Eat("}") {
			break
		}
		if !s.Eat(",") {
			s.Unexpected(`"," or "}"`)
		}
	}
	return keys
}

// failAt fails at an earlier place.
func (s *scanner) failAt(at int, format string, args ...any) {
	if s.Err == nil {
		s.At = at
		s.Fail(format, args...)
	}
}

// text reads a string without escapes.
func (s *scanner) text() []byte {
	if s.Next() != '"' {
		s.Unexpected("a string")
		return nil
	}
	text, _, closed := bytes.Cut(s.Text[s.At+1:], []byte{'"'})
	if !closed {
		s.Fail("the string is not closed")
		return nil
	}
	if bytes.IndexByte(text, '\\') >= 0 {
		s.Fail("want a string without escapes")
		return nil
	}
	s.At += len(text) + 2
	return text
}

func (s *scanner) boolean() bool {
	isTrue := s.Eat("true")
	if !isTrue && !s.Eat("false") {
		s.Unexpected("true or false")
	}
	return isTrue
}

// number reads a natural number, in RFC 8259 without leading zeros.
func (s *scanner) number() gen.Value {
	s.Spaces()
	start := s.At
	v := s.Number()
	if leading := s.At > start+1 && s.Text[start] == '0'; s.Err == nil && (leading || s.At < len(s.Text) && s.Text[s.At] == '.') {
		s.At = start
		s.Unexpected("a number")
	}
	return v
}

// skip skips any value.
func (s *scanner) skip() {
	in := json.NewDecoder(bytes.NewReader(s.Text[s.At:]))
	var value json.RawMessage
	if err := in.Decode(&value); err != nil {
		s.Fail("want a value: %w", err)
		return
	}
	s.At += int(in.InputOffset())
}

// column gives line and column, from 1, of a place in bytes.
func column(data []byte, at int) (int, int) {
	before := data[:min(at, len(data))]
	return 1 + bytes.Count(before, []byte{'\n'}), len(before) - bytes.LastIndexByte(before, '\n')
}
