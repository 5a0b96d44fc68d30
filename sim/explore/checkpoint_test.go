package explore

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"ordeal/sim/explore/machine"
)

// TestLoad loads what Save has written into a machine that expands the same
// states to the same ones then, and refuses any part of it.
func TestLoad(t *testing.T) {
	saved, err := New(tiny(compiled(t, "mi"), 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	var e, again machine.Expansion
	queue := []machine.State{saved.Initial()}
	for i := 0; i < len(queue) && len(queue) < 100; i++ {
		saved.Expand(queue[i], &e)
		for n := range e.Prints {
			queue = append(queue, slices.Clone(machine.State(e.States[n*saved.Width():(n+1)*saved.Width()])))
		}
	}
	var file bytes.Buffer
	if err := saved.Save(&file); err != nil {
		t.Fatal(err)
	}
	load := func(data []byte) (*Machine, error) {
		m, err := New(tiny(compiled(t, "mi"), 2, 1))
		if err != nil {
			t.Fatal(err)
		}
		return m, m.Load(bytes.NewReader(data))
	}
	m, err := load(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range queue {
		saved.Expand(s, &e)
		m.Expand(s, &again)
		if !slices.Equal(e.Prints, again.Prints) || !slices.Equal(e.States, again.States) {
			t.Fatalf("state %d has %d successors, and %d after loading", i, len(e.Prints), len(again.Prints))
		}
	}
	// A list that says that it is longer than any memory is read up to its end.
	endless := append(bytes.Repeat([]byte{0xff}, 9), 1)
	// The last byte is the number of a message in the last inbox. There are no more messages than it says.
	front, last := file.Bytes()[:file.Len()-1], file.Bytes()[file.Len()-1]
	if last >= 0x80 || saved.parts.messages.len() >= 0x80 {
		t.Fatalf("the file ends in %#x, with %d messages: want numbers of a byte", last, saved.parts.messages.len())
	}
	beyond := append(slices.Clone(front), byte(saved.parts.messages.len()))
	wide := binary.AppendUvarint(slices.Clone(front), 1<<32|uint64(last))
	for _, bad := range [][]byte{nil, endless, file.Bytes()[:1], file.Bytes()[:file.Len()/2], front, beyond, wide} {
		if _, err := load(bad); err == nil {
			t.Errorf("%d bytes of %d are accepted", len(bad), file.Len())
		}
	}
}
