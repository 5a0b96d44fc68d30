package journal

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// maxWaiting is how many finished runs may wait for earlier ones before no
// further runs start: a slow run delays the others only after that many, and
// they take bounded memory.
const maxWaiting = 1000

// Order commits finished runs in the order of their numbers, whatever the order
// in which they end: a run that ended waits for those before it. What depends
// on the order of runs is thus the same with any number of workers.
type Order struct {
	// commit records a run. Calls do not overlap. The first error ends the
	// campaign, whether the run was recorded or not: nothing is committed after
	// it.
	commit func(*Entry) (recorded bool, err error)

	mu       sync.Mutex
	done     []bool // committed, or not of this shard
	next     int    // the first run that is not done
	left     int    // runs that are not done
	waiting  map[int]*Entry
	slotFree sync.Cond
	err      error // of commit
}

// NewOrder returns the Order of a campaign of which no run is committed. Mine
// says which runs belong to the shard.
func NewOrder(mine []bool, commit func(*Entry) (recorded bool, err error)) *Order {
	o := &Order{commit: commit, done: make([]bool, len(mine)), waiting: make(map[int]*Entry)}
	o.slotFree.L = &o.mu
	for number, has := range mine {
		o.done[number] = !has
		if has {
			o.left++
		}
	}
	o.advance()
	return o
}

func (o *Order) advance() {
	for o.next < len(o.done) && o.done[o.next] {
		o.next++
	}
}

func (o *Order) finish(number int) {
	for number >= len(o.done) { // of an audit
		o.done = append(o.done, false)
		o.left++
	}
	if !o.done[number] {
		o.done[number] = true
		o.left--
	}
	o.advance()
}

// Skip marks a run that is recorded already.
func (o *Order) Skip(number int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.finish(number)
}

// Left counts the runs that are not committed.
func (o *Order) Left() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.left
}

// Done reports whether a run is committed, or of another shard.
func (o *Order) Done(number int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return number < len(o.done) && o.done[number]
}

// MustWait reports whether a run would not be committed now.
func (o *Order) MustWait(number int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err != nil || number != o.next
}

// Waits reports whether a run has ended and is not committed.
func (o *Order) Waits(number int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.waiting[number] != nil
}

// Missing lists those of the numbers whose runs have not ended.
func (o *Order) Missing(numbers []int) []int {
	o.mu.Lock()
	defer o.mu.Unlock()
	var list []int
	for _, n := range numbers {
		if !o.done[n] && o.waiting[n] == nil {
			list = append(list, n)
		}
	}
	return list
}

// Add adds a run that has ended and commits those that wait for no other. The
// error is the first of commit.
func (o *Order) Add(e *Entry) error {
	o.Restore(e)
	return o.Commit()
}

// Restore adds a run that had ended before the campaign was resumed.
func (o *Order) Restore(e *Entry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting[e.Number] = e
}

// Commit commits the runs that wait for no other.
func (o *Order) Commit() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil && o.waiting[o.next] != nil {
		o.commitOne(o.next)
	}
	o.slotFree.Broadcast()
	return o.err
}

// Flush commits the runs that wait, in order, although others are missing:
// none of these will be run.
func (o *Order) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, number := range slices.Sorted(maps.Keys(o.waiting)) {
		if o.err == nil {
			o.commitOne(number)
		}
	}
	return o.err
}

func (o *Order) commitOne(number int) {
	recorded := false
	if recorded, o.err = o.commit(o.waiting[number]); recorded {
		delete(o.waiting, number)
		o.finish(number)
	}
}

// Discard removes the runs that wait and returns them in order.
func (o *Order) Discard() []*Entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	var list []*Entry
	for _, number := range slices.Sorted(maps.Keys(o.waiting)) {
		list = append(list, o.waiting[number])
	}
	clear(o.waiting)
	return list
}

// WaitForSlot waits until few enough runs wait for others that the run of a
// number may start. All runs of lower numbers must have been started.
func (o *Order) WaitForSlot(ctx context.Context, number int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer context.AfterFunc(ctx, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.slotFree.Broadcast()
	})()
	for len(o.waiting) >= maxWaiting && o.next < number && ctx.Err() == nil {
		o.slotFree.Wait()
	}
}
