package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ordeal/campaigns/rundir"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/check/serial"
	"ordeal/check/serial/robust"
	traces "ordeal/check/serial/trace"
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
	unknownAnswer   = "unknown"
)

// procedureSAT is the --procedure that evaluates traces by SAT, too.
const procedureSAT = "sat"

// serialAnswer is the answer to one question about one sequence of events.
type serialAnswer struct {
	question, answer, reason string
	// seq is what the answer is about, or in the case of a trace that is not
	// serializable an execution that shows it; verdict is its evidence.
	seq     *events.Sequence
	verdict serial.Verdict
	trace   bool // that the commits were not known
}

// askSerial answers the questions about a trace and prints the answers.
func (c *evaluate) askSerial(ctx context.Context, t *trace) error {
	if c.options.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.options.Timeout)
		defer cancel()
	}
	var answers []*serialAnswer
	for _, question := range c.serializability {
		a := &serialAnswer{question: question}
		err := c.answerSerial(ctx, t, a)
		if errors.Is(err, context.DeadlineExceeded) {
			err = nil
			a.answer, a.reason = unknownAnswer, "out of time"
		}
		if err != nil {
			return fmt.Errorf("check %s: %w", t.place, err)
		}
		switch a.answer {
		case notSerializable, notRobust:
			c.worsen(check.Forbidden)
		case unknownAnswer:
			c.worsen(check.Unknown)
		}
		answers = append(answers, a)
	}
	if err := c.draw(answers); err != nil {
		return fmt.Errorf("check %s: %w", t.place, err)
	}
	if c.json {
		return c.printSerialJSON(t, answers)
	}
	return c.printSerial(t, answers)
}

// draw writes the picture of the first cycle, if that is asked for.
func (c *evaluate) draw(answers []*serialAnswer) error {
	for _, a := range answers {
		if c.svg == "" || len(a.verdict.Cycle) == 0 {
			continue
		}
		picture, err := serial.Draw(a.seq, &a.verdict)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := picture.WriteSVG(&b); err != nil {
			return err
		}
		if err := rundir.WriteOutput(c.svg, b.Bytes(), rundir.Plain); err != nil {
			return err
		}
		c.svg = ""
	}
	return nil
}

// answerSerial answers one question. An error is a fault of this program, or
// that of ctx.
func (c *evaluate) answerSerial(ctx context.Context, t *trace, a *serialAnswer) error {
	s, err := c.sequence(ctx, t, a)
	if s == nil || err != nil {
		return err
	}
	a.seq, a.trace = s, !s.Execution
	switch a.question {
	case askTSO:
		p := traces.Profiles
		if c.options.Procedure == procedureSAT {
			p = traces.SAT
		}
		return answerTSO(ctx, a, p)
	case askSC:
		return answerSC(a)
	default:
		return answerRobust(ctx, a)
	}
}

// sequence is the execution or trace that a question is about: as imported or
// logged by the simulator, or else one that explains the history. If there is
// none, the answer is unknown.
func (c *evaluate) sequence(ctx context.Context, t *trace, a *serialAnswer) (*events.Sequence, error) {
	unknown := func(err error) (*events.Sequence, error) {
		a.answer, a.reason = unknownAnswer, strings.ReplaceAll(err.Error(), "\n", "; ")
		return nil, nil
	}
	if t.err != nil {
		return unknown(t.err)
	}
	if t.sequence != nil {
		return c.forget(t.sequence), nil
	}
	if t.steps != nil {
		s, err := t.steps()
		if err == nil {
			return c.forget(s), nil
		}
		if !errors.Is(err, parse.ErrNoSteps) {
			return unknown(err)
		}
	}
	m := model.SC
	if a.question == askTSO {
		m = model.TSO
	}
	v, err := check.Check(ctx, t.history, m, c.options)
	if err == nil && v.Answer == check.Forbidden && a.question == askRobust {
		// What TSO allows and SC forbids is not robust.
		v, err = check.Check(ctx, t.history, model.TSO, c.options)
	}
	if err != nil {
		return nil, err
	}
	if v.Answer != check.Allowed {
		return unknown(fmt.Errorf("the history is %s by %s", v.Answer, v.Model))
	}
	s, err := serial.FromHistory(t.history, v.Order)
	if err != nil {
		return nil, fmt.Errorf("internal error: %w", err)
	}
	if a.question == askTSO { // its commits are a guess
		s = s.Trace()
	}
	return s, nil
}

// forget drops the commits of an execution with --forget-commits.
func (c *evaluate) forget(s *events.Sequence) *events.Sequence {
	if c.forgetCommits {
		return s.Trace()
	}
	return s
}

// answerTSO answers by the conflicts under TSO, and checks the answer by
// Theorem 3 where it applies.
func answerTSO(ctx context.Context, a *serialAnswer, p traces.Procedure) error {
	if !a.seq.Execution {
		v, err := traces.Decide(ctx, a.seq, p)
		if err != nil {
			return err
		}
		a.answer = isSerializable
		if !v.Serializable {
			a.answer, a.seq, a.verdict = notSerializable, v.Execution, v.Evidence
		} else if v.Rank != nil && v.Clusters == 0 {
			a.verdict.Order = byRank(v.Rank)
		}
		return nil
	}
	var err error
	if a.verdict, err = serial.Decide(serial.TSO, a.seq); err != nil {
		return err
	}
	a.answer = notSerializable
	if a.verdict.Serializable {
		a.answer = isSerializable
	}
	fenced, err := serial.DecideFenced(a.seq)
	switch {
	case errors.Is(err, serial.ErrUnfenced) || errors.Is(err, serial.ErrPending):
		return nil
	case err != nil:
		return err
	case fenced.Serializable != a.verdict.Serializable:
		return fmt.Errorf("internal error: %s, but by robustness and sc the opposite", a.answer)
	}
	return nil
}

// byRank lists transactions by rank.
func byRank(rank []int32) []int32 {
	order := make([]int32, len(rank))
	for tx := range rank {
		order[tx] = int32(tx)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(rank[a] - rank[b]) })
	return order
}

// answerSC answers about the execution of SC that an execution is equivalent
// to; the writes of a trace take effect at once.
func answerSC(a *serialAnswer) error {
	if a.seq.Execution {
		if ok, err := classic(a); !ok || err != nil {
			a.answer = unknownAnswer
			a.reason = "the execution is not equivalent to one of SC"
			return err
		}
	}
	var err error
	a.verdict, err = serial.Decide(serial.SC, a.seq)
	a.answer = notSerializable
	if a.verdict.Serializable {
		a.answer = isSerializable
	}
	return err
}

// classic turns an execution into the execution of SC that it is equivalent
// to, if it is.
func classic(a *serialAnswer) (bool, error) {
	var err error
	if a.verdict, err = serial.SCEquivalent(a.seq); err != nil || !a.verdict.Serializable {
		return false, err
	}
	a.seq, err = serial.SCExecution(a.seq, a.verdict.Order)
	a.verdict = serial.Verdict{}
	return err == nil, err
}

// answerRobust says whether an execution is equivalent to one of SC, and
// whether that is on the brink of one that is not.
func answerRobust(ctx context.Context, a *serialAnswer) error {
	if a.seq.Execution {
		if ok, err := classic(a); !ok || err != nil {
			a.answer = notRobust
			return err
		}
	}
	v, err := robust.Search(ctx, a.seq)
	if err != nil {
		return err
	}
	a.answer = isRobust
	if v != nil {
		a.answer, a.seq, a.verdict = notRobust, v.Execution, v.Verdict
		a.reason = "an execution under SC shows it"
	}
	return nil
}

// listed is the length of the longest order that is printed.
const listed = 24

// printSerial prints the answers, a line each, and the evidence below.
func (c *evaluate) printSerial(t *trace, answers []*serialAnswer) error {
	var parts []string
	for _, a := range answers {
		var b bytes.Buffer
		fmt.Fprintf(&b, "%s: %s", a.question, a.answer)
		if a.reason != "" {
			fmt.Fprintf(&b, ": %s", a.reason)
		}
		if a.seq != nil {
			fmt.Fprintf(&b, " (%s)", a.about())
		}
		b.WriteByte('\n')
		if names := a.order(); 0 < len(names) && len(names) <= listed {
			fmt.Fprintf(&b, "order: %s\n", strings.Join(names, " "))
		}
		if len(a.verdict.Cycle) > 0 {
			b.WriteByte('\n')
			if err := serial.Explain(&b, a.seq, &a.verdict); err != nil {
				return fmt.Errorf("explain %s: %w", t.place, err)
			}
			b.WriteByte('\n')
		}
		parts = append(parts, b.String())
	}
	return c.answers.write(t, c.several, parts...)
}

// source is "execution" or "trace".
func (a *serialAnswer) source() string {
	if a.trace {
		return "trace"
	}
	return "execution"
}

// about describes in words what the answer is about.
func (a *serialAnswer) about() string {
	return fmt.Sprintf("%s of %d threads, %d transactions, %d events",
		a.source(), len(a.seq.Threads), len(a.seq.Transactions), len(a.seq.Events))
}

// order names the transactions in the order of serialization, if there is one.
func (a *serialAnswer) order() []string {
	if a.answer != isSerializable {
		return nil
	}
	names := make([]string, len(a.verdict.Order))
	for i, tx := range a.verdict.Order {
		names[i] = a.seq.TxName(tx)
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
