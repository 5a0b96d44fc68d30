package litmus

import (
	"fmt"
	"strconv"

	"ordeal/gen"
)

// width is how many bytes a number has in memory or in a type, 0 and 8 for all, and how it is
// extended to the 64 bits of a register.
type width struct {
	bytes  int
	signed bool
	word   bool // and then cut to a register W of AArch64
}

// narrow is a number of the test in a width; addresses stay.
func (t *Test) narrow(n int64, w width) int64 {
	if _, points := t.pointed(n); points || w.bytes == 0 || w.bytes == 8 {
		return n
	}
	shift := 64 - 8*w.bytes
	if !w.signed {
		return int64(uint64(n) << shift >> shift)
	}
	if n = n << shift >> shift; w.word {
		return int64(uint32(n))
	}
	return n
}

// types, of the C language, that a test gives registers and locations.
var types = map[string]width{
	"int8_t": {bytes: 1, signed: true}, "uint8_t": {bytes: 1}, "char": {bytes: 1, signed: true},
	"int16_t": {bytes: 2, signed: true}, "uint16_t": {bytes: 2}, "short": {bytes: 2, signed: true},
	"int32_t": {bytes: 4, signed: true}, "uint32_t": {bytes: 4}, "int": {bytes: 4, signed: true},
	"int64_t": {bytes: 8, signed: true}, "uint64_t": {bytes: 8}, "long": {bytes: 8, signed: true},
	"intptr_t": {bytes: 8, signed: true}, "uintptr_t": {bytes: 8},
}

// shown is a number as the variable's type has it, in which conditions compare: without a
// type that is int, as for herd7.
func (t *Test) shown(v Variable, n int64) int64 {
	w, typed := t.types[v]
	if !typed {
		w = types["int"]
	}
	return t.narrow(n, w)
}

// text is a number as the variable's type writes it: addresses by the names of locations.
func (t *Test) text(v Variable, n int64) string {
	if loc, ok := t.pointed(n); ok {
		return t.names[loc]
	}
	if w, typed := t.types[v]; typed && !w.signed {
		return strconv.FormatUint(uint64(n), 10)
	}
	return strconv.FormatInt(n, 10)
}

// Canonical is a variable and its value as tools write them, in one spelling: names of registers,
// hexadecimal numbers and signs differ among them.
func (t *Test) Canonical(name, value string) string {
	v, err := t.arch.variable(name)
	if err != nil {
		return name + "=" + value
	}
	if n, err := number(value); err == nil {
		value = t.text(v, t.shown(v, n))
	}
	return v.String() + "=" + value
}

// sized notes how many bytes an access of a location has, and refuses those of different
// sizes; words and double words may be mixed.
func (r *reader) sized(loc gen.LocID, bytes int) error {
	if bytes >= 4 {
		bytes = 0
	}
	if old, ok := r.sizes[loc]; ok && old != bytes {
		return r.mixed(loc)
	}
	r.sizes[loc] = bytes
	return nil
}

// fits notes that a store of some bytes writes a value, and refuses one that would leave a
// part of what another one wrote.
func (r *reader) fits(loc gen.LocID, bytes int, n int64) error {
	if bytes == 0 {
		bytes = 8
	}
	if r.narrowest[loc] == 0 {
		r.narrowest[loc], r.highest[loc] = 8, uint64(r.t.initial[loc])
	}
	r.narrowest[loc], r.highest[loc] = min(r.narrowest[loc], bytes), max(r.highest[loc], uint64(n))
	if _, points := r.t.pointed(int64(r.highest[loc])); !points && r.narrowest[loc] < 8 && r.highest[loc]>>(8*r.narrowest[loc]) != 0 {
		return r.mixed(loc)
	}
	return nil
}

func (r *reader) mixed(loc gen.LocID) error {
	return fmt.Errorf("accesses of %s have different sizes: mixed-size tests are not supported", r.t.names[loc])
}

// flags, which a computation of AArch64 sets: negative, zero, carry, overflow.
type flags struct{ n, z, c, v bool }

// added and subtracted are the flags of a sum and of a difference in some bits, and logical
// those of a result.
func added(a, b int64, bits int) flags {
	f := subtracted(a, b, bits)
	mask := uint64(1)<<(bits-1)<<1 - 1
	sum := (uint64(a) + uint64(b)) & mask
	f.n, f.z, f.c = sum>>(bits-1) != 0, sum == 0, sum < uint64(a)&mask
	sign := func(n uint64) bool { return n>>(bits-1)&1 != 0 }
	f.v = sign(uint64(a)) == sign(uint64(b)) && sign(uint64(a)) != f.n
	return f
}

func subtracted(a, b int64, bits int) flags {
	shift := 64 - bits
	x, y := a<<shift, b<<shift
	d := x - y
	return flags{n: d < 0, z: d == 0, c: uint64(x) >= uint64(y), v: (x < y) != (d < 0)}
}

func logical(a int64, bits int) flags {
	f := subtracted(a, 0, bits)
	return flags{n: f.n, z: f.z}
}

// conditions are Arm's.
var conditions = map[string]func(f flags) bool{
	"eq": func(f flags) bool { return f.z }, "ne": func(f flags) bool { return !f.z },
	"cs": func(f flags) bool { return f.c }, "cc": func(f flags) bool { return !f.c },
	"hs": func(f flags) bool { return f.c }, "lo": func(f flags) bool { return !f.c },
	"mi": func(f flags) bool { return f.n }, "pl": func(f flags) bool { return !f.n },
	"vs": func(f flags) bool { return f.v }, "vc": func(f flags) bool { return !f.v },
	"hi": func(f flags) bool { return f.c && !f.z }, "ls": func(f flags) bool { return !f.c || f.z },
	"ge": func(f flags) bool { return f.n == f.v }, "lt": func(f flags) bool { return f.n != f.v },
	"gt": func(f flags) bool { return !f.z && f.n == f.v }, "le": func(f flags) bool { return f.z || f.n != f.v },
	"al": func(flags) bool { return true },
}
