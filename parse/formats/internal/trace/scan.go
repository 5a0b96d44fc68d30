package trace

import (
	"fmt"
	"math"

	"ordeal/gen"
)

// Scanner cuts a text into tokens, between which there may be white space. Its
// first error stays, and ends the text there.
type Scanner struct {
	Text []byte
	At   int // bytes of Text that have been read
	// Unit is what Text is, in messages; empty means a line.
	Unit string
	Err  error
}

// Spaces skips white space.
func (s *Scanner) Spaces() {
	const spaces = 1<<' ' | 1<<'\t' | 1<<'\r' | 1<<'\n'
	for s.At < len(s.Text) && s.Text[s.At] <= ' ' && uint64(spaces)>>s.Text[s.At]&1 != 0 {
		s.At++
	}
}

// Next skips space and returns the byte that is next, 0 at the end.
func (s *Scanner) Next() byte {
	if s.Spaces(); s.At < len(s.Text) {
		return s.Text[s.At]
	}
	return 0
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

// Want is Eat of a token that has to be next.
func (s *Scanner) Want(token string) {
	if !s.Eat(token) {
		s.Unexpected(fmt.Sprintf("%q", token))
	}
}

// Fail ends the text with an error.
func (s *Scanner) Fail(format string, args ...any) {
	if s.Err == nil {
		s.Err, s.Text = fmt.Errorf(format, args...), s.Text[:s.At]
	}
}

// Unexpected fails because something else than wanted comes next.
func (s *Scanner) Unexpected(wanted string) {
	s.Spaces()
	const most = 20
	if rest := s.Text[s.At:]; len(rest) > 0 {
		s.Fail("want %s before %q", wanted, rest[:min(len(rest), most)])
	} else {
		s.Fail("want %s at the end of the %s", wanted, s.unit())
	}
}

func (s *Scanner) unit() string {
	if s.Unit == "" {
		return "line"
	}
	return s.Unit
}

// wordBytes are the bytes of names.
var wordBytes = func() (is [256]bool) {
	for c := range is {
		is[c] = c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	return is
}()

// IsWord reports whether a text is a word.
func IsWord(text []byte) bool {
	for _, c := range text {
		if !wordBytes[c] {
			return false
		}
	}
	return len(text) > 0
}

// IsDigits reports whether a word has nothing but decimal digits.
func IsDigits(word []byte) bool {
	for _, c := range word {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// Word skips space and returns the word that is next, empty if none is.
func (s *Scanner) Word() []byte {
	s.Spaces()
	start := s.At
	for s.At < len(s.Text) && wordBytes[s.Text[s.At]] {
		s.At++
	}
	return s.Text[start:s.At]
}

// Name is Word where a word has to be next; what is what it names.
func (s *Scanner) Name(what string) []byte {
	word := s.Word()
	if len(word) == 0 {
		s.Unexpected(what)
	}
	return word
}

// Number reads a decimal number below 2⁶⁴.
func (s *Scanner) Number() gen.Value {
	s.Spaces()
	start := s.At
	var v uint64
	for s.At < len(s.Text) {
		digit := s.Text[s.At] - '0'
		if digit > 9 {
			break
		}
		if v > (math.MaxUint64-uint64(digit))/10 {
			s.At = start
			s.Fail("number exceeds 64 bits")
			return 0
		}
		v = v*10 + uint64(digit)
		s.At++
	}
	if s.At == start || s.At < len(s.Text) && wordBytes[s.Text[s.At]] {
		s.At = start
		s.Unexpected("a number")
		return 0
	}
	return gen.Value(v)
}

// End demands that nothing is left.
func (s *Scanner) End() {
	if s.Spaces(); s.At < len(s.Text) {
		s.Unexpected("the end of the " + s.unit())
	}
}

// Number is the number that a word consists of; ok is false if it is none.
func Number(word []byte) (v gen.Value, ok bool) {
	s := Scanner{Text: word}
	v = s.Number()
	return v, s.Err == nil && s.At == len(word)
}
