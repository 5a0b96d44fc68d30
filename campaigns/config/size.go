package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is a number of bytes written as in "512B", "64kB", "16MB" or "2GB",
// where k, M and G are powers of 1,024 as in gem5's sizes.
type Size int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"GB", 1 << 30}, {"MB", 1 << 20}, {"kB", 1 << 10}, {"B", 1}}

// UnmarshalText reads a number and a unit.
func (s *Size) UnmarshalText(text []byte) error {
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(string(text), u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 0 || n > (1<<62)/u.bytes {
			return fmt.Errorf("%q is not a size: want as 512B, 64kB, 16MB or 2GB", text)
		}
		*s = Size(n * u.bytes)
		return nil
	}
	return fmt.Errorf("%q is not a size: want as 512B, 64kB, 16MB or 2GB", text)
}

// MarshalText writes the form that UnmarshalText reads.
func (s Size) MarshalText() ([]byte, error) {
	for _, u := range sizeUnits {
		if int64(s)%u.bytes == 0 && int64(s) >= u.bytes {
			return fmt.Appendf(nil, "%d%s", int64(s)/u.bytes, u.name), nil
		}
	}
	return []byte("0B"), nil
}
