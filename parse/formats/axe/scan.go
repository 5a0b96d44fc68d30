package axe

import (
	"errors"
	"fmt"
	"math"

	"ordeal/gen"
)

// scanner cuts one line into tokens.
type scanner struct {
	text []byte
	at   int
}

func (s *scanner) spaces() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t') {
		s.at++
	}
}

// eat skips space and then the token, if it is next.
func (s *scanner) eat(token string) bool {
	s.spaces()
	if len(s.text)-s.at < len(token) || string(s.text[s.at:s.at+len(token)]) != token {
		return false
	}
	s.at += len(token)
	return true
}

func (s *scanner) want(token string) error {
	if s.eat(token) {
		return nil
	}
	return s.unexpected(fmt.Sprintf("%q", token))
}

// unexpected says that something else than wanted comes next.
func (s *scanner) unexpected(wanted string) error {
	s.spaces()
	if s.at == len(s.text) {
		return fmt.Errorf("want %s at the end of the line", wanted)
	}
	rest := s.text[s.at:]
	const most = 20
	if len(rest) > most {
		rest = rest[:most]
	}
	return fmt.Errorf("want %s before %q", wanted, rest)
}

// wordBytes are the bytes of names.
var wordBytes = func() (is [256]bool) {
	for c := range is {
		is[c] = c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	return is
}()

// word skips space and returns the word that is next, empty if none is.
func (s *scanner) word() []byte {
	s.spaces()
	start := s.at
	for s.at < len(s.text) && wordBytes[s.text[s.at]] {
		s.at++
	}
	return s.text[start:s.at]
}

// number reads a decimal number below 2⁶⁴.
func (s *scanner) number() (gen.Value, error) {
	s.spaces()
	start := s.at
	var v uint64
	for s.at < len(s.text) {
		digit := s.text[s.at] - '0'
		if digit > 9 {
			break
		}
		if v > (math.MaxUint64-uint64(digit))/10 {
			return 0, errNumber
		}
		v = v*10 + uint64(digit)
		s.at++
	}
	if s.at == start || s.at < len(s.text) && wordBytes[s.text[s.at]] {
		s.at = start
		return 0, s.unexpected("a number")
	}
	return gen.Value(v), nil
}

var errNumber = errors.New("number exceeds 64 bits")

// location reads M[name] or vname and returns the name.
func (s *scanner) location() ([]byte, error) {
	if s.eat("M[") {
		name := s.word()
		if len(name) == 0 {
			return nil, s.unexpected("a location")
		}
		return name, s.want("]")
	}
	if name := s.word(); len(name) > 1 && name[0] == 'v' {
		return name[1:], nil
	}
	return nil, s.unexpected(`"M["`)
}

// end checks that nothing but a timestamp is left: "@ begin:end", of which
// either number may be missing.
func (s *scanner) end() error {
	if s.eat("@") {
		s.optionalNumber()
		if s.eat(":") {
			s.optionalNumber()
		}
	}
	s.spaces()
	if s.at < len(s.text) {
		return s.unexpected("the end of the line")
	}
	return nil
}

func (s *scanner) optionalNumber() {
	s.spaces()
	for s.at < len(s.text) && s.text[s.at]-'0' <= 9 {
		s.at++
	}
}
