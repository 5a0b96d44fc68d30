package merge

import (
	"fmt"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
)

// room is how much may still be written of one source: a file of others may have any
// size and take no place where it came from.
type room struct {
	limits Limits
	left   Limits
	dir    string // that is written to
	since  int64  // bytes since the file system was asked what it has free
}

// reserve is the part of the free space of a file system that a file must leave: one
// in reserve. It is asked again after askEvery bytes.
const (
	reserve  = 10
	askEvery = 16 << 20
)

func newRoom(limits Limits, dir string) *room {
	if limits == (Limits{}) {
		limits = DefaultLimits()
	}
	return &room{limits: limits, left: limits, dir: dir, since: askEvery}
}

// file takes a file or directory of a size, before it is written. What is the source.
func (r *room) file(what string, size int64) error {
	if r.left.Files--; r.left.Files < 0 {
		return fmt.Errorf("%s has too many files, more than %d", what, r.limits.Files)
	}
	if size < 0 || size > r.left.Bytes {
		return fmt.Errorf("%s has too many bytes, more than %s (--unpacked)", what, config.Size(r.limits.Bytes))
	}
	r.left.Bytes -= size
	r.since += size
	if r.since < askEvery {
		return nil
	}
	r.since = 0
	if free, ok := run.FreeBytes(r.dir); ok && size > free-free/reserve {
		return fmt.Errorf("%s has a file of %d bytes, and the file system of %s has %d free, of which a tenth is left free", what, size, r.dir, free)
	}
	return nil
}
