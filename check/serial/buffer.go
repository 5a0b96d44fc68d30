package serial

import "sort"

// store is a write in a store buffer.
type store struct {
	write  int32
	before int32   // the last commit or update of the variable at its issue
	reads  []int32 // the reads forwarded from it
}

// buffer is a store buffer, the oldest store first.
type buffer struct {
	stores []store
	head   int // what is before has been committed
}

func (b *buffer) push(s store) {
	if b.head > len(b.stores)/2 {
		b.stores = b.stores[:copy(b.stores, b.stores[b.head:])]
		b.head = 0
	}
	b.stores = append(b.stores, s)
}

// pop takes the oldest store off.
func (b *buffer) pop() store {
	s := b.stores[b.head]
	b.stores[b.head] = store{}
	b.head++
	return s
}

// find is the store of a write, which is in the buffer.
func (b *buffer) find(write int32) *store {
	waiting := b.stores[b.head:]
	return &waiting[sort.Search(len(waiting), func(i int) bool { return waiting[i].write >= write })]
}
