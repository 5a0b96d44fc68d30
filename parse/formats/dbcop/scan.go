package dbcop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"ordeal/gen"
)

// scanner cuts JSON (RFC 8259) into what a history is made of. The first
// error stays: after it every method does nothing.
type scanner struct {
	data []byte
	at   int
	err  error
}

func (s *scanner) fail(at int, format string, args ...any) {
	if s.err == nil {
		s.err, s.at = fmt.Errorf(format, args...), at
	}
}

// peek skips space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.err != nil {
		return 0
	}
	for s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) eat(c byte) bool {
	if s.peek() != c || s.err != nil || s.at == len(s.data) {
		return false
	}
	s.at++
	return true
}

func (s *scanner) want(c byte) {
	if !s.eat(c) {
		s.unexpected(fmt.Sprintf("%q", string(c)))
	}
}

// unexpected says that something else than wanted comes next.
func (s *scanner) unexpected(wanted string) {
	s.peek()
	const most = 20
	rest := s.data[s.at:]
	if len(rest) > most {
		rest = rest[:most]
	}
	if len(rest) == 0 {
		s.fail(s.at, "want %s at the end of the file", wanted)
	} else {
		s.fail(s.at, "want %s before %q", wanted, rest)
	}
}

func (s *scanner) array(each func()) {
	s.want('[')
	if s.eat(']') {
		return
	}
	for s.err == nil {
		each()
		if s.eat(']') {
			return
		}
		if !s.eat(',') {
			s.unexpected(`"," or "]"`)
		}
	}
}

// object calls each for every key, to read its value. A key that comes twice
// is a fault; each returns a number for the key, at most 63, or a negative one
// for a key that does not belong there. The result has the bits of the keys.
func (s *scanner) object(each func(key []byte) int) (keys uint64) {
	s.want('{')
	if s.eat('}') {
		return 0
	}
	for s.err == nil {
		s.peek()
		at := s.at
		key := s.text()
		s.want(':')
		if s.err != nil {
			break
		}
		k := each(key)
		switch {
		case k < 0:
			s.fail(at, "key %q does not belong here", key)
		case keys>>k&1 != 0:
			s.fail(at, "key %q comes twice", key)
		}
		keys |= 1 << max(k, 0)
		if s.eat('}') {
			break
		}
		if !s.eat(',') {
			s.unexpected(`"," or "}"`)
		}
	}
	return keys
}

// text reads a string without escapes.
func (s *scanner) text() []byte {
	if s.peek() != '"' {
		s.unexpected("a string")
		return nil
	}
	n := bytes.IndexByte(s.data[s.at+1:], '"')
	if n < 0 {
		s.fail(s.at, "the string is not closed")
		return nil
	}
	text := s.data[s.at+1 : s.at+1+n]
	if bytes.IndexByte(text, '\\') >= 0 {
		s.fail(s.at, "want a string without escapes")
		return nil
	}
	s.at += n + 2
	return text
}

// word reads one of the literals of letters.
func (s *scanner) word() []byte {
	s.peek()
	start := s.at
	for s.err == nil && s.at < len(s.data) && s.data[s.at]-'a' <= 'z'-'a' {
		s.at++
	}
	return s.data[start:s.at]
}

func (s *scanner) boolean() bool {
	s.peek()
	at := s.at
	switch string(s.word()) {
	case "true":
		return true
	case "false":
	default:
		s.rewind(at, "true or false")
	}
	return false
}

func (s *scanner) rewind(at int, wanted string) {
	if s.err == nil {
		s.at = at
		s.unexpected(wanted)
	}
}

// number reads a natural number below 2⁶⁴, as RFC 8259 wants it.
func (s *scanner) number() gen.Value {
	s.peek()
	start := s.at
	if s.err != nil {
		return 0
	}
	var v uint64
	for s.at < len(s.data) {
		digit := s.data[s.at] - '0'
		if digit > 9 {
			break
		}
		if v > (math.MaxUint64-uint64(digit))/10 {
			s.fail(start, "number exceeds 64 bits")
			return 0
		}
		v = v*10 + uint64(digit)
		s.at++
	}
	n := s.at - start
	if n == 0 || n > 1 && s.data[start] == '0' || s.at < len(s.data) && bytes.IndexByte([]byte(".eE"), s.data[s.at]) >= 0 {
		s.rewind(start, "a natural number")
	}
	return gen.Value(v)
}

func (s *scanner) skip() {
	if s.err != nil {
		return
	}
	in := json.NewDecoder(bytes.NewReader(s.data[s.at:]))
	var value json.RawMessage
	if err := in.Decode(&value); err != nil {
		s.fail(s.at, "want a value: %w", err)
		return
	}
	s.at += int(in.InputOffset())
}

// column gives line and column, from 1, of a place in bytes.
func column(data []byte, at int) (int, int) {
	at = min(at, len(data))
	before := data[:at]
	return 1 + bytes.Count(before, []byte{'\n'}), at - bytes.LastIndexByte(before, '\n')
}
