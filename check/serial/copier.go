package serial

import "ordeal/parse/formats/events"

// Copier builds an execution from the events of another sequence, in an order
// of its own. Transactions keep their numbers within their threads.
type Copier struct {
	*events.Builder
	from *events.Sequence
	open []int32 // transaction of each thread, or none
}

// NewCopier makes a copier of events of a sequence.
func NewCopier(from *events.Sequence) *Copier {
	c := &Copier{Builder: events.NewBuilder(true, from.Threads, from.Variables), from: from}
	for range from.Threads {
		c.open = append(c.open, none)
	}
	return c
}

// Copy appends an event other than a commit, and ends and begins transactions
// where the event is not of its thread's last one.
func (c *Copier) Copy(event int32) error {
	e := &c.from.Events[event]
	t := int(e.Thread)
	if e.Tx != c.open[t] {
		if c.open[t] != none {
			if err := c.End(t); err != nil {
				return err
			}
		}
		c.open[t] = e.Tx
		if err := c.Begin(t); err != nil {
			return err
		}
	}
	return c.Add(t, e.Kind, int(e.Var))
}
