package dbcop

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"

	"ordeal/gen"
	"ordeal/parse"
)

// Values of Cobra's logs that stand for the initial state, for a key that is absent, and for
// reads of its collection of garbage.
const (
	cobraInitial, cobraAbsent = 0xbebeebee, 0xdeadbeef
	cobraOld, cobraNew        = 0x66666666, 0x23332333
)

// cobraSession is a byte that Cobra's logs do not have: where several files, one of each
// client, follow each other, it stands between them.
const cobraSession = 'N'

// JoinCobra reads the logs of several clients as one text.
func JoinCobra(logs ...io.Reader) io.Reader {
	var all []io.Reader
	for i, log := range logs {
		if i > 0 {
			all = append(all, bytes.NewReader([]byte{cobraSession}))
		}
		all = append(all, log)
	}
	return io.MultiReader(all...)
}

// ReadCobra reads the log of a client of Cobra (Tan, Zhao, Mu and Walfish, OSDI 2020), or those
// of several (see JoinCobra), which PolySI and AWDIT read, too: numbers of 8 bytes,
// big-endian, behind a letter: S and a transaction begin it, C and it commit it; W is write,
// key and value, R the transaction and the write that were read, key and value. Values in
// the history are the numbers of writes. A transaction that does not end is left out.
func ReadCobra(in io.Reader, name string) (*parse.History, []string, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", name, err)
	}
	r := binaryReader{data: data, order: binary.BigEndian}
	r.Column = func(at int) (int, int) { return 1, at + 1 }
	r.session()
	open, transaction, left := false, uint64(0), 0
	for r.err == nil && r.at < len(data) {
		at, letter := r.at, data[r.at]
		r.at++
		switch isOpen := open; {
		case letter == cobraSession:
			r.end(false)
			r.session()
			open = false
		case letter == 'S' && !isOpen:
			transaction, open = r.number(), true
		case letter == 'C' && isOpen:
			if r.number() != transaction {
				r.fail("the transaction that ends is not the one that began")
			}
			r.end(true)
			open = false
		case letter == 'W' && isOpen:
			write, key := r.number(), r.number()
			r.number()
			r.access(true, key, write, at)
		case letter == 'R' && isOpen:
			from, write, key := r.number(), r.number(), r.number()
			r.number()
			initial := from == cobraInitial || from == cobraAbsent
			if initial && (write == cobraOld || write == cobraNew) {
				left++
				continue
			}
			if initial {
				write = 0
			}
			r.access(false, key, write, at)
		default:
			r.at = at
			r.fail("want S to begin a transaction, or W, R or C within it")
		}
	}
	if r.err != nil {
		return nil, nil, fmt.Errorf("%s: byte %d: %w", name, r.at, r.err)
	}
	r.end(false)
	h, notes, err := r.finish(name)
	if err == nil && left > 0 {
		notes = append(notes, fmt.Sprintf("%d reads of Cobra's collection of garbage", left))
	}
	return h, notes, err
}

func (r *binaryReader) access(write bool, key, value uint64, place int) {
	if r.err == nil {
		r.add(write, strconv.AppendUint(nil, key, 10), gen.Value(value), place)
	}
}

// MissedCobra says what the beginning of a file has not of a transaction in Cobra's log.
func MissedCobra(head []byte) error {
	const start, second = 9, 10 // a transaction, and the letter of what it does
	if len(head) >= second && head[0] == 'S' && bytes.IndexByte([]byte("RWC"), head[start]) >= 0 && bytes.ContainsFunc(head[1:start], func(c rune) bool { return c < ' ' || c >= 0x7f }) {
		return nil
	}
	return errors.New(`want "S", 8 bytes, and "R", "W" or "C"`)
}
