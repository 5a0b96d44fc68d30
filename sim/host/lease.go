package host

import (
	"cmp"
	"slices"
	"sync"
)

type leases struct {
	mu   sync.Mutex
	used map[int]int // threads pinned to each processor
}

// take picks the n cpus with the fewest threads, the first ones among equals,
// until release is called.
func (l *leases) take(cpus []int, n int) (taken []int, release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used == nil {
		l.used = make(map[int]int)
	}
	taken = slices.Clone(cpus)
	slices.SortStableFunc(taken, func(a, b int) int { return cmp.Compare(l.used[a], l.used[b]) })
	taken = taken[:n]
	for _, cpu := range taken {
		l.used[cpu]++
	}
	return taken, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, cpu := range taken {
			l.used[cpu]--
		}
	}
}
