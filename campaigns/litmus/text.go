package litmus

import (
	"fmt"
	"io"
	"strings"

	"ordeal/campaigns/internal/messages"
	"ordeal/parse/formats/litmus7"
)

// maxForbidden is how many forbidden outcomes of a test are listed.
const maxForbidden = 10

// WriteTo writes the histogram in the form of litmus7, and what it lacks: the
// outcomes that the model forbids, with a witness of the first, what went
// wrong, and what herd7 says.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	if err := litmus7.Write(&b, &r.Result); err != nil {
		return 0, err
	}
	for i, f := range r.Forbidden {
		if i == maxForbidden {
			fmt.Fprintf(&b, "… and %d more forbidden outcomes\n", len(r.Forbidden)-i)
			break
		}
		fmt.Fprintf(&b, "FORBIDDEN %d× %s\n", f.Count, f.State)
		fmt.Fprintf(&b, "  outcome  %s\n", f.Outcome)
		if f.Dir == "" {
			continue
		}
		indent(&b, f.Witness)
		fmt.Fprintf(&b, "  explain  ordeal check --explain %s\n  repeat   ordeal repro %s\n", messages.QuotedPath(f.Dir), messages.QuotedPath(f.Dir))
	}
	if f := r.Failure; f != nil {
		outcome := f.Outcome.String()
		b.WriteString(strings.ToUpper(outcome) + messages.EscapeLine(f.Outcome.Titled(f.Title)[len(outcome):]) + "\n")
		indent(&b, f.Detail)
		if f.Dir != "" {
			fmt.Fprintf(&b, "  repeat   ordeal repro %s\n", messages.QuotedPath(f.Dir))
		}
	}
	if h := r.Herd; h != nil {
		switch {
		case h.Skipped != "":
			fmt.Fprintf(&b, "herd7 was not compared: %s\n", h.Skipped)
		case h.Agrees():
			fmt.Fprintf(&b, "herd7 allows the same %d states\n", r.Allowed)
		}
		for _, s := range h.OnlyHerd {
			fmt.Fprintf(&b, "DISAGREEMENT only herd7 allows %s\n", s)
		}
		for _, s := range h.OnlyOurs {
			fmt.Fprintf(&b, "DISAGREEMENT herd7 forbids %s\n", s)
		}
	}
	if !strings.HasSuffix(b.String(), "\n\n") {
		b.WriteByte('\n')
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// indent writes the lines of a text with two spaces in front, but for empty ones.
func indent(b *strings.Builder, text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		line = strings.TrimRight(line, "\n")
		if line != "" {
			line = "  " + line
		}
		b.WriteString(line + "\n")
	}
}

// Table has a line for each test: how many of the states that the model
// allows were seen, whether the condition held, rounds in which something forbidden was
// seen, rounds made and their rate.
func Table(reports []*Report) *messages.Table {
	t := &messages.Table{Header: []any{"test", "states", "condition", "forbidden", "rounds", "rounds/s", "failure"}, Left: []int{6}}
	for _, r := range reports {
		failure := ""
		if r.Failure != nil {
			failure = r.Failure.Outcome.Titled(messages.EscapeLine(r.Failure.Title))
		}
		t.Rows = append(t.Rows, []any{
			r.Result.Test, fmt.Sprintf("%d/%d", r.AllowedSeen, r.Allowed), r.Result.Observation, r.ForbiddenRounds(), r.Rounds, fmt.Sprintf("%.0f", r.Rate()), failure,
		})
	}
	return t
}

// ForbiddenRounds is in how many rounds something forbidden was seen.
func (r *Report) ForbiddenRounds() (n uint64) {
	for _, f := range r.Forbidden {
		n += f.Count
	}
	return n
}

// Rate is the number of rounds a second, with everything that belongs to them.
func (r *Report) Rate() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Rounds) / r.Elapsed.Seconds()
}
