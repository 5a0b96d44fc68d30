package sim

// Log is what one run printed, in the native framed form: a sequence of
// frames, each written whole by one write call. parse.Native reads it.
//
// All numbers are little-endian. A frame is a header of LogHeaderBytes bytes,
//
//	bytes  0–7   magic "ORDEAL1\n"
//	bytes  8–11  kind (FrameThread, FrameFinal, FrameOrder, FrameSteps)
//	bytes 12–15  thread for FrameThread; location for FrameOrder; else 0
//	bytes 16–23  the program's hash: first 8 bytes of Program.Hash
//	bytes 24–31  rounds that the run was asked for
//	bytes 32–39  count of payload words
//	bytes 40–47  checksum of the payload: Checksum
//
// followed by count words of 8 bytes:
//
//   - FrameThread: the value returned by each Load, Exchange and FetchAdd of
//     the thread, in program order, round after round. Fewer words than
//     rounds × reads mean that the run stopped early.
//   - FrameFinal: the value of each location after the last thread ended, in
//     order of LocID.
//   - FrameSteps: every step of the run in order, as 2·thread for the next
//     operation of the thread (other than a delay), and 2·thread + 1 for the
//     oldest store in the thread's store buffer reaching memory. A store is
//     two steps, any other operation one. A read may stand later than the
//     instant at which its value was current. Only simulators with FIFO store
//     buffers write it, on request.
//   - FrameOrder: the values written to one location in the order in which
//     they reached memory. Only simulators that can tell write it.
//
// Frames may come in any order; all but FrameThread are optional.
type Log []byte

// LogMagic opens every frame.
const LogMagic = "ORDEAL1\n"

// LogHeaderBytes is the size of a frame's header.
const LogHeaderBytes = 48

// The kinds of frame.
const (
	FrameThread uint32 = 1
	FrameFinal  uint32 = 2
	FrameOrder  uint32 = 3
	FrameSteps  uint32 = 4
)

// Checksum folds payload words: sum starts at 0 and each word w turns it into
// rotl(sum, 5) xor w; a generated program computes the same in three
// instructions a word.
func Checksum(words []uint64) uint64 {
	var sum uint64
	for _, w := range words {
		sum = sum<<5 | sum>>59
		sum ^= w
	}
	return sum
}
