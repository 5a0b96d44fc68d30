package checktest

import (
	"errors"
	"fmt"
	"strings"

	"ordeal/gen"
	"ordeal/gen/faults"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// Parse reads a test; name is the file's, for messages. The error joins all
// faults of syntax, and relations between microops that they cannot relate,
// each with name and line; what else is wrong with an alternative does not
// keep the others from being read.
func Parse(name string, data []byte) (*Test, error) {
	r := &reader{name: name, test: new(Test)}
	line := 0
	for text := range strings.SplitSeq(string(data), "\n") {
		line++
		if words := split(text); len(words) > 0 {
			if err := r.line(words, line); err != nil {
				r.fault(line, err)
			}
		}
	}
	r.close()
	if r.test.Outcome == OutcomeUnknown {
		r.fault(line, errors.New("want Forbidden, Permitted, Required or Unobserved at the end"))
	}
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	return r.test, nil
}

// split makes words of a line; parentheses, arrow and = are words.
func split(line string) []string {
	line = strings.NewReplacer("(", " ( ", ")", " ) ", "->", " -> ", "=", " = ").Replace(line)
	return strings.Fields(line)
}

type reader struct {
	name   string
	test   *Test
	alt    *alternative // nil before the first
	faults faults.List
}

func (r *reader) fault(line int, err error) {
	r.faults.Addf("%s:%d: %w", r.name, line, err)
}

func (r *reader) close() {
	if r.alt == nil || r.faults.Count() > 0 {
		return
	}
	h, err := r.alt.history(r.name)
	r.test.Alternatives = append(r.test.Alternatives, Alternative{Line: r.alt.first, History: h, Err: err, Notes: r.alt.notes})
}

func (r *reader) line(words []string, line int) error {
	if r.test.Outcome != OutcomeUnknown {
		return fmt.Errorf("%q after the outcome", words[0])
	}
	outcome, isOutcome := ParseOutcome(words[0])
	switch word := words[0]; {
	case len(words) == 1 && word == "Alternative":
		r.close()
		r.alt = newAlternative(line)
	case len(words) == 1 && (word == "Initial" || word == "Microops" || word == "Thread" || word == "Final"):
	case len(words) == 1 && isOutcome:
		r.test.Outcome = outcome
		if r.alt == nil {
			return errors.New("a test without a microop")
		}
	case word == "(":
		return r.equation(words, line)
	default:
		if r.alt == nil {
			r.alt = newAlternative(line)
		}
		if word == "Relationship" {
			return r.alt.relationship(words[1:], line)
		}
		return r.alt.microop(words, line)
	}
	return nil
}

// equation reads (PA 0 0) = 1, where the right side may be (Data 1).
func (r *reader) equation(words []string, line int) error {
	f := &form{words: words}
	loc := f.address("PA")
	f.want("=")
	value := f.data()
	f.end()
	if f.err != nil {
		return f.err
	}
	if r.alt != nil {
		r.alt.finals = append(r.alt.finals, final{loc, value, line})
	} else if value != 0 {
		return fmt.Errorf("initial value %d of %s: want 0", value, loc)
	}
	return nil
}

// form reads the words of a line. The first error stays.
type form struct {
	words []string
	err   error
}

func (f *form) next() string {
	if len(f.words) == 0 {
		return ""
	}
	return f.words[0]
}

func (f *form) unexpected(wanted string) {
	if f.err != nil {
		return
	}
	if len(f.words) == 0 {
		f.err = fmt.Errorf("want %s at the end of the line", wanted)
	} else {
		f.err = fmt.Errorf("want %s before %q", wanted, f.words[0])
	}
}

func (f *form) want(word string) {
	if f.err == nil && f.next() == word {
		f.words = f.words[1:]
		return
	}
	f.unexpected(fmt.Sprintf("%q", word))
}

func (f *form) end() {
	if len(f.words) > 0 {
		f.unexpected("the end of the line")
	}
}

func (f *form) word(what string) string {
	if f.err != nil || len(f.words) == 0 {
		f.unexpected(what)
		return ""
	}
	word := f.words[0]
	f.words = f.words[1:]
	return word
}

func (f *form) number() gen.Value {
	v, ok := trace.Number([]byte(f.next()))
	if f.err != nil || !ok {
		f.unexpected("a number")
		return 0
	}
	f.words = f.words[1:]
	return v
}

// address reads (PA 0 8) as "0_8".
func (f *form) address(kind string) string {
	f.want("(")
	f.want(kind)
	tag, index := f.number(), f.number()
	f.want(")")
	if index == 0 {
		return fmt.Sprint(tag)
	}
	return fmt.Sprintf("%d_%d", tag, index)
}

func (f *form) data() gen.Value {
	if f.next() != "(" {
		return f.number()
	}
	f.want("(")
	f.want("Data")
	v := f.number()
	f.want(")")
	return v
}

// isAtomic reads from an access's type whether it is part of a
// read-modify-write.
func (f *form) isAtomic(atomic bool) bool {
	for f.err == nil && f.next() != "(" {
		switch word := f.word("a type or an address"); word {
		case "normal", "":
		case "RMW":
			atomic = true
		default:
			f.err = fmt.Errorf("type %q of an access is not supported: want normal or RMW", word)
		}
	}
	return atomic
}

// fenceMasks are what the fences of x86 order.
var fenceMasks = map[string]parse.FenceMask{
	"MFENCE": parse.FullFence, "SFENCE": parse.StoreStore, "LFENCE": parse.LoadLoad | parse.LoadStore,
}
