package gen

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
)

// textVersion is the first line of the text form. The number changes when an
// old reader would misunderstand a new text.
const textVersion = "ordeal-program 1"

// wordISA begins the line of an instruction set other than x86-64.
const wordISA = "isa"

// The lines around a transaction.
const (
	wordBegin = "begin"
	wordEnd   = "end"
)

// Text is the program's text form, which Parse reads back:
//
//	ordeal-program 1
//	layout spread
//	locations x y
//	thread 0
//	store x 1
//	load y
//	exchange y 2
//	thread 1
//	add x 1
//	fence
//	delay 12
//
// A thread that a device runs is "thread 2 dma", one that fetches instructions
// of core 0 "thread 3 fetch 0". A program of another instruction set than x86-64
// has a line "isa aarch64" before its layout; there an operation may have words
// behind it: annotations, and the kinds of its dependency with the number of
// operations back, as in "store x 1 release addr ctrl 2". The lines begin and end enclose the operations of a transaction. One program
// has one text: no comments, single spaces, LF after every line.
// The text of a program that Validate refuses is for messages only.
func (p *Program) Text() []byte {
	buf := make([]byte, 0, 64+8*len(p.Locations)+16*p.Ops())
	buf = append(buf, textVersion+"\n"...)
	if p.ISA != X86 {
		buf = append(append(append(buf, wordISA+" "...), p.ISA.String()...), '\n')
	}
	buf = append(buf, "layout "...)
	buf = append(buf, p.Layout.String()...)
	buf = append(buf, "\nlocations"...)
	for _, name := range p.Locations {
		buf = append(buf, ' ')
		buf = append(buf, name...)
	}
	buf = append(buf, '\n')
	for t, ops := range p.Threads {
		buf = append(buf, "thread "...)
		buf = strconv.AppendInt(buf, int64(t), 10)
		if a := p.AgentOf(ThreadID(t)); a.Kind != AgentCore {
			buf = append(buf, ' ')
			buf = append(buf, a.String()...)
		}
		buf = append(buf, '\n')
		transactions := p.TransactionsOf(ThreadID(t))
		for i, op := range ops {
			if len(transactions) > 0 && int(transactions[0].First) == i {
				buf = append(buf, wordBegin+"\n"...)
			}
			buf = p.appendOp(buf, op)
			buf = append(buf, '\n')
			if len(transactions) > 0 && int(transactions[0].End) == i+1 {
				buf = append(buf, wordEnd+"\n"...)
				transactions = transactions[1:]
			}
		}
	}
	return buf
}

// Line is the line of Text, from 1, that has operation i of thread t.
func (p *Program) Line(t ThreadID, i int) int {
	n := 3 // the lines before those of the threads
	for other := range t {
		n += 1 + len(p.Threads[other]) + 2*len(p.TransactionsOf(other))
	}
	n += 2 + i
	for _, x := range p.TransactionsOf(t) {
		if int(x.First) <= i {
			n++
		}
		if int(x.End) <= i {
			n++
		}
	}
	return n
}

// String is Text as a string.
func (p *Program) String() string { return string(p.Text()) }

// OpText is the line of the text form for one operation of the program, as
// messages quote it.
func (p *Program) OpText(op Op) string { return string(p.appendOp(nil, op)) }

func (p *Program) appendOp(buf []byte, op Op) []byte {
	buf = append(buf, op.Kind.String()...)
	if op.Kind.Reads() || op.Kind.Writes() {
		buf = append(buf, ' ')
		if op.Loc >= 0 && int(op.Loc) < len(p.Locations) {
			buf = append(buf, p.Locations[op.Loc]...)
		} else {
			buf = append(buf, "location "...)
			buf = strconv.AppendInt(buf, int64(op.Loc), 10)
		}
	}
	if op.Kind.hasValue() {
		buf = append(buf, ' ')
		buf = strconv.AppendUint(buf, uint64(op.Value), 10)
	}
	if op.Kind == PartialFence {
		buf = append(append(buf, ' '), FenceName(op.Value)...)
	}
	return op.appendBehind(buf)
}

// appendBehind appends annotations and a dependency, each behind a space.
func (op Op) appendBehind(buf []byte) []byte {
	for _, set := range []string{setText(uint8(op.Attr), attrNames), setText(uint8(op.Dep), depNames)} {
		if set != "" {
			buf = append(append(buf, ' '), set...)
		}
	}
	if op.Back != 0 {
		buf = strconv.AppendUint(append(buf, ' '), uint64(op.Back), 10)
	}
	return buf
}

func (k OpKind) hasValue() bool { return k.Writes() || k == Delay }

// Hash is the SHA-256 of Text: the identity of the program.
func (p *Program) Hash() [32]byte { return sha256.Sum256(p.Text()) }

// Hash64 is the first eight bytes of Hash as a little-endian number, which
// stands in the frames of a log. Program texts of equal Hash64 by accident
// are not a concern: it guards against reading a log with the wrong program.
func (p *Program) Hash64() uint64 {
	h := p.Hash()
	return binary.LittleEndian.Uint64(h[:8])
}
