package run

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSeal changes each bit of a sealed line, and pairs of bytes, and requires
// that each change is noticed.
func TestSeal(t *testing.T) {
	object := []byte(`{"number":17,"at_ns":3141592653,"config":"a","outcome":"violation","title":"history forbidden by tso"}`)
	line := Seal([]byte(string(object)))
	// The CRC-32C of everything before the member, of an independent table-free
	// computation: bit by bit with the reflected polynomial 0x82f63b78.
	crc := ^uint32(0)
	for _, b := range object[:len(object)-1] {
		crc ^= uint32(b)
		for range 8 {
			crc = crc>>1 ^ 0x82f63b78&-(crc&1)
		}
	}
	want := fmt.Sprintf("%s,\"crc32c\":\"%08x\"}\n", object[:len(object)-1], ^crc)
	if string(line) != want {
		t.Errorf("sealed line is\n%s want\n%s", line, want)
	}
	for _, text := range []string{string(line), string(line[:len(line)-1]), string(object), `{"number":1,"elapsed_ns":5}` + "\n", "{}\n", "\n", ""} {
		if err := Unseal([]byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	noticed := func(changed []byte) {
		t.Helper()
		if string(changed) != string(line) && !errors.Is(Unseal(changed), errSeal) {
			t.Errorf("not noticed: %s", changed)
		}
	}
	end := len(line) - 1 // a newline that changes joins the line to the next
	for i := range end {
		for bit := range 8 {
			changed := []byte(string(line))
			changed[i] ^= 1 << bit
			noticed(changed)
		}
	}
	random := rand.New(rand.NewPCG(1, 0))
	for range 2000 {
		changed := []byte(string(line))
		for range 2 {
			changed[random.IntN(end)] = byte(' ' + random.IntN(95))
		}
		noticed(changed)
	}
}

// TestLongLines has lines around the size of the buffer.
func TestLongLines(t *testing.T) {
	var text strings.Builder
	var want []int
	for _, size := range []int{linesBuffer - 2, linesBuffer - 1, linesBuffer, 1, linesBuffer + 1, 3*linesBuffer - 1, 0, 2} {
		text.WriteString(strings.Repeat(string(rune('a'+len(want))), size) + "\n")
		want = append(want, size)
	}
	n := 0
	for line, err := range Lines(strings.NewReader(text.String() + "cut short")) {
		if err != nil || n >= len(want) || string(line) != strings.Repeat(string(rune('a'+n)), want[n])+"\n" {
			t.Fatalf("line %d has %d bytes, %v", n, len(line), err)
		}
		n++
	}
	if n != len(want) {
		t.Errorf("%d lines, want %d", n, len(want))
	}
}

// TestEndlessLine has a line without end, as a file that takes no place on the disk may
// have, behind one that is read.
func TestEndlessLine(t *testing.T) {
	var got []string
	for line, err := range Lines(io.MultiReader(strings.NewReader("one\n"), zeroBytes{})) {
		got = append(got, fmt.Sprintf("%s %v", line, err))
	}
	if want := []string{"one\n <nil>", " a line of more than 67108864 bytes"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// zeroBytes never ends.
type zeroBytes struct{}

func (zeroBytes) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
