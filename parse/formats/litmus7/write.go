package litmus7

import (
	"fmt"
	"io"
	"strconv"
)

// Write writes a result in its form, and an empty line after it. A result that
// is not valid is refused.
func Write(w io.Writer, r *Result) error {
	if err := r.Validate(); err != nil {
		return fmt.Errorf("write result of %s: %w", r.Test, err)
	}
	if _, err := w.Write(r.append(nil)); err != nil {
		return fmt.Errorf("write result of %s: %w", r.Test, err)
	}
	return nil
}

func (r *Result) append(text []byte) []byte {
	line := func(format string, args ...any) { text = fmt.Appendf(text, format+"\n", args...) }
	line("Test %s %s", r.Test, r.Kind)
	if r.Form == Herd7 {
		line("States %d", len(r.States))
	} else {
		line("Histogram (%d states)", len(r.States))
	}
	for i := range r.States {
		s := &r.States[i]
		if r.Form == Litmus7 {
			mark := byte(':')
			if s.Witness {
				mark = '*'
			}
			start := len(text)
			text = strconv.AppendUint(text, s.Count, 10)
			for len(text) < start+countWidth {
				text = append(text, ' ')
			}
			text = append(text, mark, '>')
		}
		text = append(s.appendTo(text), '\n')
	}
	if r.Loop {
		text = append(text, loopWord...)
	}
	line("%s", okText(r.OK))
	positive, negative := r.witnesses()
	if r.Form == Herd7 {
		line("Witnesses\nPositive: %d Negative: %d\nCondition %s", positive, negative, r.Condition)
		line("Observation %s %s %d %d", r.Test, r.Observation, r.Positive, r.Negative)
		r.appendTime(&text)
		r.appendInfo(&text)
		return append(text, '\n')
	}
	line("\nWitnesses\nPositive: %d, Negative: %d\nCondition %s is %s", positive, negative, r.Condition, validatedText(r.OK))
	r.appendInfo(&text)
	line("Observation %s %s %d %d", r.Test, r.Observation, r.Positive, r.Negative)
	r.appendTime(&text)
	return append(text, '\n')
}

// countWidth is how many columns a count fills at least.
const countWidth = 6

func (r *Result) appendTime(text *[]byte) {
	if r.Time >= 0 {
		*text = fmt.Appendf(*text, "Time %s %.2f\n", r.Test, r.Time.Seconds())
	}
}

func (r *Result) appendInfo(text *[]byte) {
	if r.Hash != "" {
		*text = append(append(append(*text, hashKey...), r.Hash...), '\n')
	}
	for _, info := range r.Info {
		*text = append(append(*text, info...), '\n')
	}
}

const (
	hashKey  = "Hash="
	loopWord = "Loop "
)

func okText(ok bool) string {
	if ok {
		return "Ok"
	}
	return "No"
}

func validatedText(ok bool) string {
	if ok {
		return "validated"
	}
	return "NOT validated"
}
