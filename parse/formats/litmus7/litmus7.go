// Package litmus7 reads and writes the results of litmus tests as litmus7
// (Alglave, Maranget, Sarkar and Sewell, TACAS 2011) and herd7 (Alglave,
// Maranget and Tautschnig, TOPLAS 2014) print them. A log holds any number of
// results. litmus7 counts how often each final state was seen:
//
//	Test SB Allowed
//	Histogram (2 states)
//	96    *>0:rax=0; 1:rax=0;
//	904   :>0:rax=1; 1:rax=1;
//	Ok
//
//	Witnesses
//	Positive: 96, Negative: 904
//	Condition exists (0:rax=0 /\ 1:rax=0) is validated
//	Hash=0123456789abcdef0123456789abcdef
//	Observation SB Sometimes 96 904
//	Time SB 0.11
//
// herd7 lists the states that a model allows, without counts ("States 2"
// instead of "Histogram …"); its witnesses count candidate executions. What
// stands between results (the source of the test, the assembler) is skipped.
package litmus7

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind says what a test asks of its condition's proposition.
type Kind uint8

// The kinds, with the quantifier that makes a test be of it.
const (
	KindUnknown Kind = iota
	Allowed          // exists: the proposition holds in some state
	Forbidden        // ~exists: in no state does it hold
	Required         // forall: it holds in all states
)

var kindNames = [...]string{"Unknown", "Allowed", "Forbidden", "Required"}

// String is the kind as in logs.
func (k Kind) String() string { return kindNames[k] }

// Form says which tool's layout a result has.
type Form uint8

// The forms.
const (
	Litmus7 Form = iota // a histogram: states have counts and marks
	Herd7               // a list of states
)

// Observation says in how many states, weighted by counts, the proposition
// holds.
type Observation uint8

// The observations.
const (
	ObservationUnknown Observation = iota
	Never
	Sometimes
	Always
)

var observationNames = [...]string{"Unknown", "Never", "Sometimes", "Always"}

// String is the observation as in logs.
func (o Observation) String() string { return observationNames[o] }

// Result is what a tool found out about one test.
type Result struct {
	Form   Form
	Test   string // name
	Log    string // of a table of mcompare, whose it is
	Kind   Kind
	States []State
	// OK says that the condition, with its quantifier, is validated.
	OK bool
	// Loop says that herd7 cut a loop short, so that states may be missing.
	Loop bool
	// Positive and Negative count the outcomes (for herd7, the candidate
	// executions) for which the proposition holds and does not, as in the
	// line "Observation". The line "Witnesses" has them the other way round
	// for Forbidden.
	Positive, Negative uint64
	Condition          string // with its quantifier: "exists (0:rax=0)"
	Hash               string // of the test; empty: not given
	Observation        Observation
	// Time is how long it took, to a hundredth of a second; negative: not
	// given.
	Time time.Duration
	// Info is the "Key=value" and other lines about the run, in order.
	Info []string
	_    struct{}
}

// State is a final state that was seen.
type State struct {
	// Count is how often; 1 in the form of herd7.
	Count uint64
	// Witness is the star of litmus7: the state decides about the condition.
	// The proposition holds in it for kinds Allowed and Forbidden, and does
	// not for kind Required. Always false in the form of herd7.
	Witness bool
	Values  []Binding
}

// Binding is the value of a register ("0:rax") or location ("x", "[x]"), or
// without a value a fault that was or was not seen: "Fault(P0,x)",
// "~Fault(P0,x)".
type Binding struct{ Name, Value string }

func isFault(text string) bool {
	return strings.HasPrefix(strings.TrimPrefix(text, "~"), "Fault(") && strings.HasSuffix(text, ")")
}

// String is the state as in logs: "0:rax=1; x=2;".
func (s *State) String() string { return string(s.appendTo(nil)) }

func (s *State) appendTo(line []byte) []byte {
	for i, b := range s.Values {
		if i > 0 {
			line = append(line, ' ')
		}
		line = append(line, b.Name...)
		if !isFault(b.Name) {
			line = append(append(line, '='), b.Value...)
		}
		line = append(line, ';')
	}
	return line
}

// Tally fills in OK, Positive, Negative and Observation from Kind and the
// counts and marks of the states: all that litmus7 derives.
func (r *Result) Tally() {
	var marked, others uint64
	for i := range r.States {
		if r.States[i].Witness {
			marked += r.States[i].Count
		} else {
			others += r.States[i].Count
		}
	}
	r.Positive, r.Negative = marked, others
	if r.Kind == Required {
		r.Positive, r.Negative = others, marked
	}
	r.OK = r.holds()
	r.Observation = observe(r.Positive, r.Negative)
}

func observe(positive, negative uint64) Observation {
	switch {
	case positive == 0:
		return Never
	case negative == 0:
		return Always
	}
	return Sometimes
}

// holds reports whether the condition is validated, by the counts.
func (r *Result) holds() bool {
	switch r.Kind {
	case Allowed:
		return r.Positive > 0
	case Forbidden:
		return r.Positive == 0
	}
	return r.Negative == 0
}

func (r *Result) witnesses() (positive, negative uint64) {
	if r.Kind == Forbidden {
		return r.Negative, r.Positive
	}
	return r.Positive, r.Negative
}

// Validate reports every reason why the result is none, or cannot be written:
// names, values and lines that do not read back as what they are, and numbers
// that contradict each other. In the form of herd7 the counts of the states
// are 1 and say nothing about Positive and Negative.
func (r *Result) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if !isWord(r.Test) {
		fault("test name %q: want visible ASCII", r.Test)
	}
	if r.Kind < Allowed || r.Kind > Required {
		fault("kind %d", r.Kind)
	}
	if r.Condition != strings.TrimSpace(r.Condition) || strings.ContainsAny(r.Condition, "\r\n") || r.Condition == "" {
		fault("condition %q: want one line", r.Condition)
	}
	if _, validated := cutValidated(r.Condition); validated != nil {
		fault("condition %q ends in the words that say whether it holds", r.Condition)
	}
	if r.Hash != "" && !isWord(r.Hash) {
		fault("hash %q: want visible ASCII", r.Hash)
	}
	if r.Time >= 0 && r.Time%(10*time.Millisecond) != 0 {
		fault("time %v: want hundredths of a second", r.Time)
	}
	for _, line := range r.Info {
		if !isInfo(line) {
			fault("information %q: want Key=value, or Key and a value", line)
		}
	}
	seen := make(map[string]bool, len(r.States))
	for i := range r.States {
		if err := r.States[i].validate(r.Form); err != nil {
			fault("state %d: %w", i+1, err)
		} else if text := r.States[i].String(); seen[text] {
			fault("state %d: %s is listed twice", i+1, text)
		} else {
			seen[text] = true
		}
	}
	faults = append(faults, r.contradictions()...)
	return errors.Join(faults...)
}

func (r *Result) contradictions() (faults []error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if want := observe(r.Positive, r.Negative); r.Observation != want {
		fault("observation %s with %d positive and %d negative: want %s", r.Observation, r.Positive, r.Negative, want)
	}
	if want := r.holds(); r.OK != want {
		fault("%s with %d positive and %d negative: want %s", okText(r.OK), r.Positive, r.Negative, okText(want))
	}
	if r.Form == Litmus7 && r.Loop {
		fault("a loop cut short in the form of litmus7")
	}
	if r.Form == Litmus7 {
		tallied := *r
		tallied.Tally()
		unmarked := tallied.Positive == 0 || tallied.Negative == 0 // old versions leave marks out
		if unmarked && tallied.Positive+tallied.Negative == r.Positive+r.Negative {
			return faults
		}
		if tallied.Positive != r.Positive || tallied.Negative != r.Negative {
			fault("%d positive and %d negative: the states have %d and %d", r.Positive, r.Negative, tallied.Positive, tallied.Negative)
		}
	}
	return faults
}

func (s *State) validate(form Form) error {
	if form == Herd7 && (s.Count != 1 || s.Witness) {
		return fmt.Errorf("count %d or mark in the form of herd7", s.Count)
	}
	for _, b := range s.Values {
		if !isWord(b.Name) || strings.ContainsAny(b.Name, "=;#") {
			return fmt.Errorf("variable %q: want visible ASCII without = ; #", b.Name)
		}
		if isFault(b.Name) && b.Value == "" {
			continue
		}
		if !isWord(strings.ReplaceAll(b.Value, " ", "")) || b.Value != strings.TrimSpace(b.Value) || strings.Contains(b.Value, ";") || isFault(b.Name) {
			return fmt.Errorf("value %q of %s: want ASCII without ;", b.Value, b.Name)
		}
	}
	return nil
}

// isWord reports whether a text is visible ASCII, without spaces.
func isWord(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return text != ""
}
