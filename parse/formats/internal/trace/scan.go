package trace

import (
	"errors"
	"fmt"
	"math"

	"ordeal/gen"
)

// Scanner cuts one line into tokens.
type Scanner struct {
	Text []byte
	At   int // bytes of Text that have been read
}

// Spaces skips spaces and tabs.
func (s *Scanner) Spaces() {
	for s.At < len(s.Text) && (s.Text[s.At] == ' ' || s.Text[s.At] == '\t') {
		s.At++
	}
}

// Eat skips space and then the token, if it is next.
func (s *Scanner) Eat(token string) bool {
	s.Spaces()
	if len(s.Text)-s.At < len(token) || string(s.Text[s.At:s.At+len(token)]) != token {
		return false
	}
	s.At += len(token)
	return true
}

// Want is Eat of a token that has to be there.
func (s *Scanner) Want(token string) error {
	if s.Eat(token) {
		return nil
	}
	return s.Unexpected(fmt.Sprintf("%q", token))
}

// Unexpected says that something else than wanted comes next.
func (s *Scanner) Unexpected(wanted string) error {
	s.Spaces()
	if s.At == len(s.Text) {
		return fmt.Errorf("want %s at the end of the line", wanted)
	}
	rest := s.Text[s.At:]
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

// Word skips space and returns the word that is next, empty if none is.
func (s *Scanner) Word() []byte {
	s.Spaces()
	start := s.At
	for s.At < len(s.Text) && wordBytes[s.Text[s.At]] {
		s.At++
	}
	return s.Text[start:s.At]
}

// Number reads a decimal number below 2⁶⁴.
func (s *Scanner) Number() (gen.Value, error) {
	s.Spaces()
	start := s.At
	var v uint64
	for s.At < len(s.Text) {
		digit := s.Text[s.At] - '0'
		if digit > 9 {
			break
		}
		if v > (math.MaxUint64-uint64(digit))/10 {
			return 0, errNumber
		}
		v = v*10 + uint64(digit)
		s.At++
	}
	if s.At == start || s.At < len(s.Text) && wordBytes[s.Text[s.At]] {
		s.At = start
		return 0, s.Unexpected("a number")
	}
	return gen.Value(v), nil
}

var errNumber = errors.New("number exceeds 64 bits")

// End demands that nothing is left.
func (s *Scanner) End() error {
	s.Spaces()
	if s.At < len(s.Text) {
		return s.Unexpected("the end of the line")
	}
	return nil
}

// Number is the number that a word consists of; ok is false if it is none.
func Number(word []byte) (v gen.Value, ok bool) {
	s := Scanner{Text: word}
	v, err := s.Number()
	return v, err == nil && s.At == len(word)
}
