// Package wire defines what a running program leaves: the frames of its log
// and the code with which it exits. Package emit generates the code that writes
// them, the embedded simulator writes them itself, and packages sim and parse
// read them.
//
// A log is a sequence of frames, each written whole by one write call. All
// numbers are little-endian. A frame is a header of HeaderBytes bytes,
//
//	bytes  0–7   Magic
//	bytes  8–11  Kind
//	bytes 12–15  index: the thread for Thread, the location for Order, else 0
//	bytes 16–23  the program's hash: gen.Program.Hash64
//	bytes 24–31  rounds that the run was asked for
//	bytes 32–39  count of payload words
//	bytes 40–47  Checksum of the payload
//
// followed by its payload, count words of 8 bytes. Frames come in any order;
// all but those of kind Thread are optional.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"ordeal/gen"
)

// Magic opens every frame.
const Magic = "ORDEAL1\n"

// The parts of a frame, in bytes from its start.
const (
	KindAt      = 8
	IndexAt     = 12
	HashAt      = 16
	RoundsAt    = 24
	CountAt     = 32
	ChecksumAt  = 40
	HeaderBytes = 48
)

// Kind says what the payload of a frame holds.
type Kind uint32

// The kinds of frame.
const (
	// Thread: the value returned by each Load, Exchange and FetchAdd of the
	// thread, in program order, round after round. Fewer words than rounds ×
	// reads mean that the run stopped early.
	Thread Kind = 1
	// Final: the value of each location after the last thread ended, in order
	// of LocID.
	Final Kind = 2
	// Order: the values written to one location in the order in which they
	// reached memory. Only simulators that observe the order write it.
	Order Kind = 3
	// Steps: every step of the run in order; see Step. A read may stand later
	// than the instant at which its value was current. Only simulators with
	// FIFO store buffers write it, on request.
	Steps Kind = 4
)

// Words is a payload, undecoded.
type Words []byte

// Len is the number of words.
func (w Words) Len() int { return len(w) / gen.WordBytes }

// At is word i.
func (w Words) At(i int) gen.Value {
	return gen.Value(binary.LittleEndian.Uint64(w[gen.WordBytes*i:]))
}

// Frame is a frame as it was read.
type Frame struct {
	Kind     Kind
	Index    uint32
	Hash     uint64
	Rounds   uint64
	Checksum uint64 // as the header has it
	Payload  Words
}

// Size is the size of the whole frame in bytes.
func (f *Frame) Size() int { return HeaderBytes + len(f.Payload) }

// Errors of Next.
var (
	ErrMagic       = errors.New("bad magic")
	ErrTornHeader  = errors.New("log ends within a frame's header")
	ErrTornPayload = errors.New("log ends within a frame's payload")
)

// Next reads the frame at the start of log; the next one starts Size bytes
// later. The payload shares the memory of log and is not compared with the
// checksum. With ErrTornPayload the frame has its header only, with the other
// errors nothing.
func Next(log []byte) (Frame, error) {
	if magic := log[:min(len(log), len(Magic))]; !strings.HasPrefix(Magic, string(magic)) {
		return Frame{}, fmt.Errorf("%w %q", ErrMagic, magic)
	}
	if len(log) < HeaderBytes {
		return Frame{}, ErrTornHeader
	}
	le := binary.LittleEndian
	f := Frame{
		Kind: Kind(le.Uint32(log[KindAt:])), Index: le.Uint32(log[IndexAt:]), Hash: le.Uint64(log[HashAt:]),
		Rounds: le.Uint64(log[RoundsAt:]), Checksum: le.Uint64(log[ChecksumAt:]),
	}
	count, rest := le.Uint64(log[CountAt:]), log[HeaderBytes:]
	if count > uint64(len(rest))/gen.WordBytes {
		return f, ErrTornPayload
	}
	f.Payload = rest[:count*gen.WordBytes]
	return f, nil
}

// ChecksumRotation is by how many bits Checksum rotates.
const ChecksumRotation = 5

// Checksum folds the words of a payload: the sum starts at 0, and each word w
// turns it into rotl(sum, ChecksumRotation) xor w. A generated program computes
// it in three instructions a word.
func Checksum(payload []byte) uint64 {
	var sum uint64
	for ; len(payload) >= gen.WordBytes; payload = payload[gen.WordBytes:] {
		sum = bits.RotateLeft64(sum, ChecksumRotation) ^ binary.LittleEndian.Uint64(payload)
	}
	return sum
}

// Step is the word of a frame of kind Steps for one step of a thread: its next
// operation (other than a delay), or, with commit, its oldest buffered store
// reaching memory. A store is two steps, any other operation one.
func Step(t gen.ThreadID, commit bool) gen.Value {
	step := 2 * gen.Value(t)
	if commit {
		step++
	}
	return step
}

// Exit codes of a generated executable. A run that gives up at a barrier still
// writes its log: the values of each thread up to the last round it completed.
const (
	// ExitPassed: every thread ran every round and the log was written.
	ExitPassed = 0
	// ExitCloneFailed: a thread could not be started; nothing is written.
	ExitCloneFailed = 101
	// ExitStartBarrier: a thread was missing at the start.
	ExitStartBarrier = 102
	// ExitRoundBarrier: a thread was missing before a round.
	ExitRoundBarrier = 103
	// ExitEndBarrier: a thread did not finish. The log lacks the frame of kind
	// Final, as memory may still change.
	ExitEndBarrier = 104
	// ExitWriteFailed: the log could not be written whole.
	ExitWriteFailed = 105
)
