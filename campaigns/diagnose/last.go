package diagnose

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"ordeal/check/picture/chart"
	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/trace"
)

// lastEvents bounds the events before a crash or a deadlock that are kept.
const lastEvents = 500

// Last is the end of a trace: what the protocol did before a failure that no
// model explains, a crash or a deadlock, or the part of it that a filter selects.
type Last struct {
	Events []trace.Event
	// LogHash is the SHA-256 of the log of the traced run, in hexadecimal.
	LogHash string
	cause   Cause // without a witness
	failed  *trace.Event
	reason  string // of the failure of that
	crashed bool
}

// RecordLast repeats a run and keeps its last events, of those that the filter
// selects if it selects any.
func RecordLast(ctx context.Context, r Recorder, job sim.Job, f Filter) (*Last, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if f.Around != "" {
		return nil, fmt.Errorf("%w: no event %q: a failure that no model explains has no witness", ErrFilter, f.Around)
	}
	p := job.Program
	lineOf := func(l gen.LocID) int64 { return r.LineOf(p, l) }
	l := &Last{cause: Cause{Witness: new(Witness), program: p, lineOf: lineOf, names: LineNames(p, everywhere(p), lineOf)}}
	line := int64(-1)
	if f.Location != "" {
		var err error
		if line, err = lineNamed(p, lineOf, f.Location); err != nil {
			return nil, err
		}
	}
	result, err := r.Record(ctx, job, trace.Want{Locations: everywhere(p), Last: job.Rounds - 1, Everywhere: f.Everywhere}, func(e trace.Event) {
		if line >= 0 && e.Line != line || f.Ticks && (e.At < f.From || e.At > f.To) {
			return
		}
		if l.Events = append(l.Events, e); len(l.Events) > 2*lastEvents {
			l.Events = slices.Clone(l.Events[lastEvents:])
		}
	})
	if err != nil {
		return nil, fmt.Errorf("record a run: %w", err)
	}
	if len(l.Events) == 0 && f.Set() {
		return nil, fmt.Errorf("%w: no event is at this location and in these ticks", ErrFilter)
	}
	sum := sha256.Sum256(result.Log)
	l.LogHash = hex.EncodeToString(sum[:])
	l.crashed = result.Outcome == sim.Crash
	l.fail(&result.Failure)
	l.cause.table = TableOf(r.Protocol())
	l.Events = l.Events[max(0, len(l.Events)-lastEvents):]
	return l, nil
}

// fail notes the transition that failed, which is no event of the trace: after the
// last one where its tick is not known, as gem5's.
func (l *Last) fail(f *sim.Failure) {
	e, ok := FailedTransition(f)
	if !ok {
		return
	}
	if e.At == 0 && len(l.Events) > 0 {
		e.At = l.Events[len(l.Events)-1].At
	}
	l.failed, l.reason = &e, f.Kind
}

// FailedTransition is the transition in which a run failed; false if none did.
func FailedTransition(f *sim.Failure) (e trace.Event, ok bool) {
	at := &f.At
	return trace.Event{
		Kind: trace.Transition, At: at.Tick, Place: at.Controller, State: at.Row.State, Name: at.Row.Event, Next: "failed", Line: at.Address,
	}, at.Row != sim.Row{}
}

// Transitions are those of the line on which a transition failed, or of all lines where
// none did, the last one first.
func (l *Last) Transitions() []trace.Event {
	var list []trace.Event
	for _, e := range slices.Backward(l.Events) {
		if e.Kind == trace.Transition && (l.failed == nil || e.Line == l.failed.Line) {
			list = append(list, e)
		}
	}
	return list
}

// Text is the events, a line each.
func (l *Last) Text() []string {
	var lines []string
	for i := range l.Events {
		lines = append(lines, l.cause.EventText(&l.Events[i]))
	}
	return lines
}

// concerned are the last events, without hits, of the line on which a transition failed or, after a crash, the
// last one was; all of them, and no line, where neither is known, as after a deadlock.
func (l *Last) concerned() (events []trace.Event, line int64) {
	line = -1
	if list := l.Transitions(); l.failed != nil {
		line = l.failed.Line
	} else if l.crashed && len(list) > 0 {
		line = list[0].Line
	}
	events = withoutHits(onLine(l.Events, line))
	if line >= 0 {
		events = events[max(0, len(events)-crashEvents):]
	}
	return events, line
}

// crashEvents bounds those that the picture of a crash has of the line.
const crashEvents = 40

// withoutHits leaves out the accesses of cores that find their line, and the transitions
// that serve them.
func withoutHits(events []trace.Event) []trace.Event {
	miss := map[int64]int64{} // the tick of the last transition that is no hit, by line
	return slices.DeleteFunc(events, func(e trace.Event) bool {
		hit := e.Own && e.State == e.Next
		if e.Kind == trace.Transition && !hit {
			miss[e.Line] = e.At
		}
		at, ok := miss[e.Line]
		return e.Kind == trace.Transition && hit || e.Kind == trace.Access && !(ok && at == e.At)
	})
}

// WriteSVG draws the last of the events, without hits.
func (l *Last) WriteSVG(w io.Writer, title string) error {
	events, line := l.concerned()
	d := chart.Chart{
		Title: title, Events: events, Lines: l.cause.names, Accesses: map[int]string{}, Marks: map[int]chart.Mark{},
		Omitted: len(l.Events) - len(events), Legend: map[string]string{chart.Fault: "where the run failed"},
	}
	if name := l.cause.names[line]; name != "" {
		d.Lines = map[int64]string{line: name}
		d.Notes = []string{fmt.Sprintf("The line %#x of %s.", line, strings.ReplaceAll(name, ",", ", "))}
	}
	for i, e := range events {
		if e.Kind == trace.Access && e.Loc >= 0 {
			d.Accesses[i] = operationText(l.cause.program.Locations[e.Loc], e.Reads, e.Writes, e.Read, e.Written)
		}
	}
	if l.failed != nil {
		place, actions := l.cause.source(l.failed)
		d.Marks[len(d.Events)] = chart.Mark{Class: chart.Fault, Note: strings.TrimSpace(l.reason + "  " + place)}
		if len(actions) > 0 {
			d.Notes = append(d.Notes, "The actions of the transition that failed: "+strings.Join(actions, ", ")+".")
		}
		d.Events = append(slices.Clip(d.Events), *l.failed)
		return d.WriteSVG(w)
	}
	for i, e := range slices.Backward(events) {
		if e.Kind == trace.Transition {
			place, _ := l.cause.source(&e)
			d.Marks[i] = chart.Mark{Class: chart.Fault, Note: "the last transition  " + place}
			break
		}
	}
	return d.WriteSVG(w)
}
