package dbcop

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// ReadAWDIT reads a history in the text form of AWDIT (format "test"): an operation a line,
// "r KEY VALUE" or "w KEY VALUE", lines of = between sessions and of - between transactions.
// Where 0 is written, which is the initial value in a history, each value is 1 higher.
func ReadAWDIT(in io.Reader, name string) (*parse.History, []string, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", name, err)
	}
	var b builder
	shift := gen.Value(0)
	if writesZero(data) {
		shift = 1
	}
	begun := false
	err = b.ReadLines(bytes.NewReader(data), name, func(code []byte, line int) error {
		if !begun {
			b.session()
			begun = true
		}
		switch code[0] {
		case '=', '-':
			if len(bytes.Trim(code, string(code[:1]))) > 0 {
				return errors.New("want a line of = or - alone")
			}
			if b.end(true); code[0] == '=' {
				b.session()
			}
			return nil
		}
		s := trace.Scanner{Text: code}
		write := s.Eat("w ")
		if !write && !s.Eat("r ") {
			s.Unexpected(`"r " or "w "`)
		}
		s.Spaces()
		from := s.At
		s.Number()
		key := code[from:s.At]
		value := s.Number()
		s.End()
		switch {
		case s.Err != nil:
			return s.Err
		case value == math.MaxUint64 && shift > 0:
			return errors.New("the value 2⁶⁴-1 in a history that writes 0")
		}
		b.add(write, key, value+shift, line)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if begun {
		b.end(true)
	}
	h, notes, err := b.finish(name)
	if err == nil && shift > 0 {
		notes = append(notes, "values as they are: each is 1 higher, since 0 is written")
	}
	return h, notes, err
}

// writesZero reports whether some line writes 0.
func writesZero(data []byte) bool {
	for line := range bytes.SplitSeq(data, []byte{'\n'}) {
		if f := bytes.Fields(line); len(f) == 3 && string(f[0]) == "w" && string(f[2]) == "0" {
			return true
		}
	}
	return false
}

// MissedAWDIT says what the first line of a text has not of an operation.
func MissedAWDIT(text []byte) error {
	f := bytes.Fields(trace.FirstLine(text))
	if len(f) == 3 && (string(f[0]) == "r" || string(f[0]) == "w") && trace.IsDigits(f[1]) && trace.IsDigits(f[2]) {
		return nil
	}
	return errors.New(`want "r KEY VALUE" or "w KEY VALUE" in the first line`)
}
