package ruby

import (
	"fmt"
	"slices"
)

// MoveKind is a kind of step of one controller.
type MoveKind uint8

// The kinds of steps besides the arrival of a message and an access of a core.
const (
	Own    MoveKind = iota // the first message on its way from the controller to itself, or from its memory
	Return                 // a message that was put back comes again
	Expire                 // the time of a line is over
)

// Move is a step of one controller that needs no message from others.
type Move struct {
	Kind  MoveKind
	At    int // index of the buffer or timer
	Index int // of the message among those put back, or of the line
}

// Moves appends the steps of controller i as it is.
func (s *Stepper) Moves(dst []Move, i int) []Move {
	for at, b := range s.buffersOf[i] {
		if !s.Accepts(i, at) {
			continue
		}
		own, returning := 0, 0
		for j := range b.items[b.head:] {
			switch placeOf(&b.items[b.head+j]) {
			case ownItem:
				own++
			case returningItem:
				returning++
			}
		}
		if own > 0 {
			dst = append(dst, Move{Own, at, 0})
		}
		for j := range returning {
			dst = append(dst, Move{Return, at, j})
		}
	}
	for at, t := range s.all[i].timers {
		for l, line := range s.lines {
			if j := t.find(line); j >= 0 && t.lines[j].at > stepTick {
				dst = append(dst, Move{Expire, at, l})
			}
		}
	}
	return dst
}

// Accepts reports whether a message may arrive at a buffer of controller i: none
// that arrived before is in its way.
func (s *Stepper) Accepts(i, buffer int) bool { return !s.buffersOf[i][buffer].ready(stepTick) }

// Do runs a step that Moves gave.
func (s *Stepper) Do(i int, m Move) error {
	c := s.all[i]
	if m.Kind == Expire {
		t := c.timers[m.At]
		t.lines[t.find(s.lines[m.Index])].at = stepTick
		return s.run(c)
	}
	b := s.buffersOf[i][m.At]
	at := s.chosen(b, m)
	q := b.items[at]
	b.items = slices.Delete(b.items, at, at+1)
	b.arrive(q.msg)
	return s.run(c)
}

// chosen is the place in a buffer of the message that a step is about. Messages
// of the controller itself come in the order in which it put them in.
func (s *Stepper) chosen(b *buffer, m Move) int {
	first := -1
	for j, n := b.head, 0; j < len(b.items); j++ {
		place := placeOf(&b.items[j])
		switch {
		case m.Kind == Own && place == ownItem && (first < 0 || b.items[j].number < b.items[first].number):
			first = j
		case m.Kind == Return && place == returningItem:
			if n == m.Index {
				return j
			}
			n++
		}
	}
	return first
}

// MoveText describes a step that Moves gave, in the state in which it did.
func (s *Stepper) MoveText(i int, m Move) string {
	if m.Kind == Expire {
		return fmt.Sprintf("%s: the time of line %d is over", s.Name(i), m.Index)
	}
	b := s.buffersOf[i][m.At]
	verb := "own message"
	if m.Kind == Return {
		verb = "again"
	}
	return fmt.Sprintf("%s %s: %s", verb, b.name, s.program.describe(b.items[s.chosen(b, m)].msg))
}
