package evaluate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/serial"
	"ordeal/check/serial/proof"
	"ordeal/check/serial/robust"
	"ordeal/check/witness/certificate"
	"ordeal/parse"
	"ordeal/parse/formats/events"
)

// The questions of --serializability.
const (
	askSC     = "sc"
	askTSO    = "tso"
	askRobust = "robust"
)

// The answers of --serializability.
const (
	isSerializable  = "serializable"
	notSerializable = "not serializable"
	isRobust        = "robust"
	notRobust       = "not robust"
	dependsAnswer   = "depends on the execution"
	unknownAnswer   = "unknown"
)

// exhausted is why an answer is unproved.
const exhausted = "search exhausted, no proof"

// The sources of answers.
const (
	fromExecution = "execution" // with its commits
	fromTrace     = "trace"     // every execution with the events in this order
	fromHistory   = "history"   // every execution that explains it
)

// serialAnswer is the answer to one question.
type serialAnswer struct {
	Question string `json:"relation"`
	Answer   string `json:"answer"`
	Reason   string `json:"reason,omitempty"`
	// Unproved says why nothing shows that no execution has the other answer;
	// empty where that is shown or not claimed.
	Unproved string `json:"unproved,omitempty"`
	Source   string `json:"source,omitempty"`
	// The numbers of what the answer is about; 0 threads where it is unknown. Events are
	// operations where Source is a history.
	Threads      int `json:"threads"`
	Transactions int `json:"transactions"`
	Events       int `json:"events"`
	serialEvidence
	// Examples are executions of several that the answer is about, each with its own
	// evidence; all are also in examples: one at most, or one of each kind where the answer
	// depends on the execution.
	Examples []serialExample `json:"examples,omitempty"`
	// Proof is the evidence of an answer about a history, which ordeal verify checks.
	Proof    *certificate.Serializability `json:"proof,omitempty"`
	examples []serialExample
	proof    *proof.Proof
}

// serialExample is an execution and what was decided about it.
type serialExample struct {
	Answer string `json:"answer"`
	Reason string `json:"reason,omitempty"`
	serialEvidence
	seq     *events.Sequence
	verdict serial.Verdict
	// oneOf says that the evidence is about this one of several executions.
	oneOf bool
}

// about sets what the answer is about.
func (a *serialAnswer) about(source string, s *events.Sequence) {
	a.Source = source
	a.Threads, a.Transactions, a.Events = len(s.Threads), len(s.Transactions), len(s.Events)
}

// of makes the answer about one execution that of all.
func (a *serialAnswer) of(x serialExample) {
	a.Answer, a.Reason, a.examples = x.Answer, x.Reason, []serialExample{x}
	if x.Answer == isRobust {
		a.Unproved = exhausted // about the executions next to it
	}
}

// askSerial answers the questions about a trace and prints the answers.
func (c *evaluate) askSerial(ctx context.Context, t *Trace) error {
	if c.options.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.options.Timeout)
		defer cancel()
	}
	var answers []*serialAnswer
	for _, question := range c.serializability {
		a := &serialAnswer{Question: question}
		err := c.answerSerial(ctx, t, a)
		if errors.Is(err, context.DeadlineExceeded) {
			err = nil
			a.undecided("out of time")
		}
		if err != nil {
			return fmt.Errorf("check %s: %w", t.Place, err)
		}
		switch a.Answer {
		case notSerializable, notRobust:
			c.worsen(check.Forbidden)
		case unknownAnswer, dependsAnswer:
			c.worsen(check.Unknown)
		}
		answers = append(answers, a)
	}
	if err := c.draw(answers); err != nil {
		return fmt.Errorf("check %s: %w", t.Place, err)
	}
	if c.json {
		return c.printSerialJSON(t, answers)
	}
	return c.printSerial(t, answers)
}

// undecided makes the answer unknown, in spite of what executions have shown.
func (a *serialAnswer) undecided(reason string) {
	if len(a.examples) > 0 {
		reason = fmt.Sprintf("an execution is %s, and whether all are is not decided: %s", a.examples[0].Answer, reason)
	}
	a.Answer, a.Reason, a.Unproved, a.proof = unknownAnswer, reason, "", nil
}

// draw writes the picture of the first cycle, if that is asked for.
func (c *evaluate) draw(answers []*serialAnswer) error {
	for _, a := range answers {
		for i := range a.examples {
			x := &a.examples[i]
			if c.svg == "" || len(x.verdict.Cycle) == 0 {
				continue
			}
			picture, err := serial.Draw(x.seq, &x.verdict)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := picture.WriteSVG(&b); err != nil {
				return err
			}
			if err := run.WriteOutput(c.svg, b.Bytes(), run.Plain); err != nil {
				return err
			}
			c.svg = ""
		}
	}
	return nil
}

// answerSerial answers one question. An error is a fault of this program, or
// that of ctx.
func (c *evaluate) answerSerial(ctx context.Context, t *Trace, a *serialAnswer) error {
	s, err := t.events()
	switch {
	case err != nil:
		a.undecided(strings.ReplaceAll(err.Error(), "\n", "; "))
		return nil
	case s == nil:
		return c.answerHistory(ctx, t.History, a)
	}
	s = c.forget(s)
	if s.Execution {
		a.about(fromExecution, s)
		x, err := answerExecution(ctx, s, a.Question)
		a.of(x)
		return err
	}
	a.about(fromTrace, s)
	if a.Question == askTSO {
		return c.answerTrace(ctx, s, a)
	}
	x, err := answerExecution(ctx, s, a.Question)
	a.of(x)
	return err
}

// events is the execution or the trace that was imported, or logged by the
// simulator; nil if there is a history only.
func (t *Trace) events() (*events.Sequence, error) {
	switch {
	case t.Err != nil:
		return nil, t.Err
	case t.Sequence != nil:
		return t.Sequence, nil
	case t.Steps == nil:
		return nil, nil
	}
	s, err := t.Steps()
	if errors.Is(err, parse.ErrNoSteps) {
		return nil, nil
	}
	return s, err
}

// forget drops the commits of an execution with --forget-commits.
func (c *evaluate) forget(s *events.Sequence) *events.Sequence {
	if c.forgetCommits {
		return s.Trace()
	}
	return s
}

// answerExecution answers about an execution. The writes of a trace take effect
// at once.
func answerExecution(ctx context.Context, s *events.Sequence, question string) (serialExample, error) {
	x := serialExample{seq: s}
	var err error
	switch question {
	case askTSO:
		err = x.answerTSO()
	case askSC:
		err = x.answerSC()
	default:
		err = x.answerRobust(ctx)
	}
	return x, err
}

// answerTSO answers by the conflicts under TSO, and checks the answer by
// Theorem 3 where it applies.
func (x *serialExample) answerTSO() error {
	var err error
	if x.verdict, err = serial.Decide(serial.TSO, x.seq); err != nil {
		return err
	}
	x.Answer = serializability(x.verdict.Serializable)
	fenced, err := serial.DecideFenced(x.seq)
	switch {
	case errors.Is(err, serial.ErrUnfenced) || errors.Is(err, serial.ErrPending):
		return nil
	case err != nil:
		return err
	case fenced.Serializable != x.verdict.Serializable:
		return fmt.Errorf("internal error: %s, but by robustness and sc the opposite", x.Answer)
	}
	return nil
}

func serializability(yes bool) string {
	if yes {
		return isSerializable
	}
	return notSerializable
}

// answerSC answers about the execution of SC that an execution is equivalent
// to.
func (x *serialExample) answerSC() error {
	if x.seq.Execution {
		if ok, err := x.classic(); !ok || err != nil {
			x.Answer = unknownAnswer
			x.Reason = "the execution is not equivalent to one of SC"
			return err
		}
	}
	var err error
	x.verdict, err = serial.Decide(serial.SC, x.seq)
	x.Answer = serializability(x.verdict.Serializable)
	return err
}

// classic turns an execution into the execution of SC that it is equivalent
// to, if it is.
func (x *serialExample) classic() (bool, error) {
	var err error
	if x.verdict, err = serial.SCEquivalent(x.seq); err != nil || !x.verdict.Serializable {
		return false, err
	}
	x.seq, err = serial.SCExecution(x.seq, x.verdict.Order)
	x.verdict = serial.Verdict{}
	return err == nil, err
}

// answerRobust says whether an execution is equivalent to one of SC, and
// whether that is on the brink of one that is not.
func (x *serialExample) answerRobust(ctx context.Context) error {
	if x.seq.Execution {
		if ok, err := x.classic(); !ok || err != nil {
			x.Answer = notRobust
			return err
		}
	}
	v, err := robust.Search(ctx, x.seq)
	if err != nil {
		return err
	}
	x.Answer = isRobust
	if v != nil {
		x.Answer, x.seq, x.verdict = notRobust, v.Execution, v.Verdict
		x.Reason = "an execution under SC shows it"
	}
	return nil
}

// listed is the length of the longest order that is printed.
const listed = 24

// printSerial prints the answers, a line each, and the evidence below.
func (c *evaluate) printSerial(t *Trace, answers []*serialAnswer) error {
	var parts []string
	for _, a := range answers {
		var b bytes.Buffer
		fmt.Fprintf(&b, "%s: %s", a.Question, a.Answer)
		if a.Reason != "" {
			fmt.Fprintf(&b, ": %s", a.Reason)
		}
		if a.Threads > 0 {
			fmt.Fprintf(&b, " (%s)", a.description())
		}
		b.WriteByte('\n')
		for i := range a.examples {
			x := &a.examples[i]
			if x.oneOf && (a.Answer == dependsAnswer || len(x.verdict.Cycle) > 0) {
				fmt.Fprintf(&b, "one execution is %s:\n", x.description())
			}
			of := ""
			if x.oneOf {
				of = " of one execution"
			}
			if names := x.order(); 0 < len(names) && len(names) <= listed {
				fmt.Fprintf(&b, "order%s: %s\n", of, strings.Join(names, " "))
			} else if a.Answer == dependsAnswer && len(names) > 0 {
				fmt.Fprintf(&b, "order%s: %d transactions, listed by --json\n", of, len(names))
			}
			if len(x.verdict.Cycle) > 0 {
				b.WriteByte('\n')
				if err := serial.Explain(&b, x.seq, &x.verdict); err != nil {
					return fmt.Errorf("explain %s: %w", t.Place, err)
				}
				b.WriteByte('\n')
			}
		}
		parts = append(parts, b.String())
	}
	return c.answers.write(t, c.several, parts...)
}

// description says in words what the answer is about, and what it lacks.
func (a *serialAnswer) description() string {
	source := a.Source
	noun := "events"
	switch {
	case source == fromHistory:
		noun = "operations"
	case source == fromTrace && a.Question != askTSO:
		source = "trace whose writes take effect at once,"
	}
	text := fmt.Sprintf("%s of %d threads, %d transactions, %d %s", source, a.Threads, a.Transactions, a.Events, noun)
	if a.Unproved != "" {
		text += "; " + a.Unproved
	}
	return text
}

// description is the answer and why.
func (x *serialExample) description() string {
	if x.Reason != "" {
		return x.Answer + ": " + x.Reason
	}
	return x.Answer
}

// order names the transactions in the order of serialization, if there is one.
func (x *serialExample) order() []string {
	if x.Answer != isSerializable {
		return nil
	}
	names := make([]string, len(x.verdict.Order))
	for i, tx := range x.verdict.Order {
		names[i] = x.seq.TxName(tx)
	}
	return names
}

// serialFaults lists the flags that contradict --serializability.
func (c *evaluate) serialFaults() []error {
	var faults []error
	if len(c.serializability) == 0 {
		if c.forgetCommits {
			faults = append(faults, errors.New("--forget-commits needs --serializability: models do not look at commits"))
		}
		if c.svg != "" {
			faults = append(faults, errors.New("--svg needs --serializability: it draws cycles of transactions"))
		}
		return faults
	}
	for _, q := range c.serializability {
		if q != askSC && q != askTSO && q != askRobust {
			faults = append(faults, fmt.Errorf("--serializability %q: want %s, %s or %s", q, askSC, askTSO, askRobust))
		}
	}
	if c.models != "" {
		faults = append(faults, errors.New("--serializability contradicts --model: it has relations of its own"))
	}
	if c.kernel {
		faults = append(faults, errors.New("--serializability contradicts --kernel"))
	}
	if c.explain {
		faults = append(faults, errors.New("--serializability contradicts --explain: it prints its cycles always"))
	}
	return faults
}
