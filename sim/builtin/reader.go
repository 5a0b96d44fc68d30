package builtin

import (
	"ordeal/gen"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// reader reads the final value of each location on the first core, after all
// threads have ended.
type reader struct {
	queue   *event.Queue
	self    event.Actor
	port    memory.Port
	program *gen.Program
	values  []gen.Value
}

func (r *reader) start(q *event.Queue, p *gen.Program, port memory.Port) {
	*r = reader{queue: q, port: port, program: p, values: make([]gen.Value, 0, len(p.Locations))}
	r.self = q.Add(r)
	port.Attach(r)
	q.At(q.Now()+1, r.self, 0)
}

func (r *reader) done() bool { return len(r.values) == len(r.program.Locations) }

func (r *reader) address() memory.Addr {
	return memory.Base + memory.Addr(r.program.Offset(gen.LocID(len(r.values))))
}

// Handle reads the next location, at the next tick if the line is being flushed.
func (r *reader) Handle(uint64) {
	if !r.port.Access(memory.Request{Line: r.address().Line()}) {
		r.queue.At(r.queue.Now()+1, r.self, 0)
	}
}

// Perform takes the value of a location.
func (r *reader) Perform(_ uint64, b *memory.Block) {
	r.values = append(r.values, gen.Value(b[r.address().Word()]))
	if r.done() {
		r.queue.Halt()
		return
	}
	r.queue.At(r.queue.Now()+1, r.self, 0)
}

// Evict ignores the notification: one location is read at a time.
func (r *reader) Evict(memory.Addr) {}
