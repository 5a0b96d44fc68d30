package dbcop

import (
	"bytes"
	"fmt"
	"io"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// ReadText reads a history in the text form; name stands in error messages.
// The notes say, each in one line, what of the file is left out. The error is
// about reading, or joins all faults, each with name and line. A variable
// "v7" is location "7": variables are no numbers.
func ReadText(in io.Reader, name string) (h *parse.History, notes []string, err error) {
	b := new(builder)
	b.session() // there is one more than separators
	err = b.ReadLines(in, name, func(line []byte, number int) error {
		err := b.line(line, number)
		if err != nil {
			b.events = b.events[:0]
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return b.finish(name)
}

// MissedText says what the first line of a text that is neither a comment nor a
// separator wants to begin with an event of a transaction; nil if it does, and for a text of
// nothing but comments and separators, of which there must be some.
func MissedText(text []byte) error {
	line := trace.FirstLine(text, "//", "--")
	if line == nil && len(text) > 0 {
		return nil
	}
	s := trace.Scanner{Text: line}
	s.Want("[")
	b := new(builder)
	b.session()
	b.event(&s, 1)
	return s.Err
}

// line reads a line of transactions or a separator, which is not empty.
func (b *builder) line(code []byte, line int) error {
	if len(bytes.Trim(code, "-")) == 0 {
		b.session()
		return nil
	}
	s := trace.Scanner{Text: code}
	for s.Spaces(); s.At < len(s.Text); s.Spaces() {
		s.Want("[")
		for s.Err == nil {
			b.event(&s, line)
			if s.Eat("]") {
				break
			}
		}
		if s.Err != nil {
			return s.Err
		}
		b.end(!s.Eat("!"))
	}
	return nil
}

// event reads "x:=1", "x==1" or "x==?".
func (b *builder) event(s *trace.Scanner, line int) {
	if s.Next()-'0' <= 9 {
		s.Unexpected("a variable")
	}
	name := s.Name("a variable")
	write := s.Eat(":=")
	if !write && !s.Eat("==") {
		s.Unexpected(`":=" or "=="`)
	}
	var value gen.Value
	if write || !s.Eat("?") {
		value = s.Number()
	}
	if s.Err != nil {
		return
	}
	if isNumbered(string(name)) {
		name = name[1:]
	}
	b.add(write, name, value, line)
}

// isNumbered reports whether a variable names a numbered location: v and a
// number without leading zeros.
func isNumbered(name string) bool {
	return len(name) > 1 && name[0] == 'v' && isNumber(name[1:])
}

func isNumber(name string) bool {
	return name == "0" || name != "" && name[0] != '0' && trace.IsDigits([]byte(name))
}

// Variables are the names that the text form gives locations: identifiers are
// their own, but for those that read as numbered, and numbers have a v in
// front. Other names make all locations be numbered.
func Variables(locations []string) []string {
	list := make([]string, len(locations))
	keeps := Keeps(locations)
	for i, name := range locations {
		switch {
		case !keeps:
			list[i] = fmt.Sprintf("v%d", i)
		case isNumber(name):
			list[i] = "v" + name
		default:
			list[i] = name
		}
	}
	return list
}

// Keeps reports whether locations of these names keep them in the text form.
func Keeps(locations []string) bool {
	for _, name := range locations {
		if !isNumber(name) && (!isIdentifier(name) || isNumbered(name)) {
			return false
		}
	}
	return true
}

func isIdentifier(name string) bool { return trace.IsWord([]byte(name)) && name[0]-'0' > 9 }
