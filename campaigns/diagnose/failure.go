package diagnose

import (
	"strings"

	"ordeal/sim"
)

// Failure is what one run showed: how it ended, and what went wrong.
type Failure struct {
	Outcome sim.Outcome `json:"outcome"`
	sim.Failure
}

// Of is the failure that a simulator reports; zero for a run that passed.
func Of(r *sim.Result) Failure {
	if r.Outcome == sim.Passed {
		return Failure{}
	}
	return New(r.Outcome, r.Failure, r.Title)
}

// New is a failure with an outcome. What has no fields is of the kind that its title
// says.
func New(outcome sim.Outcome, f sim.Failure, title string) Failure {
	if f.Title() != title {
		f = sim.Failure{Kind: title}
	}
	return Failure{outcome, f}
}

// How says what two failures have in common that are the same.
type How uint8

// The ways in which failures are the same.
const (
	// Exactly: the same outcome and all that identifies a failure, so that the titles
	// are equal. These are one finding.
	Exactly How = iota
	// Ending: as far as both are known. A violation of the same model is the same
	// whatever its place and shape, which only a repeated run shows, and so is a deadlock
	// of which one simulator does not say where it is.
	Ending
	// Alike: perhaps of one cause. Crashes are alike at rows of one machine and of one
	// state or event, and where functional reads find no data; other ends if the outcome is
	// the same, since a lost message or value shows in many places.
	Alike
)

// Same reports whether two failures are the same.
func (f *Failure) Same(other *Failure, how How) bool {
	if f.Outcome != other.Outcome {
		return false
	}
	a, b := f.Key(), other.Key()
	if a == b {
		return true
	}
	switch {
	case how == Ending && f.Outcome == sim.Violation:
		return f.Model == other.Model
	case how == Ending && f.Outcome.Stuck():
		return f.Kind == other.Kind && (f.Row == sim.Row{} || other.Row == sim.Row{})
	case how == Alike && f.Outcome == sim.Crash:
		return f.Kind == other.Kind && (f.Kind == sim.KindNoData || f.Kind == sim.KindInvalidTransition && neighbours(f.Row, other.Row))
	}
	return how == Alike
}

// neighbours reports whether two rows are of one machine and of one state or event.
func neighbours(a, b sim.Row) bool {
	return a.Machine == b.Machine && (a.State == b.State || a.Event == b.Event)
}

// Key is the failure without what does not identify it: keys of failures are equal if
// these are the same Exactly.
func (f *Failure) Key() Failure {
	key := *f
	key.At = sim.Place{}
	if key.Kind != sim.KindForbidden { // the place is known, whatever the model
		key.Model, key.Shape = "", ""
	}
	return key
}

// Matches reports whether a title is covered by a pattern, in which * stands for any
// text.
func Matches(pattern, title string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(title, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}
