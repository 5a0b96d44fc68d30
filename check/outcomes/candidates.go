package outcomes

import (
	"errors"
	"fmt"
	"slices"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
)

// Candidates lists the outcomes of one round of a valid program whose executions
// allowed accepts: it is asked about the history of every log of values that
// stores to the location write, store-conditionals failing or not, with every
// final memory. A program with additions, or with more than limit such logs, is
// refused.
func Candidates(p *gen.Program, limit int, allowed func(*parse.History) (bool, error)) ([]Outcome, error) {
	c := &proposer{p: p, w: wire.NewWriter(p, 1), allowed: allowed}
	if err := c.collect(limit); err != nil {
		return nil, err
	}
	for ok := true; ok; ok = c.next() {
		if err := c.try(); err != nil {
			return nil, err
		}
	}
	return c.found, nil
}

type proposer struct {
	p       *gen.Program
	w       wire.Writer
	allowed func(*parse.History) (bool, error)
	choices [][]gen.Value // of each read, thread after thread, then of each location
	chosen  []int
	found   []Outcome
}

// collect lists what reads may return and locations may hold at the end.
func (c *proposer) collect(limit int) error {
	written := make([][]gen.Value, len(c.p.Locations))
	certain := make([]bool, len(c.p.Locations)) // there is a store that takes place
	for _, ops := range c.p.Threads {
		for _, op := range ops {
			if op.Kind == gen.FetchAdd {
				return errors.New("a program with additions has no finite list of values")
			}
			if op.Kind.Writes() {
				written[op.Loc] = append(written[op.Loc], op.Value)
				certain[op.Loc] = certain[op.Loc] || op.Kind != gen.StoreConditional
			}
		}
	}
	for _, ops := range c.p.Threads {
		for _, op := range ops {
			switch {
			case op.Kind == gen.StoreConditional:
				c.choices = append(c.choices, []gen.Value{0, 1})
			case op.Kind.Reads():
				values := slices.DeleteFunc(append([]gen.Value{0}, written[op.Loc]...), func(v gen.Value) bool {
					return op.Kind == gen.Exchange && v == op.Value // its own
				})
				c.choices = append(c.choices, values)
			}
		}
	}
	for x, values := range written {
		if !certain[x] {
			values = append([]gen.Value{0}, values...)
		}
		c.choices = append(c.choices, values)
	}
	logs := 1
	for _, list := range c.choices {
		if logs *= len(list); logs > limit {
			return fmt.Errorf("%w: more than %d logs", ErrLimit, limit)
		}
	}
	c.chosen = make([]int, len(c.choices))
	return nil
}

// next goes to the next log; false after the last one.
func (c *proposer) next() bool {
	for i := len(c.chosen) - 1; i >= 0; i-- {
		if c.chosen[i]++; c.chosen[i] < len(c.choices[i]) {
			return true
		}
		c.chosen[i] = 0
	}
	return false
}

func (c *proposer) try() error {
	values := make([]gen.Value, len(c.chosen))
	for i, n := range c.chosen {
		values[i] = c.choices[i][n]
	}
	var o Outcome
	var log []byte
	for t := range c.p.Threads {
		n := c.p.Reads(gen.ThreadID(t))
		o.Reads = append(o.Reads, values[:n:n])
		log = c.w.AppendThread(log, gen.ThreadID(t), values[:n])
		values = values[n:]
	}
	o.Final = values
	h, err := parse.Native(c.p, 1, c.w.AppendFinal(log, values))
	if fault := (*parse.ValueError)(nil); errors.As(err, &fault) {
		return nil // the value of a store-conditional that failed
	}
	if err != nil {
		return err
	}
	ok, err := c.allowed(h)
	if ok && err == nil {
		c.found = append(c.found, o)
	}
	return err
}
