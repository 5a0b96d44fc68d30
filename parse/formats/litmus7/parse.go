package litmus7

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ordeal/gen/faults"
	"ordeal/sim/lazyregexp"
)

// Parse reads the results of a log in either form; name is the file's, for
// messages. A result begins with the line "Test NAME KIND" and ends with what
// follows its Observation line without a gap; everything outside of results
// is skipped. The error joins all faults, each with name and line: what is
// malformed or missing, and numbers that contradict each other.
func Parse(name string, data []byte) ([]Result, error) {
	r := &reader{name: name, rest: string(data)}
	if isTable(r.rest) {
		return r.tables()
	}
	var results []Result
	var all faults.List
	for r.next() {
		if !isHead(r.text) {
			continue
		}
		start := r.line
		result, err := r.result()
		if err == nil {
			if err = result.Validate(); err != nil {
				err = fmt.Errorf("parse %s:%d: test %s: %w", name, start, result.Test, err)
			}
		}
		if err != nil {
			all.Add(err)
		} else {
			results = append(results, result)
		}
	}
	if err := all.Err(); err != nil {
		return nil, err
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("parse %s: no line \"Test NAME Allowed\", Forbidden or Required begins a result", name)
	}
	return results, nil
}

// Missed says what a text, the beginning of a log, has not of a result of the form;
// nil if the first one begins in it.
func (f Form) Missed(text []byte) error {
	r := &reader{rest: string(text)}
	if f == Litmus7 && isTable(r.rest) {
		return nil
	}
	for r.next() {
		if !isHead(r.text) {
			continue
		}
		head, result := r.text, Result{}
		if _, err := r.heading(&result); err == nil && result.Form == f {
			return nil
		}
		return fmt.Errorf("want %s behind %q", headings[f], head)
	}
	return errors.New("want a line \"Test NAME Allowed\", Forbidden or Required, or a table of mcompare")
}

// headings are those of the states, by form.
var headings = [...]string{Litmus7: `"Histogram (N states)"`, Herd7: `"States N"`}

func isHead(line string) bool {
	words := strings.Fields(line)
	return len(words) == 3 && words[0] == "Test" && parseKind(words[2]) != KindUnknown
}

// parseKind reads a kind; versions of litmus7 before 2013 write Allow, Forbid and Require.
func parseKind(word string) Kind {
	if i := slices.Index([]string{"Allow", "Forbid", "Require"}, word); i >= 0 {
		return Kind(i + 1)
	}
	return Kind(max(0, slices.Index(kindNames[:], word)))
}

type reader struct {
	name  string
	rest  string
	text  string // of the current line, without space at its end
	line  int    // its number, from 1
	again bool   // next returns the current line once more
}

// next goes to the next line; false at the end.
func (r *reader) next() bool {
	if r.again {
		r.again = false
		return true
	}
	if r.rest == "" {
		return false
	}
	r.text, r.rest, _ = strings.Cut(r.rest, "\n")
	r.text = WithoutTime(strings.TrimRight(r.text, " \t\r"))
	r.line++
	return true
}

// stamp matches what dmesg, journalctl -k and netconsole put before a line of the kernel's log, in
// which klitmus7 prints: the seconds since the start, and a date or a level before them.
var stamp = lazyregexp.New(`^(?:[A-Z][a-z]{2} +\d+ [0-9:]{8} \S+ kernel: )?(?:<\d+>)?\[ *\d+\.\d+(?:,\d+)?\](?: |$)`)

// WithoutTime is a line of a log without the time that the kernel's log has before it.
func WithoutTime(line string) string {
	if line == "" || line[0] != '[' && line[0] != '<' && !strings.Contains(line, " kernel: ") {
		return line
	}
	return line[len(stamp().FindString(line)):]
}

// skip goes to the next line that is not empty.
func (r *reader) skip() bool {
	for r.next() {
		if r.text != "" {
			return true
		}
	}
	return false
}

func (r *reader) fault(format string, args ...any) error {
	return fmt.Errorf("parse %s:%d: %w", r.name, r.line, fmt.Errorf(format, args...))
}

// want says what stands in the current line's place. A line that begins the
// next result is left for it.
func (r *reader) want(what string, there bool) error {
	if !there {
		return r.fault("the log ends where %s is expected", what)
	}
	if isHead(r.text) {
		r.again = true
	}
	return r.fault("%q where %s is expected", r.text, what)
}

func (r *reader) result() (Result, error) {
	words := strings.Fields(r.text)
	result := Result{Test: words[1], Kind: parseKind(words[2]), Time: -1}
	n, err := r.heading(&result)
	if err != nil {
		return result, err
	}
	if err := r.states(&result, n); err != nil {
		return result, err
	}
	if err := r.verdict(&result); err != nil {
		return result, err
	}
	return result, r.tail(&result)
}

// heading reads "Histogram (2 states)" or "States 2", and returns the number.
func (r *reader) heading(result *Result) (int, error) {
	what := headings[Litmus7] + " or " + headings[Herd7]
	if !r.skip() {
		return 0, r.want(what, false)
	}
	text, histogram := strings.CutPrefix(r.text, "Histogram (")
	if histogram {
		text, histogram = strings.CutSuffix(text, " states)")
	} else if text, result.Form = strings.TrimPrefix(r.text, "States "), Herd7; text == r.text {
		return 0, r.want(what, true)
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || result.Form == Litmus7 && !histogram {
		return 0, r.want(what, true)
	}
	return int(n), nil
}

func (r *reader) states(result *Result, n int) error {
	for i := range n {
		what := fmt.Sprintf("state %d of %d", i+1, n)
		if !r.next() {
			return r.want(what, false)
		}
		if text := strings.TrimPrefix(r.text, loopWord); text == okText(true) || text == okText(false) || isHead(text) {
			return r.want(what, true)
		}
		s := State{Count: 1}
		text := r.text
		if result.Form == Litmus7 {
			end := strings.IndexByte(text, '>')
			if end < 1 || text[end-1] != ':' && text[end-1] != '*' {
				return r.want(what+", a count and :> or *>,", true)
			}
			var err error
			if s.Count, err = parseCount(strings.TrimRight(text[:end-1], " ")); err != nil {
				return r.fault("%w", err)
			}
			s.Witness, text = text[end-1] == '*', text[end+1:]
		}
		var err error
		if s.Values, err = bindings(text); err != nil {
			return r.fault("%w", err)
		}
		result.States = append(result.States, s)
	}
	return nil
}

// bindings reads "0:rax=1; x=2;" with an optional comment behind it.
func bindings(text string) ([]Binding, error) {
	var list []Binding
	for text = strings.TrimSpace(text); text != "" && text[0] != '#'; text = strings.TrimSpace(text) {
		item, rest, closed := strings.Cut(text, ";")
		name, value, assigned := strings.Cut(item, "=")
		if !closed || !assigned && !isFault(item) {
			return nil, fmt.Errorf("%q: want NAME=VALUE;", item)
		}
		b := Binding{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)}
		if slices.ContainsFunc(list, func(other Binding) bool { return other.Name == b.Name }) {
			return nil, fmt.Errorf("the state names %s twice", b.Name)
		}
		list, text = append(list, b), rest
	}
	return list, nil
}

// maxCount bounds counts, so that their sums do not overflow.
const maxCount = math.MaxInt64 >> 16

func parseCount(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > maxCount {
		return 0, fmt.Errorf("%q is no count", text)
	}
	return n, nil
}

// verdict reads Ok or No, the witnesses and the condition.
func (r *reader) verdict(result *Result) error {
	there := r.skip()
	text, loop := strings.CutPrefix(r.text, loopWord)
	switch result.Loop = loop; {
	case there && text == okText(true):
		result.OK = true
	case !there || text != okText(false):
		return r.want("Ok or No", there)
	}
	if there = r.skip(); !there || r.text != "Witnesses" {
		return r.want(`"Witnesses"`, there)
	}
	const what = `"Positive: N, Negative: N"`
	there = r.next()
	words := strings.Fields(r.text)
	if !there || len(words) != 4 || words[0] != "Positive:" || words[2] != "Negative:" {
		return r.want(what, there)
	}
	positive, err := parseCount(strings.TrimSuffix(words[1], ","))
	negative, err2 := parseCount(words[3])
	if err := errors.Join(err, err2); err != nil {
		return r.fault("%w", err)
	}
	// The line counts for Forbidden where the condition, ~exists, holds.
	if result.Positive, result.Negative = positive, negative; result.Kind == Forbidden {
		result.Positive, result.Negative = negative, positive
	}
	return r.condition(result)
}

// condition reads the condition, and in the form of litmus7 whether it holds.
// Flags that herd7 prints before it are kept.
func (r *reader) condition(result *Result) error {
	there := r.skip()
	for there && strings.HasPrefix(r.text, "Flag ") {
		result.Info = append(result.Info, r.text)
		there = r.skip()
	}
	text, ok := strings.CutPrefix(r.text, "Condition ")
	if !there || !ok {
		return r.want("the condition", there)
	}
	text, validated := cutValidated(text)
	switch {
	case result.Form == Litmus7 && validated == nil:
		return r.want(`the condition and "is validated" or "is NOT validated"`, true)
	case validated != nil && *validated != result.OK:
		return r.fault("the condition is %s, but the result is %s", validatedText(*validated), okText(result.OK))
	}
	result.Condition = strings.TrimSpace(text)
	return nil
}

// cutValidated splits what says whether it holds off a condition, nil if
// nothing does.
func cutValidated(text string) (string, *bool) {
	for _, ok := range []bool{true, false} {
		rest, found := strings.CutSuffix(text, " is "+validatedText(ok))
		if !found && !ok {
			rest, found = strings.CutSuffix(text, " is not validated") // of old versions
		}
		if found {
			return rest, &ok
		}
	}
	return text, nil
}
