package ruby

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"ordeal/gen/option"
	"ordeal/sim/builtin/event"
	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/types"
)

// Bound is the number of messages that buffers have room for, as buffer_size of
// gem5's MessageBuffer.
type Bound struct {
	// Role and Buffer name a message buffer of a machine, as in Parameter. Without a
	// Role it is every buffer between a machine and the network or another machine
	// if Buffer is empty, and with Buffer "network" the buffers of the network
	// itself: one on the way to each buffer that the network fills.
	Role, Buffer string
	Size         int // 0 for any number
}

// networkBound is what a Bound calls the buffers of the network.
const networkBound = "network"

// ParseBound reads "L1Cache.requestFromL1Cache=4", "network=2" or "4".
func ParseBound(text string) (Bound, error) {
	name, size, named := strings.Cut(text, "=")
	if !named {
		name, size = "", text
	}
	role, buffer, dotted := strings.Cut(name, ".")
	if !dotted {
		role, buffer = "", name
	}
	n, err := strconv.Atoi(size)
	if err != nil || n < 0 || (dotted || named) && buffer == "" || dotted && role == "" || named && !dotted && name != networkBound {
		return Bound{}, option.Faultf("buffer-size", "%q: want MACHINE.buffer=SIZE, network=SIZE or SIZE, with sizes of at least 0 messages", text)
	}
	return Bound{role, buffer, n}, nil
}

// checkBounds reports bounds of buffers that no machine has, or that must not
// have one: the sender of a request from outside does not ask for room
// (Sequencer.cc, DMASequencer.cc and RubyPrefetcherProxy.cc of gem5 enqueue at
// once), so that gem5 would stop at the assertion in MessageBuffer::enqueue.
func (p *program) checkBounds(o *Options) error {
	var errs []error
	for _, b := range o.Bounds {
		if b.Role == "" {
			continue
		}
		i := slices.IndexFunc(p.roles(), func(r *code.Role) bool { return r.Name == b.Role })
		if i < 0 {
			errs = append(errs, option.Faultf("buffer-size", "protocol %s has no machine %s: want one of %s",
				p.Protocol.Name, b.Role, strings.Join(p.roleNames(), ", ")))
			continue
		}
		var names []string
		for _, v := range p.roles()[i].Code.Buffers {
			if boundable(v) {
				names = append(names, v.Name)
			}
		}
		if !slices.Contains(names, b.Buffer) {
			errs = append(errs, option.Faultf("buffer-size", "%s has no buffer %s that can be full: want one of %s",
				b.Role, b.Buffer, strings.Join(names, ", ")))
		}
	}
	return errors.Join(errs...)
}

// checkSteppedBounds reports bounds that the steps of a Stepper do not have: only those of
// buffers that a machine sends from, which are empty at the beginning of a step.
func (p *program) checkSteppedBounds(o *Options) error {
	for _, b := range o.Bounds {
		for _, r := range p.roles() {
			for _, v := range r.Code.Buffers {
				to, _ := v.Attrs.Get("network")
				if to != "To" && o.bound(r, v) > 0 {
					return option.Faultf("buffer-size", "%s.%s is no buffer that a machine sends from: of others the size is not part of an explored state", r.Name, v.Name)
				}
			}
		}
		if b.Role == "" && b.Size > 0 {
			return option.Faultf("buffer-size", "the size of the network's buffers is not part of an explored state: want those that a machine sends from")
		}
	}
	return nil
}

func boundable(v *types.Var) bool {
	return v.Name != code.MandatoryQueue && v.Name != code.PrefetchQueue
}

// bound is the room of a buffer of a role; 0 for any number.
func (o *Options) bound(r *code.Role, v *types.Var) int {
	size := 0
	for _, b := range o.Bounds {
		_, networked := v.Attrs.Get("network")
		if b.Role == "" && b.Buffer == "" && networked && boundable(v) || b.Role == r.Name && b.Buffer == v.Name {
			size = b.Size
		}
	}
	return size
}

// networkCapacity is the room of a buffer of the network; 0 for any number.
func (o *Options) networkCapacity() int {
	size := 0
	for _, b := range o.Bounds {
		if b.Role == "" && b.Buffer == networkBound {
			size = b.Size
		}
	}
	return size
}

// capacity is what a bounded buffer has room for. Room that a message leaves is
// there in the next tick; that a message takes is gone at once
// (MessageBuffer::areNSlotsAvailable, MessageBuffer.cc:133 of gem5 v24.0).
type capacity struct {
	limit int
	// popped and put are the last ticks in which messages left and came. Before
	// the first one left in the tick popped there were before messages; came is how many
	// came in the tick put.
	popped, put  event.Tick
	before, came int
	// waiters are to be polled when there is room again.
	waiters []*wakeups
}

func newCapacity(limit int) *capacity {
	if limit == 0 {
		return nil
	}
	return &capacity{limit: limit, popped: -1, put: -1}
}

// held counts the messages in the buffer, those set aside among them.
func (b *buffer) held() int {
	n := len(b.items) - b.head
	for i := range b.stalls {
		n += len(b.stalls[i].list)
	}
	return n
}

// fits reports whether n more messages fit in now. If they do not, who asked is
// woken when a message has left.
func (b *buffer) fits(n int, now event.Tick, asks *wakeups) bool {
	r := b.capacity
	if r == nil {
		return true
	}
	held := b.held()
	if r.popped == now {
		held = r.before
		if r.put == now {
			held += r.came
		}
	}
	if held+n <= r.limit {
		return true
	}
	if !slices.Contains(r.waiters, asks) {
		r.waiters = append(r.waiters, asks)
	}
	if r.popped == now { // there is more in the next tick
		asks.wake(now + 1)
	}
	return false
}

// noteCome counts a message that is put into a bounded buffer now.
func (b *buffer) noteCome(now event.Tick) {
	if b.capacity.put != now {
		b.capacity.put, b.capacity.came = now, 0
	}
	b.capacity.came++
}

// noteGone notes that a message is about to leave a bounded buffer, and wakes who
// waits for that.
func (b *buffer) noteGone(now event.Tick) {
	r := b.capacity
	if r.popped != now {
		r.popped, r.before = now, b.held()
	}
	for _, w := range r.waiters {
		w.wake(now + 1)
	}
	r.waiters = r.waiters[:0]
}

// overfull reports whether a buffer holds more than it has room for: the sender did not
// ask, or asked for less than it sent, as gem5's compiler lets it where two actions
// of a transition send (gem5 stops at the assertion in MessageBuffer.cc:259).
func (b *buffer) overfull() bool { return b.capacity != nil && b.held() > b.capacity.limit }

// throttle holds the messages that are under way to a buffer with bounded room, or in
// a network with such buffers, and lets them in as there is room, the first that
// arrives first: what gem5's Throttle does for a virtual network of a controller.
type throttle struct {
	wakeups
	to   *buffer
	held buffer
}

// newThrottle puts a throttle before a buffer. The room is that of the network's buffer.
func (s *System) newThrottle(to *buffer, limit int) *throttle {
	g := &throttle{to: to}
	s.act(g)
	g.held = buffer{prefix: "network to ", title: to.title, owner: to.owner, poller: &g.wakeups, capacity: newCapacity(limit)}
	return g
}

// Handle lets messages in.
func (g *throttle) Handle(uint64) {
	now := g.woken()
	for g.held.ready(now) && g.to.fits(1, now, &g.wakeups) {
		g.to.enqueue(g.held.pop().msg, now)
	}
}

// entrance is where a message on its way to a buffer is put in.
func (b *buffer) entrance() *buffer {
	if b.throttle != nil {
		return &b.throttle.held
	}
	return b
}
