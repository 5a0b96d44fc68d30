package litmus

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ordeal/check"
	"ordeal/gen"
	format "ordeal/parse/formats/litmus"
	"ordeal/parse/formats/litmus7"
)

// DefaultModels are the models that final states of tests are compared with unless others
// are named, by instruction set: that of the machines, and before it on x86 sc, which does
// not know the instructions of the others.
func DefaultModels(isa gen.ISA) []string {
	switch isa {
	case gen.X86:
		return []string{"sc", "tso"}
	case gen.AArch64:
		return []string{"armv8"}
	}
	return []string{"rvwmo"}
}

// LogTests are the tests whose source stands in a log, as litmus7 prints it by default.
// What cannot be read of them is left out; Evaluate says of their results that there is none.
func LogTests(name string, data []byte) []*Test {
	var tests []*Test
	var source []string // from the line that names architecture and test on
	for line := range strings.SplitSeq(string(data), "\n") {
		line = litmus7.WithoutTime(strings.TrimRight(line, "\r"))
		words := strings.Fields(line)
		isEnd := strings.HasPrefix(line, "Generated assembler") || len(words) == 3 && words[0] == "Test"
		switch {
		case source == nil && len(words) == 2 && format.Missed([]byte(line)) == nil:
			source = []string{line}
		case source != nil && isEnd:
			if test, err := format.Parse(name, []byte(strings.Join(source, "\n"))); err == nil {
				tests = append(tests, &Test{Test: test, File: name})
			}
			source = nil
		case source != nil:
			source = append(source, line)
		}
	}
	return tests
}

// Evaluation says which of the final states that were seen a model forbids.
type Evaluation struct {
	Model     string
	Forbidden []litmus7.State
	Unknown   string // why there is no answer
}

// Evaluate compares the final states of a result with those that models allow; none: those of
// DefaultModels. The test may be nil: then nothing is known.
func Evaluate(r *litmus7.Result, t *Test, models []string) []Evaluation {
	if t == nil {
		return []Evaluation{{Unknown: "there is no source of the test: name it with --tests"}}
	}
	if len(models) == 0 {
		models = DefaultModels(t.Program.ISA)
	}
	var list []Evaluation
	for _, m := range models {
		j := Evaluation{Model: m}
		if err := j.evaluate(r, t); err != nil {
			j.Unknown = err.Error()
		}
		list = append(list, j)
	}
	return list
}

func (j *Evaluation) evaluate(r *litmus7.Result, t *Test) error {
	a, err := enumerate(t, j.Model)
	if err != nil {
		return err
	}
	parts := func(canonical string) []string { return strings.Split(canonical, "; ") }
	var allowed [][]string
	for _, text := range a.states {
		allowed = append(allowed, parts(canonicalText(t, text)))
	}
	for i := range r.States {
		seen := parts(canonical(t, &r.States[i]))
		for _, part := range seen {
			name, _, _ := strings.Cut(part, "=")
			if name != "" && !slices.ContainsFunc(t.Seen, func(v format.Variable) bool { return v.String() == name }) {
				return errors.New("the log has variables that the test does not ask for")
			}
		}
		if !slices.ContainsFunc(allowed, func(state []string) bool {
			return !slices.ContainsFunc(seen, func(part string) bool { return !slices.Contains(state, part) })
		}) {
			j.Forbidden = append(j.Forbidden, r.States[i])
		}
	}
	return nil
}

// String is the answer in words: "sc forbidden", or what is not known.
func (j *Evaluation) String() string {
	switch {
	case j.Unknown != "":
		return strings.TrimSpace(j.Model + " unknown: " + j.Unknown)
	case len(j.Forbidden) > 0:
		return j.Model + " forbidden"
	}
	return j.Model + " allowed"
}

// Ask reports whether the condition of the test holds in a state that a model allows, for forall
// in all of them, by enumeration.
func (t *Test) Ask(m string) check.Verdict {
	v := check.Verdict{Model: m}
	a, err := enumerate(t, m)
	if err != nil {
		v.Reason = err.Error()
		return v
	}
	holds := map[string]bool{}
	for _, s := range a.outcomes {
		if s.Holds() {
			holds[s.String()] = true
		}
	}
	v.Answer = check.Forbidden
	if len(holds) > 0 && (t.Quantifier != format.Forall || len(holds) == len(a.states)) {
		v.Answer = check.Allowed
	}
	v.Reason = fmt.Sprintf("(the condition holds in %d of %d states)", len(holds), len(a.states))
	return v
}
