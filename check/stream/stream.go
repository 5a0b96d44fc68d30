// Package stream checks a history under SC or TSO while it grows, in memory that
// does not grow with it.
//
// Operations come in any interleaving of their threads' program orders: of the
// time between threads nothing is assumed. The checker keeps an order of
// everything up to some point of each thread as a memory state, the commitment,
// and the operations behind it, the window. When the window is full it is checked
// as a history that starts from that state (check.Check, with evidence), and the
// older half of it is committed in the order found. What is committed stays for a
// while, the tail, in case the order turns out to be wrong.
//
// What the answers mean:
//
//   - A violation is one. It is a refutation, accepted by witness.Verify, of the
//     operations kept, tail and window, as a history of their own: without the
//     reads whose write is no longer kept, and with an RMW of that kind as a plain
//     write. If some order explained the whole history, its restriction to these
//     operations would explain them: to leave out reads, and writes that no one
//     left reads, takes nothing from what the others return. So the refutation
//     rests on no commitment, and on no initial value but reads of 0.
//   - Allowed says that all operations seen have an order: the commitment followed
//     by that of the window is one of the whole, since the machine that executed
//     the first is in the state from which it executed the second. Each part was
//     accepted by witness.Replay.
//   - Unknown is everything else, and says why. The commitment may be wrong where
//     several were possible: if the window does not continue it and the operations
//     kept are no violation by themselves, the order found for them becomes the
//     commitment (a gap); what follows is checked as before, but the final answer
//     is Unknown unless it is a violation. A read whose write has not come holds
//     its thread up; if it does not come before too many operations wait, or at
//     all, it was never written, or overwritten longer ago than the tail.
//
// Values must be unique in the whole history; two writes of one value are noticed
// where both are kept.
package stream

import (
	"context"
	"fmt"
	"maps"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/parse"
)

// Options configure a Checker.
type Options struct {
	// Window is the number of new operations that are checked at a time;
	// 0 means DefaultWindow.
	Window int
	// Limit is the most operations that are kept; 0 means 16 times Window.
	Limit int
	// Check configures the check of a window.
	Check check.Options
	_     struct{}
}

// DefaultWindow is the number of new operations that are checked at a time, unless
// Options say otherwise.
const DefaultWindow = 1 << 15

// Result is what a Checker found so far.
type Result struct {
	Answer check.Answer
	Reason string // why it is Unknown
	// Violation is what Forbidden rests on.
	Violation *Violation

	Operations int64 // that were added
	Checks     int   // of windows
	Gaps       int   // where the order so far could not be continued
	Peak       int   // most operations kept
	_          struct{}
}

// Violation is a part of the history that the model forbids.
type Violation struct {
	History *parse.History // without names of threads and locations
	Lines   []int64        // of its operations
	Verdict check.Verdict
}

// Checker checks a growing history.
type Checker struct {
	model   model.Model
	opt     Options
	threads []thread
	memory  []gen.Value // location → value after the commitment
	writers map[place]ref
	pending int   // operations not committed
	kept    int   // operations
	next    int   // value of pending at which to check
	arrived int64 // operations added
	gapText string
	result  Result
	stopped bool
	// finished says that no operation follows.
	finished bool
	onCommit func(ref) // for tests
}

// place is a location and a value.
type place struct {
	loc   int32
	value gen.Value
}

// ref names an operation by its thread and its number there, counted from 0.
type ref struct {
	thread int32
	index  int64
}

// thread is the operations of a thread that are kept: tail, then window, though
// under TSO the two may mix.
type thread struct {
	first     int64 // number of ops[0]
	ops       []entry
	committed int // ops before this index are committed
}

type entry struct {
	op        parse.Op // RF is not used
	committed bool
	orphan    bool // read or RMW without its read: its write is not kept, see gap
	arrival   int64
	line      int64
}

// New returns a Checker for SC or TSO.
func New(m model.Model, opt Options) (*Checker, error) {
	if m != model.SC && m != model.TSO {
		return nil, fmt.Errorf("follow: model %s: want sc or tso", m.Name)
	}
	if opt.Window == 0 {
		opt.Window = DefaultWindow
	}
	if opt.Limit == 0 {
		opt.Limit = 16 * opt.Window
	}
	if opt.Window < 2 || opt.Limit < 2*opt.Window {
		return nil, fmt.Errorf("follow: window %d, limit %d: want at least 2, and twice the window", opt.Window, opt.Limit)
	}
	return &Checker{
		model: m, opt: opt, writers: map[place]ref{}, next: opt.Window,
		result: Result{Answer: check.Allowed},
	}, nil
}

// Add adds the next operation of a thread; threads and locations are numbered from
// 0. The line names it in violations. It reports whether the answer is final, after
// which nothing may be added. The error is about a malformed operation, which is
// left out, or ctx.
func (c *Checker) Add(ctx context.Context, t int32, op parse.Op, line int64) (final bool, err error) {
	for int(t) >= len(c.threads) {
		c.threads = append(c.threads, thread{})
	}
	for int(op.Loc) >= len(c.memory) {
		c.memory = append(c.memory, 0)
	}
	th := &c.threads[t]
	if op.Writes() {
		at := place{op.Loc, op.Write}
		if first, twice := c.writers[at]; twice {
			return false, fmt.Errorf("the value %d was written before, on line %d", op.Write, c.entry(first).line)
		}
		if op.Write == 0 {
			return false, fmt.Errorf("0 is written, the initial value")
		}
		c.writers[at] = ref{t, th.first + int64(len(th.ops))}
	}
	th.ops = append(th.ops, entry{op: op, committed: op.Kind == parse.Fence, arrival: c.arrived, line: line})
	c.arrived++
	c.kept++
	if op.Kind != parse.Fence {
		c.pending++
	}
	c.result.Peak = max(c.result.Peak, c.kept)
	if c.pending < c.next && c.kept < c.opt.Limit {
		return false, nil
	}
	if err := c.check(ctx); err != nil {
		return false, err
	}
	if !c.stopped && c.kept >= c.opt.Limit {
		c.stop(check.Unknown, fmt.Sprintf("more than %d operations would have to be kept%s", c.opt.Limit, c.waiting()))
	}
	return c.stopped, nil
}

// Finish checks what is left and returns the result.
func (c *Checker) Finish(ctx context.Context) (Result, error) {
	if !c.stopped {
		c.finished = true
		if err := c.check(ctx); err != nil {
			return Result{}, err
		}
	}
	return c.Result(), nil
}

// Result is what is known of the operations that have been checked.
func (c *Checker) Result() Result {
	r := c.result
	r.Operations = c.arrived
	if r.Answer != check.Allowed {
		return r
	}
	if text := c.waiting(); text != "" {
		r.Answer, r.Reason = check.Unknown, text[2:]
	}
	if c.result.Gaps > 0 {
		r.Answer, r.Reason = check.Unknown, c.gapText
	}
	return r
}

func (c *Checker) stop(answer check.Answer, reason string) {
	c.stopped = true
	c.result.Answer, c.result.Reason = answer, reason
}

func (c *Checker) entry(r ref) *entry {
	th := &c.threads[r.thread]
	return &th.ops[r.index-th.first]
}

// retire drops committed operations that are older than a window, and commits to
// memory. A write that memory holds has no need of its entry: reads of it find its
// value there.
func (c *Checker) retire() {
	before := c.arrived - 2*int64(c.opt.Window)
	for t := range c.threads {
		th := &c.threads[t]
		n := 0
		for n < len(th.ops) && th.ops[n].committed && (th.ops[n].arrival < before || c.kept-n > c.opt.Limit/2) {
			if op := &th.ops[n].op; op.Writes() {
				delete(c.writers, place{op.Loc, op.Write})
			}
			n++
		}
		if n > 0 {
			th.first += int64(n)
			th.ops = append(th.ops[:0], th.ops[n:]...)
			c.kept -= n
		}
		th.committed = 0
		for th.committed < len(th.ops) && th.ops[th.committed].committed {
			th.committed++
		}
	}
	if c.result.Checks%renewal == 0 {
		writers := make(map[place]ref, len(c.writers))
		maps.Copy(writers, c.writers)
		c.writers = writers
	}
}

// renewal is after how many checks the map of writers is made anew: one to which
// keys come and go grows, if slowly.
const renewal = 256
