package builtin

import (
	"context"
	"fmt"
	"strings"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/types"
	"ordeal/sim/trace"
)

// Record simulates a job as Run does, and calls record with everything that
// happens in its memory system to the lines of some locations, or to all, in order. The
// lines are those of LineOf. The error is as that of Run.
func (r *Runner) Record(ctx context.Context, job sim.Job, want trace.Want, record func(trace.Event)) (sim.Result, error) {
	lines := map[int64]bool{}
	for _, l := range want.Locations {
		lines[r.LineOf(job.Program, l)] = true
	}
	wants := func(line int64) bool { return want.Everywhere || lines[line] }
	recorded := *r
	o := &recorded.options
	var now event.Tick // of the last transition, which an access is part of
	o.Trace = func(s ruby.Step) {
		now = s.At
		if wants(int64(s.Line)) {
			record(trace.Event{
				Kind: trace.Transition, At: int64(s.At), Place: place(s.Machine, s.Number), Line: int64(s.Line),
				Name: s.Event, State: s.State, Next: s.Next, Own: s.Own,
			})
		}
	}
	o.Messages = func(m ruby.Message) {
		if m.To != "" && wants(int64(m.Line)) {
			record(trace.Event{
				Kind: trace.Message, At: int64(m.At), Place: owner(m.Buffer), Line: int64(m.Line),
				Name: m.Type(), To: owner(m.To), Arrives: int64(m.Arrives), Data: valuesOf(m.Data()),
			})
		}
	}
	o.Notices = func(n ruby.Notice) {
		if wants(int64(n.Line)) {
			record(trace.Event{Kind: trace.Notice, At: int64(n.At), Place: place(n.Machine, n.Number), Thread: gen.ThreadID(n.Core), Line: int64(n.Line)})
		}
	}
	o.Accesses = func(a core.Access) {
		if line := r.LineOf(job.Program, a.Loc); lines[line] {
			record(trace.Event{
				Kind: trace.Access, At: int64(now), Place: trace.Core(a.Thread), Line: line,
				Thread: a.Thread, Number: int(a.Number), Loc: a.Loc,
				Reads: a.Kind.Reads(), Writes: a.Kind.Writes(), Read: a.Read, Written: a.Written,
			})
		}
	}
	return recorded.Run(ctx, job)
}

// valuesOf are the words of a line; nil for no line.
func valuesOf(line []uint64) *[memory.WordsPerLine]gen.Value {
	if line == nil {
		return nil
	}
	values := new([memory.WordsPerLine]gen.Value)
	for i := range values {
		values[i] = gen.Value(line[i])
	}
	return values
}

// LineOf is the address of the line that holds a location.
func (*Runner) LineOf(p *gen.Program, loc gen.LocID) int64 {
	return int64((memory.Base + memory.Addr(p.Offset(loc))).Line())
}

// Protocol is the coherence protocol with its source; nil for a memory system
// without one.
func (r *Runner) Protocol() *types.Protocol {
	if r.protocol == nil {
		return nil
	}
	return r.protocol.Types()
}

func place(machine string, number int) string { return fmt.Sprintf("%s %d", machine, number) }

// owner is the controller of a buffer, whose name stands before the buffer's.
func owner(buffer string) string {
	if i := strings.LastIndexByte(buffer, ' '); i > 0 {
		return buffer[:i]
	}
	return buffer
}
