package html

import (
	"time"

	"ordeal/campaigns/engine/journal"
)

// timeline counts runs and operations in equal spans of time. The spans grow
// with the campaign, so that there are never more than maxSlots of them.
type timeline struct {
	span  time.Duration
	slots []slot
}

type slot struct{ runs, operations int }

const maxSlots = 240

func (t *timeline) add(run *journal.Entry) {
	if t.span == 0 {
		t.span = 50 * time.Millisecond
	}
	at := max(run.At, 0)
	for at/t.span >= maxSlots {
		t.halve()
	}
	i := int(at / t.span)
	for len(t.slots) <= i {
		t.slots = append(t.slots, slot{})
	}
	t.slots[i].runs++
	t.slots[i].operations += run.Operations
}

// halve joins each slot with its neighbour.
func (t *timeline) halve() {
	for i, s := range t.slots {
		t.slots[i] = slot{}
		t.slots[i/2].runs += s.runs
		t.slots[i/2].operations += s.operations
	}
	t.slots = t.slots[:(len(t.slots)+1)/2]
	t.span *= 2
}

// level is a rate between two times, in seconds.
type level struct{ from, to, rate float64 }

// levels are the operations per second up to the end of the campaign, in
// seconds, over spans that have enough runs to say something.
func (t *timeline) levels(end float64) []level {
	const enough, most = 8, 120
	runs := 0
	for _, s := range t.slots {
		runs += s.runs
	}
	bins := max(1, min(runs/enough, most, len(t.slots)))
	per := (len(t.slots) + bins - 1) / bins
	var list []level
	for i := 0; i < len(t.slots); i += per {
		l := level{from: float64(i) * t.span.Seconds(), to: min(float64(i+per)*t.span.Seconds(), end)}
		operations := 0
		for _, s := range t.slots[i:min(i+per, len(t.slots))] {
			operations += s.operations
		}
		// A last span that is cut short joins the one before.
		if last := len(list) - 1; last >= 0 && l.to-l.from < 0.5*float64(per)*t.span.Seconds() {
			before := list[last]
			operations += int(before.rate*(before.to-before.from) + 0.5)
			l.from = before.from
			list = list[:last]
		}
		if l.to > l.from {
			l.rate = float64(operations) / (l.to - l.from)
			list = append(list, l)
		}
	}
	return list
}
