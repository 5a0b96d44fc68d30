package core

import (
	"fmt"
	"strings"

	"ordeal/gen"
)

func (in *instruction) text() string {
	if in.kind == gen.FullFence || in.kind == gen.Delay {
		return in.kind.String()
	}
	return fmt.Sprintf("%s of location %d (line %#x)", in.kind, in.loc, int64(in.line))
}

// text lists the buffered stores, each after a separator.
func (b *buffer) text() string {
	var sb strings.Builder
	for i := range b.stores {
		s := &b.stores[i]
		state := "waits"
		if s.issued {
			state = "is under way"
		}
		fmt.Fprintf(&sb, "; buffered %s %s", s.in.text(), state)
	}
	return sb.String()
}

// Describe lists the operations of the window, the oldest first.
func (c *windowed) Describe() string {
	var sb strings.Builder
	for p := c.window.head; p != c.window.tail; p++ {
		s := c.window.at(p)
		state := [...]string{unissued: "is held back", issued: "is under way", performed: "has performed"}[s.state]
		fmt.Fprintf(&sb, "; %s %s", s.in.text(), state)
	}
	if c.queue.Now() < c.busyUntil {
		fmt.Fprintf(&sb, "; is delayed until tick %d", c.busyUntil)
	}
	if sb.Len() == 0 && c.thread.exhausted() {
		return "has no operation left"
	}
	return strings.TrimPrefix(sb.String(), "; ")
}
