package builtin

import (
	"ordeal/gen"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// reader reads the final value of each location on the first core, after all
// threads have ended. It leaves out the lines that no operation accesses, whose
// locations keep their initial value: they would take more of a short run than
// its operations.
type reader struct {
	queue   *event.Queue
	self    event.Actor
	port    memory.Port
	program *gen.Program
	left    []gen.LocID // to read
	values  []gen.Value // by location
}

func (r *reader) start(q *event.Queue, p *gen.Program, port memory.Port) {
	*r = reader{queue: q, port: port, program: p, left: inAccessedLines(p), values: make([]gen.Value, len(p.Locations))}
	r.self = q.Add(r)
	port.Attach(r)
	q.At(q.Now()+1, r.self, 0)
}

// inAccessedLines lists the locations of all lines that an operation accesses.
func inAccessedLines(p *gen.Program) []gen.LocID {
	accessed := make(map[memory.Addr]bool, len(p.Locations))
	for _, ops := range p.Threads {
		for _, op := range ops {
			if op.Kind.Reads() || op.Kind.Writes() {
				accessed[addressOf(p, op.Loc).Line()] = true
			}
		}
	}
	list := make([]gen.LocID, 0, len(p.Locations))
	for l := range p.Locations {
		if id := gen.LocID(l); accessed[addressOf(p, id).Line()] {
			list = append(list, id)
		}
	}
	return list
}

func (r *reader) done() bool { return len(r.left) == 0 }

func (r *reader) address() memory.Addr { return addressOf(r.program, r.left[0]) }

// Handle reads the next location, at the next tick if the line is being flushed.
func (r *reader) Handle(uint64) {
	if !r.port.Access(memory.Request{Line: r.address().Line()}) {
		r.queue.At(r.queue.Now()+1, r.self, 0)
	}
}

// Perform takes the value of a location.
func (r *reader) Perform(_ uint64, b *memory.Block) {
	r.values[r.left[0]] = gen.Value(b[r.address().Word()])
	r.left = r.left[1:]
	if r.done() {
		r.queue.Halt()
		return
	}
	r.queue.At(r.queue.Now()+1, r.self, 0)
}

// Evict ignores the notification: one location is read at a time.
func (r *reader) Evict(memory.Addr) {}
