package structure

// List is gem5's TriggerQueue of structures of words: what goes in at the end
// comes out at the front. It has room for anything.
type List struct {
	Words []uint64 // of all elements, the first one first
	Width int      // of an element
}

// Push adds an element.
func (l *List) Push(element []uint64) { l.Words = append(l.Words, element...) }

// Empty reports whether there is no element.
func (l *List) Empty() bool { return len(l.Words) == 0 }

// First is the first element.
func (l *List) First() ([]uint64, error) {
	if l.Empty() {
		return nil, Fault("trigger queue: there is no element")
	}
	return l.Words[:l.Width], nil
}

// Pop takes the first element away.
func (l *List) Pop() error {
	if l.Empty() {
		return Fault("trigger queue: there is no element")
	}
	n := copy(l.Words, l.Words[l.Width:])
	l.Words = l.Words[:n]
	return nil
}
