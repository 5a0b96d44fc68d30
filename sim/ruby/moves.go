package ruby

import (
	"fmt"
	"math"
	"slices"

	"ordeal/sim/builtin/event"
)

// MoveKind is a kind of step of one controller.
type MoveKind uint8

// The kinds of steps besides the arrival of a message and an access of a core.
const (
	Own    MoveKind = iota // of the controller to itself, or of its memory
	Return                 // a message that was put back comes again
	Expire                 // the time of a line is over
)

// Move is a step of one controller that needs no message from others.
type Move struct {
	Kind  MoveKind
	At    int // index of the buffer or timer
	Index int // of the message among those of its kind in the buffer, or of the line
}

// Moves appends the steps of controller i as it is.
func (s *Stepper) Moves(dst []Move, i int) []Move {
	for at, b := range s.buffersOf[i] {
		if !s.Accepts(i, at) {
			continue
		}
		shortest := event.Tick(math.MaxInt64) // one with a shorter delay than all before may overtake them
		for n, j := range s.listed(b, ownItem) {
			if q := &b.items[j]; q.at < shortest {
				dst = append(dst, Move{Own, at, n})
				shortest = q.at
			}
		}
		for n := range s.listed(b, returningItem) {
			dst = append(dst, Move{Return, at, n})
		}
	}
	for at, t := range s.all[i].timers {
		for l, line := range s.lines {
			if j := t.Find(line); j >= 0 && t.Lines[j].At > stepTick {
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
		t.Lines[t.Find(s.lines[m.Index])].At = stepTick
		return s.run(c)
	}
	b := s.buffersOf[i][m.At]
	at := s.chosen(b, m)
	q := b.items[at]
	b.items = slices.Delete(b.items, at, at+1)
	b.arrive(q.msg)
	return s.run(c)
}

// listed lists where the messages of a kind are in a buffer, in the order in which
// they were put in.
func (s *Stepper) listed(b *buffer, place int) []int {
	s.indexes = s.indexes[:0]
	for j := b.head; j < len(b.items); j++ {
		if placeOf(&b.items[j]) == place {
			s.indexes = append(s.indexes, j)
		}
	}
	if place == ownItem {
		slices.SortFunc(s.indexes, func(x, y int) int { return int(b.items[x].number) - int(b.items[y].number) })
	}
	return s.indexes
}

// chosen is where the message that a step is about is in a buffer.
func (s *Stepper) chosen(b *buffer, m Move) int {
	if m.Kind == Own {
		return s.listed(b, ownItem)[m.Index]
	}
	return s.listed(b, returningItem)[m.Index]
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
	return fmt.Sprintf("%s %s: %s", verb, b.name(), s.program.describe(b.items[s.chosen(b, m)].msg))
}
