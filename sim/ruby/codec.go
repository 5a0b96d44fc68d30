package ruby

import (
	varint "encoding/binary"
	"errors"
	"slices"

	"ordeal/sim/builtin/memory"
	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/types"
)

// encoding says how some words are written in an encoded state: as what a
// permutation of cores and lines does to them.
type encoding uint8

const (
	plainWord   encoding = iota // unsigned
	signedWord                  // mostly small, negative ones included
	limitedWord                 // signedWord, up to a limit
	lineWord                    // an address: the number of its line
	machineWord                 // an identity: the number of its controller
	destination                 // a NetDest: a word for each machine
	coreSet                     // a Set: numbers of private controllers
	data                        // a DataBlock
)

// codec is the encoding of n words at an offset.
type codec struct {
	at, n int
	kind  encoding
	limit int64 // of a limitedWord
}

// numberCodecs appends the encoding of a field or variable: none if the protocol reads it nowhere, and with a limit
// if it does not tell greater values apart.
func (s *Stepper) numberCodecs(list []codec, x any, t *types.Type, at int) []codec {
	if s.numbers != nil {
		if s.numbers.Unread(x) {
			return list
		}
		if limit, ok := s.numbers.Limit(x); ok {
			return append(list, codec{at: at, n: 1, kind: limitedWord, limit: limit})
		}
	}
	return s.codecs(list, t, at)
}

// codecs appends the encodings of a value of type t that lies at an offset.
func (s *Stepper) codecs(list []codec, t *types.Type, at int) []codec {
	p := s.program
	switch code.ShapeOf(t) {
	case code.Word:
		kind := plainWord
		switch {
		case t.Name == "Addr":
			kind = lineWord
		case t.Name == "MachineID":
			kind = machineWord
		case t.Kind == types.Int:
			kind = signedWord
		}
		return append(list, codec{at: at, n: 1, kind: kind})
	case code.Vector:
	default:
		return list
	}
	if t.Kind == types.Struct {
		return s.fieldCodecs(list, p.Layout(t), at)
	}
	switch t.Name {
	case "DataBlock":
		return append(list, codec{at: at, n: code.BlockWords, kind: data})
	case "NetDest":
		return append(list, codec{at: at, n: len(p.Codes), kind: destination})
	case "Set":
		return append(list, codec{at: at, n: 1, kind: coreSet})
	}
	return append(list, codec{at: at, n: p.Size(t), kind: plainWord})
}

// fieldCodecs appends the encodings of the fields of a structure, in the order
// in which they lie.
func (s *Stepper) fieldCodecs(list []codec, l *code.Layout, at int) []codec {
	fields := make([]*types.Field, 0, len(l.Offset))
	for f := range l.Offset {
		fields = append(fields, f)
	}
	slices.SortFunc(fields, func(a, b *types.Field) int { return l.Offset[a] - l.Offset[b] })
	for _, f := range fields {
		list = s.numberCodecs(list, f, f.Type, at+l.Offset[f])
	}
	return list
}

// initialWord is what a controller begins with in a place of its words.
type initialWord struct {
	at    int
	value uint64
}

func initialWords(list []*controller, places []int) []initialWord {
	var all []initialWord
	for _, at := range places {
		if len(list) > 0 {
			all = append(all, initialWord{at, list[0].words[at]})
		}
	}
	return all
}

// Permutation renames cores and lines. Core i becomes Cores[i], and each private
// controller with it; line i becomes Lines[i].
type Permutation struct{ Cores, Lines []int }

// The first bytes of what is no explored line, or no controller.
const (
	noneByte   = 0
	insideByte = 254 // an address within a line follows: the line and the byte
	otherByte  = 255 // a number follows
)

func (s *Stepper) appendAddress(dst []byte, a uint64, perm *Permutation) []byte {
	if a == 0 {
		return append(dst, noneByte)
	}
	if l := s.lineOf(memory.Addr(a)); l >= 0 {
		return append(dst, byte(1+perm.Lines[l]))
	}
	if l := s.lineOf(memory.Addr(a).Line()); l >= 0 {
		return append(dst, insideByte, byte(1+perm.Lines[l]), byte(a%types.BlockBytes))
	}
	return varint.AppendUvarint(append(dst, otherByte), a)
}

func (s *Stepper) appendMachine(dst []byte, id uint64, perm *Permutation) []byte {
	if id == s.program.NoMachine() {
		return append(dst, noneByte)
	}
	typ, n := code.SplitMachineID(id)
	k := s.dense(uint64(typ))
	if k < 0 || n >= len(s.controllers[k]) {
		return varint.AppendUvarint(append(dst, otherByte), id)
	}
	return append(dst, byte(1+s.first[k]+s.permuted(k, n, perm)))
}

// permuted is the number that a controller of a machine gets.
func (s *Stepper) permuted(k, n int, perm *Permutation) int {
	for _, first := range s.private[k] {
		if at := n - first; at >= 0 && at < len(perm.Cores) {
			return first + perm.Cores[at]
		}
	}
	return n
}

// permutedSet renames the members of a set of controllers of a machine.
func (s *Stepper) permutedSet(k int, set uint64, perm *Permutation) uint64 {
	if len(s.private[k]) == 0 {
		return set
	}
	var result uint64
	for n := range s.controllers[k] {
		result |= set >> n & 1 << s.permuted(k, n, perm)
	}
	return result
}

// appendWords writes words by their encodings. The line is the one that data in
// them belongs to, -1 if unknown.
func (s *Stepper) appendWords(dst []byte, words []uint64, list []codec, line int, perm *Permutation) []byte {
	for _, c := range list {
		field := words[c.at : c.at+c.n]
		switch c.kind {
		case plainWord:
			for _, w := range field {
				dst = varint.AppendUvarint(dst, w)
			}
		case signedWord:
			dst = varint.AppendVarint(dst, int64(field[0]))
		case limitedWord:
			dst = varint.AppendVarint(dst, min(int64(field[0]), c.limit))
		case lineWord:
			dst = s.appendAddress(dst, field[0], perm)
		case machineWord:
			dst = s.appendMachine(dst, field[0], perm)
		case destination:
			for k, w := range field {
				dst = varint.AppendUvarint(dst, s.permutedSet(k, w, perm))
			}
		case coreSet:
			dst = varint.AppendUvarint(dst, s.permutedSet(s.coresAt, field[0], perm))
		case data:
			dst = s.appendData(dst, field, line)
		}
	}
	return dst
}

func (s *Stepper) appendData(dst []byte, block []uint64, line int) []byte {
	for w := range s.words {
		dst = varint.AppendUvarint(dst, s.age(block[w], line, w))
	}
	return dst
}

// errTruncated is the fault of an encoding that is none of this machine.
var errTruncated = errors.New("encoded state: not of this machine")

// decoder reads an encoded component. After the end it gives zeros and has
// failed.
type decoder struct {
	rest   []byte
	failed bool
}

func (d *decoder) byte() int {
	if len(d.rest) == 0 {
		d.failed = true
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return int(b)
}

func (d *decoder) uvarint() uint64 {
	if len(d.rest) > 0 && d.rest[0] < 0x80 {
		v := uint64(d.rest[0])
		d.rest = d.rest[1:]
		return v
	}
	v, n := varint.Uvarint(d.rest)
	if n <= 0 {
		d.failed = true
		d.rest = nil
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) varint() int64 {
	u := d.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// below reads a number below a limit.
func (d *decoder) below(limit int) int {
	v := d.byte()
	if v >= limit {
		d.failed = true
		return 0
	}
	return v
}

func (s *Stepper) readAddress(d *decoder) uint64 {
	switch b := d.byte(); b {
	case noneByte:
		return 0
	case otherByte:
		return d.uvarint()
	case insideByte:
		line := d.below(1 + len(s.lines))
		return uint64(s.lines[max(line-1, 0)]) + uint64(d.byte())
	default:
		if b > len(s.lines) {
			d.failed = true
			return 0
		}
		return uint64(s.lines[b-1])
	}
}

func (s *Stepper) readMachine(d *decoder) uint64 {
	switch b := d.byte(); b {
	case noneByte:
		return s.program.NoMachine()
	case otherByte:
		return d.uvarint()
	default:
		if b > len(s.all) {
			d.failed = true
			return 0
		}
		return s.all[b-1].id
	}
}

func (s *Stepper) readWords(d *decoder, words []uint64, list []codec) {
	for _, c := range list {
		field := words[c.at : c.at+c.n]
		switch c.kind {
		case signedWord, limitedWord:
			field[0] = uint64(d.varint())
		case lineWord:
			field[0] = s.readAddress(d)
		case machineWord:
			field[0] = s.readMachine(d)
		case data:
			s.readData(d, field)
		default:
			for i := range field {
				field[i] = d.uvarint()
			}
		}
	}
}

func (s *Stepper) readData(d *decoder, block []uint64) {
	for w := range s.words {
		block[w] = d.uvarint()
	}
}
