package core

import (
	"fmt"
	"strings"

	"ordeal/gen"
)

// text is an operation of the thread, with the program's name of its location.
func (t *Thread) text(in *instruction) string {
	if in.isFence() || in.kind == gen.Delay {
		return in.kind.String()
	}
	return fmt.Sprintf("%s of %s (line %#x)", in.kind, t.locations[in.loc], int64(in.line))
}

// buffered lists the stores in a buffer, each after a separator.
func (t *Thread) buffered(b *buffer) string {
	var sb strings.Builder
	for i := range b.stores {
		s := &b.stores[i]
		state := "waits"
		if s.issued {
			state = "is under way"
		}
		fmt.Fprintf(&sb, "; buffered %s %s", t.text(&s.in), state)
	}
	return sb.String()
}

// Describe lists the operations of the window, the oldest first.
func (c *windowed) Describe() string {
	var sb strings.Builder
	for p := c.window.head; p != c.window.tail; p++ {
		s := c.window.at(p)
		state := [...]string{unissued: "is held back", issued: "is under way", performed: "has performed"}[s.state]
		fmt.Fprintf(&sb, "; %s %s", c.thread.text(&s.in), state)
	}
	if c.queue.Now() < c.busyUntil {
		fmt.Fprintf(&sb, "; is delayed until tick %d", c.busyUntil)
	}
	if sb.Len() == 0 && c.thread.exhausted() {
		return "has no operation left"
	}
	return strings.TrimPrefix(sb.String(), "; ")
}
