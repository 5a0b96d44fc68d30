package wire

import (
	"encoding/binary"

	"ordeal/gen"
)

// Writer writes the frames of a run, for simulators that observe the values
// themselves. Each method appends one frame to a log and returns the longer
// log.
type Writer struct{ hash, rounds uint64 }

// NewWriter returns the writer of logs of p run for a number of rounds.
func NewWriter(p *gen.Program, rounds int) Writer {
	return Writer{hash: p.Hash64(), rounds: uint64(rounds)}
}

// AppendThread appends what the reads of thread t returned, in program order,
// round after round.
func (w Writer) AppendThread(log []byte, t gen.ThreadID, values []gen.Value) []byte {
	return w.appendValues(log, Thread, uint32(t), values)
}

// AppendFinal appends the final value of each location.
func (w Writer) AppendFinal(log []byte, values []gen.Value) []byte {
	return w.appendValues(log, Final, 0, values)
}

// AppendOrder appends the values written to location loc, in the order in
// which they reached memory.
func (w Writer) AppendOrder(log []byte, loc gen.LocID, values []gen.Value) []byte {
	return w.appendValues(log, Order, uint32(loc), values)
}

// AppendSteps appends the steps of the run in order; see Step.
func (w Writer) AppendSteps(log []byte, steps []gen.Value) []byte {
	return w.appendValues(log, Steps, 0, steps)
}

func (w Writer) appendValues(log []byte, kind Kind, index uint32, values []gen.Value) []byte {
	start := len(log)
	log = w.appendHeader(log, kind, index, len(values))
	for _, v := range values {
		log = binary.LittleEndian.AppendUint64(log, uint64(v))
	}
	Seal(log[start:])
	return log
}

// Append appends a frame with an encoded payload.
func (w Writer) Append(log []byte, kind Kind, index uint32, payload Words) []byte {
	start := len(log)
	log = append(w.appendHeader(log, kind, index, payload.Len()), payload...)
	Seal(log[start:])
	return log
}

func (w Writer) appendHeader(log []byte, kind Kind, index uint32, count int) []byte {
	le := binary.LittleEndian
	log = append(log, Magic...)
	log = le.AppendUint32(log, uint32(kind))
	log = le.AppendUint32(log, index)
	log = le.AppendUint64(log, w.hash)
	log = le.AppendUint64(log, w.rounds)
	log = le.AppendUint64(log, uint64(count))
	return le.AppendUint64(log, 0) // Seal fills it in
}

// Seal stores the checksum of a whole frame in its header.
func Seal(frame []byte) {
	binary.LittleEndian.PutUint64(frame[ChecksumAt:], Checksum(frame[HeaderBytes:]))
}
