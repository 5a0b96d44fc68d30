package checktest

import (
	"bytes"
	"errors"
	"fmt"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// Parse reads a test; name is the file's, for messages. The error joins all
// faults of syntax, and relations between microops that they cannot relate,
// each with name and line; what else is wrong with an alternative does not
// keep the others from being read.
func Parse(name string, data []byte) (*Test, error) {
	r := &reader{name: name, test: new(Test)}
	if err := r.faults.ReadLines(bytes.NewReader(data), name, r.line); err != nil {
		return nil, err
	}
	r.close()
	if r.test.Outcome == OutcomeUnknown {
		r.faults.Faultf(1+bytes.Count(data, []byte{'\n'}), "want Forbidden, Permitted, Required or Unobserved at the end")
	}
	if err := r.faults.Err(name); err != nil {
		return nil, err
	}
	return r.test, nil
}

type reader struct {
	name   string
	test   *Test
	alt    *alternative  // nil before the first
	faults trace.Builder // of the whole test
}

func (r *reader) close() {
	if r.alt == nil || r.faults.Err(r.name) != nil {
		return
	}
	h, err := r.alt.history(r.name)
	r.test.Alternatives = append(r.test.Alternatives, Alternative{Line: r.alt.first, History: h, Err: err, Notes: r.alt.notes})
}

func (r *reader) line(text []byte, line int) error {
	if r.test.Outcome != OutcomeUnknown {
		return fmt.Errorf("%q after the outcome", text)
	}
	s := &scanner{trace.Scanner{Text: text}}
	switch word := string(text); word {
	case "Alternative":
		r.close()
		r.alt = newAlternative(line)
		return nil
	case "Initial", "Microops", "Thread", "Final":
		return nil
	default:
		if outcome, ok := ParseOutcome(word); ok {
			r.test.Outcome = outcome
			if r.alt == nil {
				return errors.New("a test without a microop")
			}
			return nil
		}
	}
	if s.Next() == '(' {
		return r.equation(s, line)
	}
	if r.alt == nil {
		r.alt = newAlternative(line)
	}
	if s.Eat("Relationship") {
		return r.alt.relationship(s, line)
	}
	return r.alt.microop(s, line)
}

// equation reads (PA 0 0) = 1, where the right side may be (Data 1).
func (r *reader) equation(s *scanner, line int) error {
	loc := s.address("PA")
	s.Want("=")
	value := s.data()
	s.End()
	switch {
	case s.Err != nil:
		return s.Err
	case r.alt != nil:
		r.alt.finals = append(r.alt.finals, final{loc, value, line})
	case value != 0:
		return fmt.Errorf("initial value %d of %s: want 0", value, loc)
	}
	return nil
}

type scanner struct{ trace.Scanner }

// address reads (PA 0 8) as "0_8".
func (s *scanner) address(kind string) string {
	s.Want("(")
	s.Want(kind)
	tag, index := s.Number(), s.Number()
	s.Want(")")
	if index == 0 {
		return fmt.Sprint(tag)
	}
	return fmt.Sprintf("%d_%d", tag, index)
}

func (s *scanner) data() gen.Value {
	if !s.Eat("(") {
		return s.Number()
	}
	s.Want("Data")
	v := s.Number()
	s.Want(")")
	return v
}

// isAtomic reads from an access's type whether it is part of a
// read-modify-write.
func (s *scanner) isAtomic(atomic bool) bool {
	for s.Err == nil && s.Next() != '(' {
		switch word := s.Name("a type or an address"); string(word) {
		case "normal":
		case "RMW":
			atomic = true
		default:
			s.Fail("type %q of an access is not supported: want normal or RMW", word)
		}
	}
	return atomic
}

// fenceMasks are what the fences of x86 order.
var fenceMasks = map[string]parse.FenceMask{
	"MFENCE": parse.FullFence, "SFENCE": parse.StoreStore, "LFENCE": parse.LoadLoad | parse.LoadStore,
}
