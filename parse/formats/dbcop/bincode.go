package dbcop

import (
	"encoding/binary"
	"fmt"
	"io"

	"ordeal/parse"
)

// ReadBincode reads a history as DBCop's first version wrote it (history.bincode, also of
// PolySI): in bincode, little-endian, with lengths before strings and lists. The fields are
// five parameters, information, times of start and end, and sessions of transactions of
// events (write, variable, value, success), each transaction with its own success. Faults
// are named by the byte where they begin.
func ReadBincode(in io.Reader, name string) (*parse.History, []string, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", name, err)
	}
	r := binaryReader{data: data, order: binary.LittleEndian}
	r.Column = func(at int) (int, int) { return 1, at + 1 }
	if r.header() {
		for range r.count(8) { // a session is at least its length
			r.session()
			for range r.count(9) { // a transaction, and its success
				r.transaction()
			}
		}
	}
	switch {
	case r.err != nil:
	case r.at < len(r.data):
		r.fail("%d bytes after the history", len(r.data)-r.at)
	}
	if r.err != nil {
		return nil, nil, fmt.Errorf("%s: byte %d: %w", name, r.at, r.err)
	}
	h, notes, err := r.finish(name)
	if err == nil {
		notes = append(notes, "the parameters, the information and the times of start and end")
	}
	return h, notes, err
}

// MissedBincode says what the beginning of a file has not of the parameters, information and
// date that begin a history in bincode.
func MissedBincode(head []byte) error {
	r := binaryReader{data: head, order: binary.LittleEndian}
	r.header()
	return r.err
}

type binaryReader struct {
	builder
	data  []byte
	order binary.ByteOrder
	at    int
	err   error
}

func (r *binaryReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// header reads what stands before the sessions.
func (r *binaryReader) header() bool {
	for range 5 {
		r.number()
	}
	r.text()
	for range 2 {
		if date := r.text(); r.err == nil && (len(date) < 5 || date[4] != '-') {
			r.fail("want a date as text, as 2019-01-01T00:00:00")
		}
	}
	return r.err == nil
}

func (r *binaryReader) number() uint64 {
	if r.err != nil || len(r.data)-r.at < 8 {
		r.fail("want a number of 8 bytes")
		return 0
	}
	v := r.order.Uint64(r.data[r.at:])
	r.at += 8
	return v
}

// count reads the length of a list, whose elements take so many bytes at least: it is
// bounded by what is left of the file.
func (r *binaryReader) count(size int) int {
	n := r.number()
	if left := uint64(len(r.data) - r.at); n > left/uint64(size) {
		r.fail("a length of %d, with %d bytes left", n, left)
		return 0
	}
	return int(n)
}

func (r *binaryReader) text() []byte {
	n := r.count(1)
	r.at += n
	return r.data[r.at-n : r.at]
}

func (r *binaryReader) boolean() bool {
	if r.err != nil || r.at == len(r.data) || r.data[r.at] > 1 {
		r.fail("want 0 or 1")
		return false
	}
	r.at++
	return r.data[r.at-1] == 1
}

func (r *binaryReader) transaction() {
	if r.err != nil {
		return
	}
	for range r.count(18) {
		place := r.at
		write, variable, value, success := r.boolean(), r.number(), r.number(), r.boolean()
		if r.err != nil {
			return
		}
		if success {
			r.access(write, variable, value, place)
		}
	}
	if success := r.boolean(); r.err == nil {
		r.end(success)
	}
}
