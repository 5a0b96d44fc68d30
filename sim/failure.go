package sim

import "strings"

// Failure is what went wrong in a run, as data. It has no lines, addresses, ticks
// and numbers of controllers but in At, so that a defect is one Failure in all runs
// and in all versions of a file. Empty fields are not known, or do not matter to
// failures of the kind.
type Failure struct {
	// Kind says what failed, in words that are the same for all protocols: a
	// constant below, or the simulator's own words.
	Kind string `json:"kind,omitempty"`
	// Row is the row of the protocol's table, or as much of it as names the failure.
	Row Row `json:"row,omitzero"`
	// Buffer is the message buffer; several are joined by " and ".
	Buffer string `json:"buffer,omitempty"`
	// Function is the action, function or port of the protocol whose statement
	// failed. Text is what that asserts, or its message, or the statement itself; of
	// other kinds what tells them apart. It is one line.
	Function string `json:"function,omitempty"`
	Text     string `json:"text,omitempty"`
	// Model forbids the history of a violation; Shape is the program order that the
	// cycle of a minimal one takes, see diagnose.Shape.
	Model string `json:"model,omitempty"`
	Shape string `json:"shape,omitempty"`
	// At is the place of the failure in this run and in this version of the protocol.
	At Place `json:"at,omitzero"`
}

// Place is where a run failed, as far as that is known. It does not identify a failure.
type Place struct {
	// File is relative to the directory of the protocol's root file; Line and Column
	// count from 1; 0 is unknown.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Controller is the machine and the number of the controller, as "L1Cache 2", that
	// took Row at a tick, about the line at an address.
	Controller string `json:"controller,omitempty"`
	Row        Row    `json:"row,omitzero"`
	Tick       int64  `json:"tick,omitempty"`
	Address    int64  `json:"address,omitempty"`
}

// StoresFail is the Text of a livelock in which each linked load is followed by a conditional
// store that fails, as the line was lost in between: neither Arm nor RISC-V promises that any
// succeeds where other accesses take the line's place, or the line.
const StoresFail = "conditional stores fail again and again"

// The kinds of failures of a memory system whose titles have a form of their own.
const (
	KindInvalidTransition = "invalid transition"
	KindAssertion         = "failed assertion"
	KindError             = "error" // Text is the protocol's message
	KindDeadlock          = "deadlock"
	KindRequestLost       = "deadlock: a request is lost"
	KindUnanswered        = "deadlock: a request is not answered"
	KindLivelock          = "livelock"
	KindStarvation        = "starvation"    // of the access that waits where Row and Buffer say
	KindUnsupplied        = "not simulated" // Text is what the simulated machine lacks: no failure of the protocol
	KindNoData            = "functional read finds no data"
	KindOldData           = "functional read finds an old value"
	KindTwoWriters        = "a core may write" // in State, while another core has the line in the state of Text
	KindAtRest            = "at rest"
	KindOldAtRest         = "at rest a copy"
)

// The kinds of violations of a memory model: see package diagnose.
const (
	KindForbidden   = "history forbidden"
	KindStaleCopy   = "stale copy"
	KindValueLost   = "value lost"
	KindOldBrought  = "old data brought"
	KindOvertaken   = "overtaken data read"
	KindNotRepeated = "load not repeated"
	KindNotAtomic   = "atomic operation torn apart"
)

// forms render the kinds. Of the forms of a kind the first counts whose names in
// braces are all known.
var forms = map[string][]string{
	"":                    {"{machine} {text} in {state}", "{machine} {text}"},
	KindInvalidTransition: {"{kind} ({state}, {event}) of {machine}"},
	KindDeadlock:          {"{kind}: {machine} holds back {buffer} in {state}", "{kind}: {machine} {text} in {state}", "{kind}: {machine} {text}"},
	KindRequestLost:       {"{kind}, {machine} in {state}"},
	KindUnanswered:        {"{kind}, {machine} in {state}"},
	KindLivelock:          {"{kind}: {machine} takes ({state}, {event})", "{kind}: {machine} {text}"},
	KindStarvation:        {"{kind}: {machine} holds back {buffer} in {state}", "{kind}: {machine} {text} in {state}", "{kind}: {machine} in {state}"},
	KindNoData:            {"{kind}: {machine} in state {state}"},
	KindOldData:           {"{kind}: {machine} in state {state}"},
	KindTwoWriters:        {"{kind} in {state} while another is in {text}"},
	KindAtRest:            {"{kind} {machine} {text} in {state}", "{kind} {machine} {text}"},
	KindOldAtRest:         {"{kind} in {state} is not the last write"},
	KindForbidden:         {"{kind} by {model}: {shape}", "{kind} by {model}"},
	KindStaleCopy:         {"{kind} after {machine}({state},{event})", "{kind} in {machine}({state})"},
	KindValueLost:         {"{kind} after {event} in {machine}"},
	KindOldBrought:        {"{kind} to {machine}"},
	KindOvertaken:         {"{kind} in {machine}({state})"},
	KindNotAtomic:         {"{kind} by {machine}({state},{event})"},
	KindNotRepeated:       {"{kind} after {machine}({state},{event})"},
}

// otherForms render other kinds, and those of which too little is known.
var otherForms = []string{
	"{kind} in {machine}.{function}: {text}", "{kind} in {machine}.{function}", "{kind} in {machine}: {text}", "{kind} in {function}: {text}", "{kind}: {text}", "{kind} in {machine}", "{kind}",
}

// Title renders the failure as one line, which is empty for the zero Failure and
// equal for equal ones. It is for readers: no code reads it back.
func (f *Failure) Title() string {
	for _, list := range [][]string{forms[f.Kind], otherForms} {
		for _, form := range list {
			if title, ok := f.fill(form); ok {
				return title
			}
		}
	}
	return ""
}

// fill replaces the names in a form; ok is false where one of them is not known.
func (f *Failure) fill(form string) (title string, ok bool) {
	for form != "" {
		before, rest, found := strings.Cut(form, "{")
		title += before
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		value := map[string]string{
			"kind": f.Kind, "machine": f.Row.Machine, "state": f.Row.State, "event": f.Row.Event,
			"buffer": f.Buffer, "function": f.Function, "text": f.Text, "model": f.Model, "shape": f.Shape,
		}[name]
		if value == "" && name != "kind" {
			return "", false
		}
		title, form = title+value, after
	}
	return title, true
}
