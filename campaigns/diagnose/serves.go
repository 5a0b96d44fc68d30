package diagnose

import (
	"slices"

	"ordeal/sim/trace"
)

// serves has the letters of the operations of the witness that messages and transitions
// serve, by the index of the event: the transitions where the core asked and where it was
// served, and the messages between them, that is, those about the line that the request
// may have caused and without which the answer may not have come (happens-before of
// Lamport, Time, clocks and the ordering of events, 1978, along messages and the order at
// each controller). What hits needs none.
func (c *Cause) serves() map[int]string {
	letters := make(map[int]string)
	for i, j := range c.Joined {
		if j.Asked < 0 || j.Served < 0 {
			continue
		}
		list := []int{j.Asked}
		if j.Served != j.Asked {
			list = append(c.between(j), j.Asked, j.Served)
		}
		for _, event := range list {
			if letters[event] != "" {
				letters[event] += ","
			}
			letters[event] += c.Witness.Operations[i].Letter
		}
	}
	return letters
}

// between are the messages from the request of an access to its answer.
func (c *Cause) between(j Joined) []int {
	asked, served := &c.Events[j.Asked], &c.Events[j.Served]
	var messages []int // by the time at which they were sent
	for i := range c.Events {
		if e := &c.Events[i]; e.Kind == trace.Message && e.Line == asked.Line && e.At >= asked.At && e.Arrives <= served.At {
			messages = append(messages, i)
		}
	}
	slices.SortStableFunc(messages, func(a, b int) int { return int(c.Events[a].At - c.Events[b].At) })
	reached := map[string]int64{asked.Place: asked.At} // the first time at each controller
	after := make(map[int]bool)
	for _, i := range messages {
		e := &c.Events[i]
		if first, ok := reached[e.Place]; !ok || e.At < first {
			continue
		}
		after[i] = true
		if first, ok := reached[e.To]; !ok || e.Arrives < first {
			reached[e.To] = e.Arrives
		}
	}
	needed := map[string]int64{served.Place: served.At} // the last time at each controller
	var list []int
	for _, i := range slices.Backward(messages) {
		e := &c.Events[i]
		if last, ok := needed[e.To]; !ok || e.Arrives > last {
			continue
		}
		if needed[e.Place] = max(needed[e.Place], e.At); after[i] {
			list = append(list, i)
		}
	}
	return list
}
