package parse

import (
	"errors"
	"fmt"
	"math"

	"ordeal/gen"
	"ordeal/gen/faults"
)

// ErrPartial says that a native log ends early, and that nothing else is
// wrong with it.
var ErrPartial = errors.New("log is partial")

// ValueError is a Fault in the words of the input. Errors of Native join one
// for each faulty value, so that errors.As finds the first.
type ValueError struct {
	Fault Fault
	// Place is where the fault is, for instance "thread 1 round 3 operation
	// 2 (load x)"; Text is what is wrong there.
	Place, Text string
	// History has the operations of the log without reads-from, Origins their places in the program.
	History *History
	Origins *Origins
	_       struct{}
}

// Error is one line with place, value and location.
func (e *ValueError) Error() string { return e.Place + ": " + e.Text }

// Native rebuilds what happened from the native log of a run of p for a number
// of rounds. Operations keep program order, round after round, without the
// delays; NewOrigins leads back from them to the program. Stores and reads
// have the values of their round, and a fetch-add that read v writes
// v + Value·AddUnit. The history is sound in the sense of Validate.
//
// All faults of the log are reported, named by thread, round and operation or
// by their place in bytes: whatever is not as package wire says, a value that
// no operation wrote or that was written to another location (ValueError), two
// operations that write the same value to one location (ValueError of kind LostUpdate). The
// History is nil then. A ValueError is about the memory that was tested, all else about the log.
//
// A log that is only incomplete (it ends within a frame, lacks threads, or has
// too few values of some) gives a History and an error that wraps ErrPartial.
// The History is what the log proves: of each thread the operations before
// the first read whose value, or the writer of whose value, is missing, and
// the stores, exchanges (as plain stores) and fences after such a read up to the
// last whose value another operation read: they are pending, their values known
// from the program. Stores are included though they may not have been executed;
// since no operation reads those, and a History without some reads
// demands less, a model that allows the execution allows the History too. It has
// neither final values nor store order. Programs with transactions, or of another
// instruction set than x86-64, have no pending operations.
func Native(p *gen.Program, rounds int, log []byte) (*History, error) {
	if err := p.ValidateRounds(rounds); err != nil {
		return nil, fmt.Errorf("parse native log: %w", err)
	}
	d := &decoder{p: p, rounds: rounds}
	d.frames = splitFrames(p, rounds, log, &d.faults)
	if d.faults.Count() > 0 { // missing values may be in the faulty frames
		return nil, fmt.Errorf("parse native log: %w", d.faults.Err())
	}
	if d.frames.torn != nil {
		d.short.Add(d.frames.torn)
	}
	if err := d.size(); err != nil {
		return nil, fmt.Errorf("parse native log: %w", err)
	}
	d.decode()
	d.dependencies()
	d.resolve()
	if d.faults.Count() > 0 {
		return nil, fmt.Errorf("parse native log: %w", d.faults.Err())
	}
	if d.short.Count() > 0 {
		d.h.trim(d.h.proven())
		d.h.group(p, d.origins)
		return d.h, fmt.Errorf("parse native log: %w: %w", ErrPartial, d.short.Err())
	}
	d.h.group(p, d.origins)
	return d.h, nil
}

type decoder struct {
	p       *gen.Program
	rounds  int
	frames  *frames
	faults  faults.List // what is wrong
	short   faults.List // what is missing
	h       *History
	origins *Origins
	writers *Writers
	// logged is how many operations of each thread come before its first read
	// without a value.
	logged []int
}

// size counts the operations of each thread, up to its first read without a
// value, and those that are pending after it, and makes room for them.
func (d *decoder) size() error {
	d.h = &History{Start: make([]OpID, 1, len(d.p.Threads)+1), Locations: d.p.Locations}
	d.origins = NewOrigins(d.p, d.h)
	var total int64
	for t, index := range d.origins.index {
		reads := d.p.Reads(gen.ThreadID(t))
		got, want := d.frames.threads[t].Len(), int64(d.rounds)*int64(reads)
		n := int64(d.rounds) * int64(len(index))
		switch {
		case d.frames.threads[t] == nil:
			d.short.Addf("thread %d: no frame", t)
		case int64(got) < want:
			d.short.Addf("thread %d: %d values of %d", t, got, want)
		case int64(got) > want:
			d.faults.Addf("thread %d: %d values: want %d", t, got, want)
			got = int(want)
		}
		if int64(got) < want {
			n = int64(got/reads)*int64(len(index)) + int64(d.readPosition(t, got%reads))
		}
		if total += n; total > math.MaxInt32 {
			return fmt.Errorf("more than %d operations", math.MaxInt32)
		}
		d.logged = append(d.logged, int(n))
		d.h.ThreadNames = append(d.h.ThreadNames, fmt.Sprint(t))
	}
	if d.short.Count() > 0 && len(d.p.Transactions) == 0 && d.p.ISA == gen.X86 {
		d.h.Tails = d.tails()
	}
	total = 0
	for t, n := range d.logged {
		if total += int64(n); d.h.Tails != nil {
			total += int64(len(d.h.Tails[t]))
		}
		d.h.Start = append(d.h.Start, OpID(total))
	}
	d.h.Ops = make([]Op, total)
	d.missingOrders()
	return nil
}

// missingOrders notes the locations that are written and lack a store order
// though others have one.
func (d *decoder) missingOrders() {
	if !d.frames.ordered() {
		return
	}
	for x, writes := range d.p.Writes() {
		if writes > 0 && d.frames.order[x] == nil {
			d.short.Addf("store order of %s: no frame", d.p.Locations[x])
		}
	}
}

// readPosition is how many operations of thread t that are in the History
// come before read k of a round.
func (d *decoder) readPosition(t, k int) int {
	for pos, i := range d.origins.index[t] {
		if !d.p.Threads[t][i].Kind.Reads() || d.origins.half(t, pos) == storeHalf {
			continue
		}
		if k == 0 {
			return pos
		}
		k--
	}
	panic("parse: thread has fewer reads than Program.Reads counts")
}

// decode fills in all of Ops but reads-from.
func (d *decoder) decode() {
	stride := d.p.Stride()
	for t, index := range d.origins.index {
		ops := d.h.Ops[d.h.Start[t]:d.h.Start[t+1]]
		tail := ops[d.logged[t]:]
		ops = ops[:d.logged[t]]
		values := d.frames.threads[t]
		code := make([]gen.Op, len(index))
		for k, i := range index {
			code[k] = d.p.Threads[t][i]
		}
		next := 0
		for base := gen.Value(0); len(ops) > 0; base += stride {
			n := min(len(code), len(ops))
			for k := range code[:n] {
				switch {
				case d.origins.half(t, k) == storeHalf:
					ops[k].Read = ops[k-1].Read
				case code[k].Kind.Reads():
					ops[k].Read = values.At(next)
					next++
				}
				decodeOp(&code[k], &ops[k], base)
				if d.p.ISA != gen.X86 {
					d.decodeInstruction(&code[k], ops, k, d.origins.half(t, k), base)
				}
			}
			ops = ops[n:]
		}
		for k := range tail {
			place := d.h.Tails[t][k]
			op := code[place%len(code)]
			if op.Kind == gen.Exchange {
				op.Kind = gen.Store
			}
			decodeOp(&op, &tail[k], gen.Value(place/len(code))*stride)
		}
	}
}

// decodeOp makes to what from does in a round that stores base plus constants;
// to has what it reads already.
func decodeOp(from *gen.Op, to *Op, base gen.Value) {
	to.RF = NoOp
	to.Loc = int32(from.Loc)
	switch from.Kind {
	case gen.Load:
		to.Kind = Read
	case gen.Store:
		to.Kind, to.Write = Write, base+from.Value
	case gen.Exchange:
		to.Kind, to.Write = RMW, base+from.Value
	case gen.FetchAdd:
		to.Kind, to.Write = RMW, to.Read+from.Value*gen.AddUnit
	case gen.FullFence:
		to.Kind, to.Mask, to.Loc = Fence, FullFence, -1
	}
}

// resolve finds the writer of every value.
func (d *decoder) resolve() {
	d.writers = NewWriters(d.h, d.report)
	pending := d.pendingWrites()
	d.writers.Link(func(id OpID) {
		op := &d.h.Ops[id]
		if !pending.has(op.Loc, op.Read) {
			d.missing(id, op.Loc, op.Read)
		}
	})
	d.final(pending)
	d.storeOrder(pending)
}

// report reports a faulty value of an operation. No two operations of a program store one value, and
// sums grow until a store with other low bits: two that write the same are additions of which one is lost.
func (d *decoder) report(f Fault) {
	if f.Kind == DuplicateWrite {
		f.Kind = LostUpdate
	}
	d.reportAt(f, d.place(f.Op))
}

func (d *decoder) reportAt(f Fault, place string) {
	if d.faults.Full() {
		d.faults.Add(nil)
		return
	}
	d.faults.Add(&ValueError{Fault: f, Place: place, Text: f.Text(d.h, d.place), History: d.h, Origins: d.origins})
}

func (d *decoder) missing(id OpID, loc int32, v gen.Value) {
	if d.faults.Full() { // skip the search for the value elsewhere
		d.faults.Add(nil)
		return
	}
	d.report(d.writers.Missing(id, loc, v))
}

func (d *decoder) place(id OpID) string {
	o := d.origins.Of(id)
	return fmt.Sprintf("thread %d round %d operation %d (%s)",
		o.Thread, o.Round, o.Index, d.p.OpText(d.p.Threads[o.Thread][o.Index]))
}

func (d *decoder) final(pending *pendingWrites) {
	if d.frames.final == nil {
		return
	}
	if got := d.frames.final.Len(); got != len(d.p.Locations) {
		d.faults.Addf("final values: %d values of %d locations", got, len(d.p.Locations))
		return
	}
	final := make([]OpID, len(d.p.Locations))
	for x, name := range d.p.Locations {
		v := d.frames.final.At(x)
		final[x] = d.writers.Of(int32(x), v)
		if final[x] == NoOp && !pending.has(int32(x), v) {
			d.reportAt(d.writers.Missing(NoOp, int32(x), v), "final value of "+name)
		}
	}
	if d.short.Count() == 0 {
		d.h.Final = final
	}
}

// storeOrder resolves the orders of stores: none, or of all locations with
// writes.
func (d *decoder) storeOrder(pending *pendingWrites) {
	if !d.frames.ordered() || d.faults.Count() > 0 { // an order of faulty values says no more
		return
	}
	listed := make([]bool, len(d.h.Ops))
	orders := make([][]OpID, len(d.p.Locations))
	for x, order := range d.frames.order {
		place := "store order of " + d.p.Locations[x]
		orders[x] = make([]OpID, 0, order.Len())
		for i := range order.Len() {
			v := order.At(i)
			id := d.writers.Of(int32(x), v)
			switch {
			case id == Init:
				d.faults.Addf("%s: entry %d is 0, the initial value", place, i)
			case id == NoOp && pending.has(int32(x), v):
			case id == NoOp:
				d.reportAt(d.writers.Missing(NoOp, int32(x), v), fmt.Sprintf("%s: entry %d", place, i))
			case listed[id]:
				d.faults.Addf("%s: entry %d: %s is listed twice", place, i, d.place(id))
			default:
				listed[id] = true
				orders[x] = append(orders[x], id)
			}
		}
	}
	if d.short.Count() > 0 {
		return
	}
	for id := range d.h.Ops {
		if op := &d.h.Ops[id]; op.Writes() && !listed[id] {
			d.faults.Addf("store order of %s: %s is missing", d.p.Locations[op.Loc], d.place(OpID(id)))
		}
	}
	d.h.StoreOrder = orders
}
