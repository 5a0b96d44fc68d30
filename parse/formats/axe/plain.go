package axe

import (
	"ordeal/gen"
	"ordeal/parse"
)

// plain adds the operation of a line that is a load or a store as Write writes
// it, with numbers for names: nearly every line of a long trace. It reports false
// for any other line. What it accepts, parse would read the same, more slowly.
func (b *builder) plain(line []byte, number int) bool {
	thread, rest, ok := number16(line)
	if !ok || len(rest) < 4 || string(rest[:4]) != ": M[" {
		return false
	}
	loc, rest, ok := number16(rest[4:])
	if !ok || len(rest) < 6 || rest[0] != ']' || rest[1] != ' ' || rest[3] != '=' || rest[4] != ' ' {
		return false
	}
	var value gen.Value
	if len(rest)-5 > 19 { // may exceed 64 bits
		return false
	}
	for _, c := range rest[5:] {
		digit := c - '0'
		if digit > 9 {
			return false
		}
		value = value*10 + gen.Value(digit)
	}
	op := parse.Op{RF: parse.NoOp}
	switch rest[2] {
	case '=':
		op.Kind, op.Read = parse.Read, value
	case ':':
		op.Kind, op.Write = parse.Write, value
	default:
		return false
	}
	if b.hasTimes {
		return false
	}
	op.Loc = b.Locations.Number(loc)
	b.Add(b.NumberedThread(thread), op, number)
	return true
}

// number16 cuts a number below 2¹⁶ without leading zeros off a text.
func number16(text []byte) (v int, rest []byte, ok bool) {
	i := 0
	for ; i < len(text) && text[i]-'0' <= 9; i++ {
		if v = v*10 + int(text[i]-'0'); v >= 1<<16 {
			return 0, nil, false
		}
	}
	return v, text[i:], i == 1 || i > 1 && text[0] != '0'
}
