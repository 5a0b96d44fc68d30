package parse

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ordeal/gen"
	"ordeal/sim"
)

// words is the payload of a frame, undecoded.
type words []byte

func (w words) len() int { return len(w) / 8 }

func (w words) at(i int) gen.Value { return gen.Value(binary.LittleEndian.Uint64(w[8*i:])) }

// frames are the frames of a native log, each with the right header and a
// payload that its checksum confirms. A payload is nil where there is none.
type frames struct {
	threads []words
	final   words
	order   []words
	steps   words
	// torn is why the log is known to end early, nil if it is not.
	torn error
}

// ordered reports whether there is the store order of any location.
func (fs *frames) ordered() bool {
	return slices.ContainsFunc(fs.order, func(order words) bool { return order != nil })
}

var (
	errTornHeader  = errors.New("log ends within a frame's header")
	errTornPayload = errors.New("log ends within a frame's payload")
)

// splitFrames cuts a log into its frames and adds each fault, with its place
// in bytes, to f. A frame that cannot be found ends the log; one with a fault
// in it is left out.
func splitFrames(p *gen.Program, rounds int, log sim.Log, f *faults) *frames {
	fs := &frames{threads: make([]words, len(p.Threads)), order: make([]words, len(p.Locations))}
	hash := p.Hash64()
	for at := 0; at < len(log); {
		rest := log[at:]
		if len(rest) < sim.LogHeaderBytes {
			n := min(len(rest), len(sim.LogMagic))
			if !strings.HasPrefix(sim.LogMagic, string(rest[:n])) {
				f.addf("byte %d: %d bytes after the last frame", at, len(rest))
			}
			fs.torn = errTornHeader
			return fs
		}
		if string(rest[:len(sim.LogMagic)]) != sim.LogMagic {
			f.addf("byte %d: bad magic %q", at, rest[:len(sim.LogMagic)])
			return fs
		}
		kind := binary.LittleEndian.Uint32(rest[8:])
		index := binary.LittleEndian.Uint32(rest[12:])
		count := binary.LittleEndian.Uint64(rest[32:])
		good := true
		if got := binary.LittleEndian.Uint64(rest[16:]); got != hash {
			f.addf("byte %d: program hash %#016x: want %#016x", at, got, hash)
			good = false
		}
		if got := binary.LittleEndian.Uint64(rest[24:]); got != uint64(rounds) {
			f.addf("byte %d: log of %d rounds: want %d", at, got, rounds)
			good = false
		}
		name := frameName(p, kind, index)
		slot := fs.slot(at, kind, index, name, f)
		rest = rest[sim.LogHeaderBytes:]
		if count > uint64(len(rest)/8) {
			fs.torn = errTornPayload
			return fs
		}
		payload := words(rest[:8*count])
		want := binary.LittleEndian.Uint64(log[at+40:])
		if got := sim.ChecksumBytes(payload); got != want {
			f.addf("byte %d: %s: checksum %#016x: want %#016x", at, name, got, want)
			good = false
		}
		if good && slot != nil {
			*slot = payload
		}
		at += sim.LogHeaderBytes + len(payload)
	}
	return fs
}

// slot is where the payload of a frame belongs, nil if it belongs nowhere.
func (fs *frames) slot(at int, kind, index uint32, name string, f *faults) *words {
	var slot *words
	switch kind {
	case sim.FrameThread:
		if uint64(index) >= uint64(len(fs.threads)) {
			f.addf("byte %d: frame of thread %d of %d", at, index, len(fs.threads))
			return nil
		}
		slot = &fs.threads[index]
	case sim.FrameFinal:
		if index != 0 {
			f.addf("byte %d: frame of final values with index %d", at, index)
			return nil
		}
		slot = &fs.final
	case sim.FrameOrder:
		if uint64(index) >= uint64(len(fs.order)) {
			f.addf("byte %d: store order of location %d of %d", at, index, len(fs.order))
			return nil
		}
		slot = &fs.order[index]
	case sim.FrameSteps:
		if index != 0 {
			f.addf("byte %d: frame of steps with index %d", at, index)
			return nil
		}
		slot = &fs.steps
	default:
		f.addf("byte %d: unknown kind of frame %d", at, kind)
		return nil
	}
	if *slot != nil {
		f.addf("byte %d: second frame of %s", at, name)
		return nil
	}
	return slot
}

// frameName names a frame for people.
func frameName(p *gen.Program, kind, index uint32) string {
	switch {
	case kind == sim.FrameThread:
		return fmt.Sprintf("thread %d", index)
	case kind == sim.FrameOrder && uint64(index) < uint64(len(p.Locations)):
		return "store order of " + p.Locations[index]
	case kind == sim.FrameFinal:
		return "final values"
	case kind == sim.FrameSteps:
		return "steps"
	default:
		return fmt.Sprintf("frame of kind %d", kind)
	}
}
