package run

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"sync"
)

// Lines gives the lines of a file that grows by one write per line, newlines
// included. A last line without a newline was cut short and is left out. After
// an error there are no more. A line is valid until the next one.
func Lines(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewReaderSize(r, linesBuffer)
		var long []byte // a line that does not fit the buffer
		for {
			text, err := lines.ReadSlice('\n')
			if len(long) > 0 || err == bufio.ErrBufferFull {
				long = append(long, text...)
				text = long
			}
			if len(long) > maxLine {
				yield(nil, fmt.Errorf("a line of more than %d bytes", maxLine))
				return
			}
			switch err {
			case bufio.ErrBufferFull:
				continue
			case io.EOF:
				return
			}
			if !yield(text, err) || err != nil {
				return
			}
			long = long[:0]
		}
	}
}

// maxLine bounds a line in bytes: a file of others may have one of any length.
const maxLine = 64 << 20

// linesBuffer is the size in bytes up to which Lines does not copy a line.
const linesBuffer = 1 << 16

// A sealed line is a JSON object, a newline behind it, whose last member is the
// CRC-32C (Castagnoli; RFC 3720, section 12.1) of all bytes before that member.
// It detects each change of up to 32 adjacent bits, and others but for one in
// 2^32.
const (
	sealBegin = `,"crc32c":"`
	sealEnd   = `"}`
	sealSize  = len(sealBegin) + 2*crc32.Size + len(sealEnd)
)

// errSeal is the error of a line that is not as it was written.
var errSeal = errors.New("the line was changed after it was written")

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// Seal makes a sealed line of a JSON object that has a member.
func Seal(object []byte) []byte {
	body := bytes.TrimSuffix(object, []byte("}"))
	return fmt.Appendf(body, "%s%08x%s\n", sealBegin, crc32.Checksum(body, castagnoli()), sealEnd)
}

// Unseal returns an error unless a sealed line, with or without its newline, is
// as it was written. Lines of earlier versions have no seal, and pass.
func Unseal(line []byte) error {
	line = bytes.TrimSuffix(line, []byte("\n"))
	if len(line) < sealSize {
		return nil
	}
	body, seal := line[:len(line)-sealSize], line[len(line)-sealSize:]
	sum, begin, end := seal[len(sealBegin):len(seal)-len(sealEnd)], seal[:len(sealBegin)], seal[len(seal)-len(sealEnd):]
	switch differ := differing(begin, sealBegin) + differing(end, sealEnd); {
	case differ > (len(sealBegin)+len(sealEnd))/2:
		return nil // another member is last
	case differ > 0:
		return fmt.Errorf("%w: its checksum is corrupt", errSeal)
	}
	var got [2 * crc32.Size]byte
	if hex.Encode(got[:], binary.BigEndian.AppendUint32(nil, crc32.Checksum(body, castagnoli()))); string(got[:]) != string(sum) {
		return fmt.Errorf("%w: its CRC-32C is %s, recorded is %q", errSeal, got, sum)
	}
	return nil
}

// differing counts the bytes in which two texts of one length differ.
func differing(a []byte, b string) int {
	n := 0
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
