package sim

import (
	"encoding/binary"

	"ordeal/gen"
)

// LogWriter writes the frames of native logs, for simulators that know the
// values themselves instead of printing them from the program under test.
// Each method appends one frame to a log and returns the longer log.
type LogWriter struct {
	hash   uint64
	rounds uint64
}

// NewLogWriter returns the writer of logs of p run for a number of rounds.
func NewLogWriter(p *gen.Program, rounds int) LogWriter {
	return LogWriter{hash: p.Hash64(), rounds: uint64(rounds)}
}

// AppendThread appends what the reads of thread t returned, in program order,
// round after round.
func (w LogWriter) AppendThread(log Log, t gen.ThreadID, values []gen.Value) Log {
	return w.append(log, FrameThread, uint32(t), values)
}

// AppendFinal appends the final value of each location.
func (w LogWriter) AppendFinal(log Log, values []gen.Value) Log {
	return w.append(log, FrameFinal, 0, values)
}

// AppendOrder appends the values written to location loc, in the order in
// which they reached memory.
func (w LogWriter) AppendOrder(log Log, loc gen.LocID, values []gen.Value) Log {
	return w.append(log, FrameOrder, uint32(loc), values)
}

// AppendSteps appends the steps of the run in order; see Step.
func (w LogWriter) AppendSteps(log Log, steps []gen.Value) Log {
	return w.append(log, FrameSteps, 0, steps)
}

// Step is the word of FrameSteps for a step of a thread: its next operation,
// or the commit of its oldest buffered store.
func Step(t gen.ThreadID, commit bool) gen.Value {
	if commit {
		return 2*gen.Value(t) + 1
	}
	return 2 * gen.Value(t)
}

func (w LogWriter) append(log Log, kind, index uint32, values []gen.Value) Log {
	log = append(log, LogMagic...)
	log = binary.LittleEndian.AppendUint32(log, kind)
	log = binary.LittleEndian.AppendUint32(log, index)
	log = binary.LittleEndian.AppendUint64(log, w.hash)
	log = binary.LittleEndian.AppendUint64(log, w.rounds)
	log = binary.LittleEndian.AppendUint64(log, uint64(len(values)))
	sum := len(log)
	log = binary.LittleEndian.AppendUint64(log, 0)
	for _, v := range values {
		log = binary.LittleEndian.AppendUint64(log, uint64(v))
	}
	binary.LittleEndian.PutUint64(log[sum:], ChecksumBytes(log[sum+8:]))
	return log
}

// ChecksumBytes is the Checksum of the words in a payload, whose length is a
// multiple of 8.
func ChecksumBytes(payload []byte) uint64 {
	var sum uint64
	for ; len(payload) >= 8; payload = payload[8:] {
		sum = sum<<5 | sum>>59
		sum ^= binary.LittleEndian.Uint64(payload)
	}
	return sum
}
