package axe

import (
	"fmt"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// span is a timestamp: when the request of an operation was issued, and when
// its response came. Either may be unknown.
type span struct {
	begin, end       gen.Value
	hasBegin, hasEnd bool
}

// stamp reads what may stand behind an operation: nothing, or "@ begin",
// "@ begin:", "@ :end" or "@ begin:end".
func stamp(s *trace.Scanner) (at span) {
	if !s.Eat("@") {
		return at
	}
	if next := s.Next(); next != ':' {
		at.begin, at.hasBegin = s.Number(), true
	}
	if s.Eat(":") {
		if digit := s.Next() - '0'; digit <= 9 {
			at.end, at.hasEnd = s.Number(), true
		}
	}
	return at
}

// clock turns the timestamps of a thread into dependencies, as Axe's model WMO
// takes them into account (manual, section "Weak Memory Order", and
// localDepEdges in Edges.cpp): an operation depends on an earlier read of its
// thread if the read's response came before the operation's request was
// issued, since no memory system can have executed the two out of order then.
// Operations are issued in the order of their lines, so that one without a
// time is issued after the latest time before it. Times of different threads
// are never compared.
//
// Dependencies that follow from others are left out: there is one for each of
// the reads that were in flight together.
type clock struct {
	begin    gen.Value // the latest request
	line     int       // its line, 0 for no request with a time
	inFlight []read    // reads whose response is not known to have come
	finished []read    // that have, and on which no other one of these depends
}

// read is a read with a response.
type read struct {
	number     gen.Value // of the operation in its thread, from 1
	begin, end gen.Value // 0 for a begin that is unknown
}

// issue adds an operation, the number-th of its thread, which starts on a
// line, and calls depends with the number of each read that it depends on. The
// error is that of Axe's sanity check (Trace.cpp).
func (c *clock) issue(op *parse.Op, at span, number gen.Value, line int, depends func(from gen.Value)) error {
	if at.hasEnd && !op.Reads() && (op.Kind != parse.Fence || op.Mask != parse.FullFence) {
		return fmt.Errorf("timestamp with an end: only reads, read-modify-writes and sync have a response")
	}
	if at.hasBegin {
		if c.line > 0 && at.begin <= c.begin {
			return fmt.Errorf("timestamp begins at %d, and that of line %d before it in the thread at %d: want ascending times", at.begin, c.line, c.begin)
		}
		c.begin, c.line = at.begin, line
	}
	if at.hasEnd && c.line > 0 && at.end <= c.begin {
		return fmt.Errorf("timestamp ends at %d, and the operation was not issued before %d, on line %d", at.end, c.begin, c.line)
	}
	if c.line > 0 {
		c.finish()
	}
	for _, r := range c.finished {
		depends(r.number)
	}
	if at.hasEnd && op.Reads() {
		c.inFlight = append(c.inFlight, read{number: number, begin: c.begin, end: at.end})
	}
	return nil
}

// finish moves the reads whose response came before the latest request.
func (c *clock) finish() {
	kept := c.inFlight[:0]
	for _, r := range c.inFlight {
		if r.end >= c.begin {
			kept = append(kept, r)
			continue
		}
		before := c.finished[:0]
		for _, f := range c.finished {
			if f.end >= r.begin { // r does not depend on f
				before = append(before, f)
			}
		}
		c.finished = append(before, r)
	}
	c.inFlight = kept
}

// maxTimed bounds the dependencies that the timestamps of a trace make.
const maxTimed = 1 << 24

// timed takes the timestamp of an operation that was added last.
func (b *builder) timed(thread int32, op *parse.Op, at span, line int) error {
	for int(thread) >= len(b.clocks) {
		b.clocks = append(b.clocks, clock{})
	}
	number := gen.Value(b.Len(thread))
	return b.clocks[thread].issue(op, at, number, line, func(from gen.Value) {
		if b.dependencies++; b.dependencies <= maxTimed {
			b.Dependency(thread, from, number, 0, line)
		} else if b.dependencies == maxTimed+1 {
			b.Faultf(line, "timestamps make more than %d dependencies: too many reads are in flight together", maxTimed)
		}
	})
}
