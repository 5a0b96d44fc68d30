package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/serial"
	"ordeal/check/serial/possible"
	"ordeal/check/serial/proof"
	traces "ordeal/check/serial/trace"
	"ordeal/check/witness"
	"ordeal/parse"
	"ordeal/parse/formats/events"
)

// limits are those of the flags.
func (c *evaluate) limits() search.Limits {
	return search.Limits{MemoryBytes: c.options.MemoryBytes, AvailableBytes: c.options.AvailableBytes}
}

// answerTrace answers about all executions of TSO that a trace may be of.
func (c *evaluate) answerTrace(ctx context.Context, s *events.Sequence, a *serialAnswer) error {
	v, err := traces.Decide(ctx, s)
	if err != nil {
		return err
	}
	x := serialExample{Answer: serializability(v.Serializable), seq: v.Execution, verdict: v.Evidence, oneOf: true}
	if v.Rank != nil && v.Clusters == 0 {
		x.verdict.Order, x.oneOf = byRank(v.Rank), false
	}
	a.of(x)
	if x.oneOf {
		a.Unproved = exhausted
	}
	if v.Serializable {
		return nil
	}
	other, err := traces.Serializable(ctx, s, c.limits())
	if errors.Is(err, search.ErrMemory) {
		a.undecided(err.Error())
		return nil
	}
	if other == nil || err != nil {
		return err
	}
	return a.depends(ctx, other, isSerializable)
}

// depends makes the answer one that depends on the execution, given one for
// which it is another.
func (a *serialAnswer) depends(ctx context.Context, s *events.Sequence, answer string) error {
	if err := a.add(ctx, s, answer); err != nil {
		return err
	}
	a.Answer, a.Reason, a.Unproved = dependsAnswer, "", ""
	return nil
}

// add adds an execution as an example of an answer.
func (a *serialAnswer) add(ctx context.Context, s *events.Sequence, answer string) error {
	x, err := answerExecution(ctx, s, a.Question)
	if err != nil {
		return err
	}
	if x.Answer != answer {
		return fmt.Errorf("internal error: an execution that was found to be %s is %s", answer, x.Answer)
	}
	x.oneOf = true
	a.examples = append(a.examples, x)
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

// historyQuestion is what package possible decides, and the answers.
type historyQuestion struct {
	question     possible.Question
	holds, fails string
}

var historyQuestions = map[string]historyQuestion{
	askSC:     {possible.SerializableSC, isSerializable, notSerializable},
	askTSO:    {possible.SerializableTSO, isSerializable, notSerializable},
	askRobust: {possible.Robust, isRobust, notRobust},
}

// answerHistory answers about all executions that explain a history.
func (c *evaluate) answerHistory(ctx context.Context, h *parse.History, a *serialAnswer) error {
	q := historyQuestions[a.Question]
	order, notSC, err := c.explanation(ctx, h, a)
	if order == nil || err != nil {
		return err
	}
	a.Source, a.Threads, a.Events = fromHistory, h.Threads(), len(h.Ops)
	for t := range h.Threads() {
		for range h.Blocks(t) {
			a.Transactions++
		}
	}
	a.Reason = ""
	if notSC {
		a.Reason = "the history is forbidden by sc"
		s, err := serial.FromHistory(h, order)
		if err != nil {
			return fmt.Errorf("internal error: %w", err)
		}
		a.Answer = q.fails
		return a.add(ctx, s, q.fails)
	}
	found, undecided := possible.Decide(ctx, h, q.question, []*witness.Order{order}, c.limits())
	if found.Fails != nil {
		a.Answer = q.fails
		if err := a.add(ctx, found.Fails, q.fails); err != nil {
			return err
		}
	}
	if found.Holds != nil {
		a.Answer = q.holds
		if err := a.add(ctx, found.Holds, q.holds); err != nil {
			return err
		}
	}
	switch {
	case errors.Is(undecided, search.ErrMemory):
		a.undecided(undecided.Error())
		return nil
	case undecided != nil:
		return undecided
	case len(a.examples) == 2:
		a.Answer = dependsAnswer
	default:
		a.Unproved = exhausted
	}
	if q.question == possible.Robust {
		return nil
	}
	return a.prove(ctx, h, q.question, found)
}

// prove adds the proof of an answer, if it is done in time.
func (a *serialAnswer) prove(ctx context.Context, h *parse.History, q possible.Question, found possible.Answer) error {
	p, err := possible.Prove(ctx, h, q, found)
	if err != nil && ctx.Err() == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if err != nil {
		return nil // the answer stands without
	}
	_, all, err := proof.Check(h, q.Model(), p)
	if err != nil {
		return fmt.Errorf("internal error: proof about %s: %w", q, err)
	}
	a.proof = p
	if all {
		a.Unproved = ""
	}
	return nil
}

// explanation is an execution of the model that a question is about, nil if
// there is none or that is not known; the answer is unknown then. Robustness is
// about executions of TSO: one of SC if there is any, and notSC says that there
// is none.
func (c *evaluate) explanation(ctx context.Context, h *parse.History, a *serialAnswer) (order *witness.Order, notSC bool, err error) {
	models := []model.Model{historyQuestions[a.Question].question.Model()}
	if a.Question == askRobust {
		models = []model.Model{model.SC, model.TSO}
	}
	for _, m := range models {
		v, err := check.Check(ctx, h, m, c.options)
		switch {
		case err != nil:
			return nil, false, err
		case v.Answer == check.Allowed:
			return v.Order, notSC, nil
		}
		notSC = v.Answer == check.Forbidden
		// A serial order of the transactions would be an execution of the model. Of what no
		// execution explains, robustness is no question.
		a.Answer, a.Reason = historyQuestions[a.Question].fails, fmt.Sprintf("the history is %s by %s", v.Answer, v.Model)
		if a.Question == askRobust {
			a.Answer = unknownAnswer
		}
		if v.Answer == check.Unknown {
			a.Answer, a.Reason = unknownAnswer, fmt.Sprintf("whether %s allows the history is not decided: %s", v.Model, v.Reason)
		}
	}
	return nil, false, nil
}
