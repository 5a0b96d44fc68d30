package config

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize"

	"ordeal/sim/lazyregexp"
)

// Size is a number of bytes. kB, MB and GB are powers of 1,000, KiB, MiB and
// GiB powers of 1,024.
type Size int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"GiB", humanize.GiByte}, {"GB", humanize.GByte}, {"MiB", humanize.MiByte}, {"MB", humanize.MByte},
	{"KiB", humanize.KiByte}, {"kB", humanize.KByte}, {"B", 1},
}

// sizeForm is the form of a Size. Go-humanize knows more ways to write it.
var sizeForm = lazyregexp.New(`^[0-9]+(\.[0-9]+)?(B|kB|MB|GB|KiB|MiB|GiB)$`)

// UnmarshalText reads a number and a unit.
func (s *Size) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n > math.MaxInt64/2 || !sizeForm().Match(text) {
		return fmt.Errorf("%q is not a size: want as 512B, 64kB (64,000 bytes), 64KiB (65,536 bytes), 16MiB or 2GB", text)
	}
	*s = Size(n)
	return nil
}

// String is the shortest form that UnmarshalText reads.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if int64(s)%u.bytes == 0 && int64(s) >= u.bytes {
			return fmt.Sprintf("%d%s", int64(s)/u.bytes, u.name)
		}
	}
	return "0B"
}

// MarshalText is String.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
