package parse

import (
	"errors"
	"fmt"
	"slices"

	"ordeal/gen"
	"ordeal/gen/faults"
	"ordeal/gen/wire"
)

// frames are the frames of a native log, each with the right header and a
// payload that its checksum confirms. A payload is nil where there is none.
type frames struct {
	threads []wire.Words
	final   wire.Words
	order   []wire.Words
	steps   wire.Words
	// torn is why the log is known to end early, nil if it is not.
	torn error
}

// ordered reports whether there is the store order of any location.
func (fs *frames) ordered() bool {
	return slices.ContainsFunc(fs.order, func(order wire.Words) bool { return order != nil })
}

// splitFrames cuts a log into its frames and adds each fault, with its place
// in bytes, to f. A frame that cannot be found ends the log; one with a fault
// in it is left out.
func splitFrames(p *gen.Program, rounds int, log []byte, f *faults.List) *frames {
	fs := &frames{threads: make([]wire.Words, len(p.Threads)), order: make([]wire.Words, len(p.Locations))}
	hash := p.Hash64()
	for at := 0; at < len(log); {
		frame, err := wire.Next(log[at:])
		switch {
		case errors.Is(err, wire.ErrMagic) && len(log)-at < wire.HeaderBytes:
			f.Addf("byte %d: %d bytes after the last frame", at, len(log)-at)
			return fs
		case errors.Is(err, wire.ErrMagic):
			f.Addf("byte %d: %w", at, err)
			return fs
		case errors.Is(err, wire.ErrTornHeader):
			fs.torn = err
			return fs
		}
		good := true
		fault := func(format string, args ...any) {
			f.Addf("byte %d: "+format, append([]any{at}, args...)...)
			good = false
		}
		if frame.Hash != hash {
			fault("program hash %#016x: want %#016x", frame.Hash, hash)
		}
		if frame.Rounds != uint64(rounds) {
			fault("log of %d rounds: want %d", frame.Rounds, rounds)
		}
		slot, name, slotErr := fs.slot(p, &frame)
		if slotErr != nil {
			fault("%w", slotErr)
		}
		if err != nil {
			fs.torn = err
			return fs
		}
		if got := wire.Checksum(frame.Payload); got != frame.Checksum {
			fault("%s: checksum %#016x: want %#016x", name, got, frame.Checksum)
		}
		if good {
			*slot = frame.Payload
		}
		at += frame.Size()
	}
	return fs
}

// slot is where the payload of a frame belongs; name names the frame.
func (fs *frames) slot(p *gen.Program, f *wire.Frame) (slot *wire.Words, name string, err error) {
	index, one := uint64(f.Index), true
	switch f.Kind {
	case wire.Thread:
		name, one = fmt.Sprintf("thread %d", index), false
		if index >= uint64(len(fs.threads)) {
			return nil, name, fmt.Errorf("frame of thread %d of %d", index, len(fs.threads))
		}
		slot = &fs.threads[index]
	case wire.Order:
		if index >= uint64(len(fs.order)) {
			return nil, "store order", fmt.Errorf("store order of location %d of %d", index, len(fs.order))
		}
		name, one = "store order of "+p.Locations[index], false
		slot = &fs.order[index]
	case wire.Final:
		name, slot = "final values", &fs.final
	case wire.Steps:
		name, slot = "steps", &fs.steps
	default:
		name = fmt.Sprintf("frame of kind %d", f.Kind)
		return nil, name, fmt.Errorf("unknown kind of frame %d", f.Kind)
	}
	if one && index != 0 {
		return nil, name, fmt.Errorf("frame of %s with index %d", name, index)
	}
	if *slot != nil {
		return nil, name, fmt.Errorf("second frame of %s", name)
	}
	return slot, name, nil
}
