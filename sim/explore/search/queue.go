package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// queue holds the states that are to be expanded, first in, first out. Behind
// a limit of memory it keeps them in a file without a name, so that nothing
// of it is left when the process ends.
type queue struct {
	width  int
	limit  int64
	chunks []chunk
	head   int // states of the first chunk that are gone
	tail   int // states of the last chunk
	used   int64
	file   *os.File
	end    int64
	free   []int64 // offsets of chunks in the file that may be used again
	buffer []byte
}

// chunk is chunkStates states, in memory or in the file.
type chunk struct {
	words []uint32
	at    int64
}

const chunkStates = 1 << 12

// newQueue makes a queue that keeps up to limit bytes in memory; 0: all.
func newQueue(width int, limit int64) *queue { return &queue{width: width, limit: limit} }

func (q *queue) len() int {
	if len(q.chunks) == 0 {
		return 0
	}
	return (len(q.chunks)-1)*chunkStates + q.tail - q.head
}

func (q *queue) memory() int64 { return q.used }

func (q *queue) chunkBytes() int64 { return int64(chunkStates * q.width * 4) }

// push adds a state.
func (q *queue) push(state []uint32) error {
	if len(q.chunks) == 0 || q.tail == chunkStates {
		if n := len(q.chunks); n > 1 && q.limit > 0 && q.used >= q.limit {
			if err := q.spill(&q.chunks[n-1]); err != nil {
				return err
			}
		}
		q.chunks = append(q.chunks, chunk{words: make([]uint32, chunkStates*q.width)})
		q.used += q.chunkBytes()
		q.tail = 0
	}
	copy(q.chunks[len(q.chunks)-1].words[q.tail*q.width:], state)
	q.tail++
	return nil
}

// peek copies the first states, as many as the words hold.
func (q *queue) peek(words []uint32) error {
	skip := q.head * q.width
	for i := 0; len(words) > 0; i++ {
		if err := q.fetch(&q.chunks[i]); err != nil {
			return err
		}
		words = words[copy(words, q.chunks[i].words[skip:]):]
		skip = 0
	}
	return nil
}

// drop removes the first n states.
func (q *queue) drop(n int) {
	q.head += n
	for len(q.chunks) > 1 && q.head >= chunkStates {
		q.chunks = q.chunks[1:]
		q.head -= chunkStates
		q.used -= q.chunkBytes()
	}
	if len(q.chunks) == 1 && q.head == q.tail {
		q.chunks, q.head, q.tail = nil, 0, 0
		q.used = 0
	}
}

// spill moves a chunk to the file.
func (q *queue) spill(c *chunk) error {
	if q.file == nil {
		f, err := os.CreateTemp("", "ordeal-queue-")
		if err != nil {
			return fmt.Errorf("write the states to expand: %w", err)
		}
		q.file = f
		if err := os.Remove(f.Name()); err != nil {
			return fmt.Errorf("write the states to expand: %w", err)
		}
	}
	c.at = q.end
	if n := len(q.free); n > 0 {
		c.at, q.free = q.free[n-1], q.free[:n-1]
	} else {
		q.end += q.chunkBytes()
	}
	q.buffer = q.buffer[:0]
	for _, w := range c.words {
		q.buffer = binary.LittleEndian.AppendUint32(q.buffer, w)
	}
	if _, err := q.file.WriteAt(q.buffer, c.at); err != nil {
		return fmt.Errorf("write the states to expand: %w", err)
	}
	c.words = nil
	q.used -= q.chunkBytes()
	return nil
}

// fetch moves a chunk back to memory.
func (q *queue) fetch(c *chunk) error {
	if c.words != nil {
		return nil
	}
	q.buffer = append(q.buffer[:0], make([]byte, q.chunkBytes())...)
	if _, err := q.file.ReadAt(q.buffer, c.at); err != nil {
		return fmt.Errorf("read the states to expand: %w", err)
	}
	c.words = make([]uint32, chunkStates*q.width)
	for i := range c.words {
		c.words[i] = binary.LittleEndian.Uint32(q.buffer[4*i:])
	}
	q.free = append(q.free, c.at)
	q.used += q.chunkBytes()
	return nil
}

func (q *queue) close() error {
	if q.file == nil {
		return nil
	}
	return q.file.Close()
}

// save writes the states, and leaves the queue as it is.
func (q *queue) save(w io.Writer) error {
	left, skip := q.len(), q.head
	for i := range q.chunks {
		n := min(chunkStates-skip, left)
		// A chunk in the file is read and stays there.
		c := q.chunks[i]
		if c.words == nil {
			free, used := len(q.free), q.used
			if err := q.fetch(&c); err != nil {
				return err
			}
			q.free, q.used = q.free[:free], used
		}
		if err := writeWords(w, c.words[skip*q.width:(skip+n)*q.width]); err != nil {
			return err
		}
		left, skip = left-n, 0
	}
	return nil
}

// load reads n states.
func (q *queue) load(r io.Reader, n int) error {
	state, data := make([]uint32, q.width), make([]byte, 4*q.width)
	for range n {
		if _, err := io.ReadFull(r, data); err != nil {
			return err
		}
		for i := range state {
			state[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		if err := q.push(state); err != nil {
			return errors.Join(err, q.close())
		}
	}
	return nil
}

func writeWords(w io.Writer, words []uint32) error {
	data := make([]byte, 0, 4*len(words))
	for _, x := range words {
		data = binary.LittleEndian.AppendUint32(data, x)
	}
	_, err := w.Write(data)
	return err
}
