package run

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// A file is read to its end while what is made of it fits, dead objects left
// out; else the error says what the whole would need.
func TestWithin(t *testing.T) {
	const size = 16 << 20
	for name, c := range map[string]struct {
		limit, size int64
		perByte     float64 // that live, of the text read
		garbage     uint64  // besides, until it is collected
		want        string
		collections int // at most
	}{
		"fits":         {limit: 300 << 20, size: size, perByte: 2},
		"no limit":     {size: size, perByte: 1000},
		"only garbage": {limit: 300 << 20, size: size, perByte: 2, garbage: 1 << 30, collections: 48},
		// 30 MiB live, with the 4 of the process 34, are reached after 9 MiB of text.
		"too much":     {limit: 90 << 20, size: size, perByte: 4, want: "memory budget exhausted: about 192 MiB needed to read it, 90 MiB allowed", collections: 2},
		"unknown size": {limit: 90 << 20, perByte: 4, want: "memory budget exhausted: more than 108 MiB needed to read it, 90 MiB allowed", collections: 2},
	} {
		r := Within(c.limit, io.LimitReader(zeros{}, size), c.size)
		collections := 0
		if w, ok := r.(*withinReader); ok {
			garbage := c.garbage
			w.inUse = func() uint64 { return uint64(float64(w.read)*c.perByte) + garbage }
			w.collect = func() { collections++ }
			if c.garbage > 0 {
				w.collect = func() { collections++; garbage = 0 }
			}
		}
		n, err := io.Copy(io.Discard, r)
		var limit *ReadingError
		switch {
		case c.want == "" && (err != nil || n != size):
			t.Errorf("%s: %d bytes, %v", name, n, err)
		case c.want != "" && (!errors.As(err, &limit) || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		case collections > c.collections:
			t.Errorf("%s: %d collections", name, collections)
		}
	}
}

// The heap is looked at as it is.
func TestHeapInUse(t *testing.T) {
	before := heapInUse()
	block := make([]byte, 64<<20)
	if after := heapInUse(); after < before+48<<20 {
		t.Errorf("%d bytes, then %d with 64 MiB more", before, after)
	}
	block[0] = 1
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
