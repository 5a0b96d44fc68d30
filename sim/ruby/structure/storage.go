package structure

// Storage is gem5's TBEStorage (mem/ruby/structures): slots of transactions,
// some of which are reserved; several transactions may share one.
type Storage struct {
	Reserved int
	Used     []int // transactions, by slot
	Free     []int // slots, the next one to be taken last
}

// NewStorage makes a storage of free slots.
func NewStorage(slots int) *Storage {
	s := &Storage{Used: make([]int, slots), Free: make([]int, slots)}
	for i := range s.Free {
		s.Free[i] = i // gem5 pushes 0, 1, … on a stack
	}
	return s
}

// Size is the number of slots in use, Capacity that of all, Available that of
// the free ones that are not reserved.
func (s *Storage) Size() int      { return len(s.Used) - len(s.Free) }
func (s *Storage) Capacity() int  { return len(s.Used) }
func (s *Storage) Available() int { return len(s.Free) - s.Reserved }

// Reserve adds a reservation.
func (s *Storage) Reserve() { s.Reserved++ }

// Release takes a reservation away.
func (s *Storage) Release() error {
	if s.Reserved <= 0 {
		return Fault("TBE storage: release of a slot that is not reserved")
	}
	s.Reserved--
	return nil
}

// Add gives a transaction a free slot.
func (s *Storage) Add() (slot int, err error) {
	if s.Available() <= 0 {
		return 0, Fault("TBE storage: no slot is available")
	}
	slot = s.Free[len(s.Free)-1]
	s.Free = s.Free[:len(s.Free)-1]
	s.Used[slot] = 1
	return slot, nil
}

// Share adds a transaction to a slot that is in use.
func (s *Storage) Share(slot int) error {
	if slot < 0 || slot >= len(s.Used) || s.Used[slot] == 0 {
		return Fault("TBE storage: share of a free slot")
	}
	s.Used[slot]++
	return nil
}

// Remove takes a transaction out of its slot.
func (s *Storage) Remove(slot int) error {
	if slot < 0 || slot >= len(s.Used) || s.Used[slot] == 0 {
		return Fault("TBE storage: removal from a free slot")
	}
	if s.Used[slot]--; s.Used[slot] == 0 {
		s.Free = append(s.Free, slot)
	}
	return nil
}
