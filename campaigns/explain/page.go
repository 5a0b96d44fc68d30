// Package explain puts what is known of a recorded run on one page: the witness of
// its verdict, the operations of the program that it consists of, the transitions
// that served them, the messages, and what went wrong. A run of the embedded
// simulator is repeated for that; one of gem5 is explained by the trace that repro
// --trace has left, and any other by its log.
package explain

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/reduction"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/check/picture"
	"ordeal/check/witness"
	"ordeal/gen"
	"ordeal/parse"
	"ordeal/sim"
)

// Version is the version of the JSON form of a page.
const Version = 1

// Page is what is known of a run.
type Page struct {
	Version int         `json:"version"`
	Dir     string      `json:"dir"`
	Outcome sim.Outcome `json:"outcome"`
	// Title names the finding; empty for a run that passed.
	Title string `json:"title,omitempty"`
	// System is what was tested, Core the kind of core.
	System     string       `json:"system"`
	Core       string       `json:"core,omitempty"`
	Seed       uint64       `json:"seed"`
	Number     int          `json:"number"`
	Threads    int          `json:"threads"`
	Rounds     int          `json:"rounds"`
	Operations int          `json:"operations"`
	Answers    []run.Answer `json:"answers"`
	// Detail is what the simulator said of a failure.
	Detail string `json:"detail,omitempty"`
	// Model is the one that forbids the history, Witness its explanation; empty
	// where none does.
	Model   string  `json:"model,omitempty"`
	Witness string  `json:"witness,omitempty"`
	Events  []Event `json:"events,omitempty"`
	// Cause says what went wrong, a sentence each.
	Cause []string `json:"cause,omitempty"`
	// Program has the lines of the program around the events, by thread.
	Program []Excerpt `json:"program,omitempty"`
	// Messages are transitions, messages and accesses, a line each, and About says
	// which.
	Messages []string `json:"messages,omitempty"`
	About    string   `json:"about,omitempty"`
	// Missing says what is not known, and why.
	Missing []string `json:"missing,omitempty"`

	pictures []Picture
	_        struct{}
}

// Event is an operation of the witness.
type Event struct {
	Letter string `json:"letter"`
	// Text is the operation with its values, Place where it is in the program and
	// its execution.
	Text   string `json:"text"`
	Place  string `json:"place"`
	Thread int    `json:"thread"`
	// Operation is its number in the thread, Round the execution of the program,
	// both from 0; Line is its line of program.txt.
	Operation int `json:"operation"`
	Round     int `json:"round"`
	Line      int `json:"line"`
	// Address is that of its location: with a trace that of the simulated machine,
	// else from the start of the program's memory. Empty for a fence.
	Address string `json:"address,omitempty"`
	// Performed says when it performed; empty without a trace.
	Performed string          `json:"performed,omitempty"`
	Steps     []diagnose.Step `json:"transitions,omitempty"`
}

// Excerpt are lines of the program of a thread.
type Excerpt struct {
	Thread int    `json:"thread"`
	Lines  []Line `json:"lines"`
}

// Line is a line of program.txt, from 1, with the letters of the events that
// execute it. Gap means that lines before it are left out.
type Line struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
	Events string `json:"events,omitempty"`
	Gap    bool   `json:"gap,omitempty"`
}

// Options are those of Run.
type Options struct {
	// Model explains why that model forbids the history; empty: the first of those
	// that the run was checked by which does.
	Model string
	// CheckTimeout bounds each check of the history; 0 means no bound.
	CheckTimeout time.Duration
	// Filter selects events of the trace in place of those about the cause.
	Filter diagnose.Filter
	_      struct{}
}

// ErrModel means that a model does not forbid the history of a run.
var ErrModel = errors.New("there is no history that this model forbids")

// Run explains the run recorded in dir. Nothing that the record names is
// executed. An error wraps ErrModel or diagnose.ErrFilter where the options do not fit
// the run.
func Run(ctx context.Context, dir run.Dir, o Options) (*Page, error) {
	x := explanation{dir: dir, o: o}
	if err := x.load(); err != nil {
		return nil, err
	}
	err := x.find(ctx)
	if err == nil && x.refutation != nil {
		err = x.drawWitness()
	}
	switch {
	case err != nil:
	case x.witness != nil:
		err = x.explainCause(ctx)
	case x.result.Diagnosed():
		err = x.explainEnd(ctx)
	case o.Filter.Set():
		err = fmt.Errorf("%w: the run did not fail, and no model forbids its history", diagnose.ErrFilter)
	default:
		x.missing("no model forbids the history: there is no witness")
	}
	if err != nil {
		return nil, err
	}
	return &x.page, nil
}

// explanation is an explanation under way.
type explanation struct {
	dir     run.Dir
	o       Options
	spec    *run.Spec
	program *gen.Program
	result  *run.Result
	page    Page

	history    *parse.History
	model      model.Model
	refutation *witness.Refutation
	witness    *diagnose.Witness // nil: none
}

func (x *explanation) missing(format string, args ...any) {
	x.page.Missing = append(x.page.Missing, fmt.Sprintf(format, args...))
}

// load reads the record.
func (x *explanation) load() error {
	var err error
	if x.spec, x.program, x.result, err = x.dir.Recorded(); err != nil {
		return err
	}
	c := &x.spec.Config
	x.page = Page{
		Version: Version, Dir: string(x.dir), Outcome: x.result.Outcome, Title: x.result.FindingTitle(),
		System: c.System(x.spec.Sim), Seed: x.spec.Seed, Number: x.spec.Number, Threads: len(x.program.Threads), Rounds: c.Rounds,
		Operations: x.result.Operations, Answers: x.result.Answers,
	}
	switch x.spec.Sim {
	case config.SimBuiltin:
		x.page.Core = c.Core
	case config.SimGem5:
		x.page.Core = cmp.Or(c.Agent, c.CPU)
	}
	if x.result.Diagnosed() {
		x.page.Detail = x.result.Detail
	}
	return nil
}

// find looks for the witness: a history that a model forbids.
func (x *explanation) find(ctx context.Context) error {
	forbids := func(a run.Answer) bool {
		return a.Answer == check.Forbidden.String() && (x.o.Model == "" || a.Model == x.o.Model)
	}
	name, answers := x.o.Model, x.result.Answers
	if name == "" && x.result.Diagnosed() {
		answers = answers[:min(1, len(answers))] // what weaker cores may do explains no crash
	}
	if i := slices.IndexFunc(answers, forbids); i >= 0 {
		name = answers[i].Model
	}
	if name == "" && (x.result.Outcome != sim.Violation || len(answers) > 0) {
		return nil
	}
	if rounds := x.spec.Config.Rounds; rounds < 1 || rounds > x.program.MaxRounds() {
		return fmt.Errorf("%s: %d rounds: the program has at most %d", x.dir, rounds, x.program.MaxRounds())
	}
	log, err := x.dir.Log()
	if err != nil {
		return err
	}
	h, err := parse.Native(x.program, x.spec.Config.Rounds, log)
	if value, ok := errors.AsType[*parse.ValueError](err); ok && h == nil {
		x.page.Detail, x.witness = value.Error(), diagnose.WitnessOfValue(x.program, value)
		return nil
	}
	if h == nil {
		return fmt.Errorf("%s: %w", x.dir.Path(run.LogFile), err)
	}
	m, ok := model.ByName(name)
	if !ok {
		return fmt.Errorf("%s: no model %q is known", x.dir, name)
	}
	limits := check.Options{Timeout: x.o.CheckTimeout, AvailableBytes: run.MemoryShare(0)}
	v, err := check.Check(ctx, h, m, limits)
	if err != nil {
		return err
	}
	if v.Answer != check.Forbidden || v.Refutation == nil {
		if x.o.Model != "" {
			return fmt.Errorf("%s: %w: %s says %s", x.dir, ErrModel, m.Name, cmp.Or(v.Reason, v.Answer.String()))
		}
		x.missing("the witness: %s is not shown to forbid the history within the limits", m.Name)
		return nil
	}
	if x.witness, err = diagnose.Minimize(ctx, x.program, h, m, &v, limits); err != nil {
		return err
	}
	x.history, x.model, x.refutation = h, m, v.Refutation
	return nil
}

// Witness draws and explains the history of a recorded run that its expected model
// forbids. An error wraps ErrModel where that is not found.
func Witness(ctx context.Context, dir run.Dir, o Options) (svg []byte, text string, err error) {
	x := explanation{dir: dir, o: o}
	if err := x.load(); err != nil {
		return nil, "", err
	}
	x.o.Model = x.spec.Config.Expect
	if err := x.find(ctx); err != nil {
		return nil, "", err
	}
	if x.refutation == nil {
		return nil, "", fmt.Errorf("%s: %w", dir, ErrModel)
	}
	if err := x.drawWitness(); err != nil {
		return nil, "", err
	}
	return x.page.pictures[0].SVG, x.page.Witness, nil
}

// drawWitness adds the witness as text and as a picture.
func (x *explanation) drawWitness() error {
	small, refutation, _ := witness.Restrict(x.model.View(x.history), x.refutation)
	var text bytes.Buffer
	if err := witness.Explain(&text, small, x.model, refutation); err != nil {
		return err
	}
	x.page.Model, x.page.Witness = x.model.Name, text.String()
	drawn, err := picture.Draw(small, x.model, refutation)
	if err != nil {
		return err
	}
	return x.draw("Witness", drawn.WriteSVG)
}

// explainCause adds the operations of the witness and what the trace shows of them.
func (x *explanation) explainCause(ctx context.Context) error {
	c, err := x.traced(ctx)
	if err != nil {
		return err
	}
	for i := range x.witness.Operations {
		x.page.Events = append(x.page.Events, x.event(c, i))
	}
	x.page.Program = x.excerpts()
	if c == nil {
		return nil
	}
	x.page.Cause = c.Sentences()
	if err := x.messages(c); err != nil {
		return err
	}
	return x.draw("Messages", func(w io.Writer) error { return c.WriteSVG(w, cmp.Or(x.page.Title, "forbidden by "+x.model.Name)) })
}

// event describes operation i of the witness; c is nil without a trace.
func (x *explanation) event(c *diagnose.Cause, i int) Event {
	op := &x.witness.Operations[i]
	e := Event{
		Letter: op.Letter, Text: op.Text, Place: op.Place(), Thread: int(op.Thread), Operation: op.Index, Round: op.Round,
		Line: x.program.Line(op.Thread, op.Index),
	}
	if c == nil {
		if op.Loc >= 0 {
			e.Address = fmt.Sprintf("+%#x", x.program.Offset(op.Loc))
		}
		return e
	}
	if address, ok := c.Address(op); ok {
		e.Address, e.Performed = fmt.Sprintf("%#x", address), c.Performed(i)
	}
	e.Steps = c.Steps(i)
	return e
}

// near is how many lines of the program are shown before and after one that an
// event executes.
const near = 2

// excerpts are the lines of the program around the events.
func (x *explanation) excerpts() []Excerpt {
	text := strings.Split(string(x.program.Text()), "\n")
	var list []Excerpt
	for t := range x.program.Threads {
		events := map[int][]string{}
		for _, e := range x.page.Events {
			if e.Thread == t {
				events[e.Line] = append(events[e.Line], e.Letter)
			}
		}
		if len(events) == 0 {
			continue
		}
		first := x.program.Line(gen.ThreadID(t), 0)
		end := x.program.Line(gen.ThreadID(t), len(x.program.Threads[t])-1) + 1
		excerpt, last := Excerpt{Thread: t}, first-1
		for n := first; n < end; n++ {
			shown := slices.ContainsFunc(x.page.Events, func(e Event) bool { return e.Thread == t && e.Line-near <= n && n <= e.Line+near })
			if !shown {
				continue
			}
			excerpt.Lines = append(excerpt.Lines, Line{Number: n, Text: text[n-1], Events: strings.Join(events[n], ", "), Gap: n > last+1})
			last = n
		}
		list = append(list, excerpt)
	}
	return list
}

// explainEnd adds what the protocol did before a failure that no model explains.
func (x *explanation) explainEnd(ctx context.Context) error {
	r, err := x.recorder()
	if err != nil {
		return err
	}
	if r == nil {
		if x.spec.Sim == config.SimGem5 {
			if text, err := run.ReadFile(x.last(reduction.TraceFile)); err == nil {
				x.page.Messages, x.page.About = tail(strings.Split(strings.TrimSpace(string(text)), "\n")), "the last of the run"
			} else {
				x.missing("transitions: ordeal repro --trace %s records them", x.dir)
			}
		}
		return nil
	}
	job, err := x.spec.Job(x.dir, x.program)
	if err != nil {
		return err
	}
	last, err := diagnose.RecordLast(ctx, r, job, x.o.Filter)
	if err != nil {
		return err
	}
	if last.LogHash != x.result.LogHash && x.result.LogHash != "" {
		x.missing("transitions: this version of ordeal executes the run otherwise")
		return nil
	}
	x.page.Messages, x.page.About = last.Text(), "those that were selected"
	if !x.o.Filter.Set() {
		x.page.Messages, x.page.About = tail(x.page.Messages), "the last of the run"
	}
	return x.draw("Messages", func(w io.Writer) error { return last.WriteSVG(w, x.page.Title) })
}

// lastShown is how many events before a failure are shown.
const lastShown = 60

func tail(lines []string) []string { return lines[max(0, len(lines)-lastShown):] }

// last is the path of a file of the newest repetition that has it, or of the run
// itself.
func (x *explanation) last(name string) string {
	list, _ := filepath.Glob(x.dir.Path(filepath.Join("repro", "*", name)))
	if len(list) > 0 {
		return slices.Max(list)
	}
	return x.dir.Path(name)
}
