package formats

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// Limits of what a gzip file may decompress to: beyond ExpandFree bytes no
// more than ExpandRatio times the compressed bytes, and never more than
// ExpandMost. Traces are compressed to a fifth or a twentieth; a file beyond
// the ratio, which gzip bounds by about 1,030, is made to exhaust memory or
// disk.
const (
	ExpandFree  = 64 << 20
	ExpandRatio = 200
	ExpandMost  = 16 << 30
)

// EncodingError is the error of Decode's reader for a file whose encoding is
// malformed or not supported, or that exceeds the limits of decompression.
type EncodingError struct{ Err error }

// Error says what is wrong.
func (e *EncodingError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *EncodingError) Unwrap() error { return e.Err }

// packed are compressed or packed files that are not read, by their first bytes.
var packed = []struct{ magic, name, tool string }{
	{"\x28\xb5\x2f\xfd", "zstd", "zstd -dc"}, {"\xfd7zXZ\x00", "xz", "xz -dc"}, {"BZh", "bzip2", "bzip2 -dc"},
	{"\x04\x22\x4d\x18", "lz4", "lz4 -dc"}, {"PK\x03\x04", "zip", "unzip -p"}, {"7z\xbc\xaf\x27\x1c", "7z", "7z x -so"},
}

// The first bytes of encodings.
var (
	gzipMagic  = []byte{0x1f, 0x8b}
	utf8Mark   = []byte{0xef, 0xbb, 0xbf}
	utf16Marks = [][]byte{{0xff, 0xfe}, {0xfe, 0xff}}
)

// Decode reads a file in any of the formats as text or log: it decompresses
// gzip, also of several members, and drops a UTF-8 byte order mark. The errors
// of the reader are those of in or of type *EncodingError, and stay.
func Decode(in io.Reader) io.Reader {
	return &decoder{in: &counter{in: in}, free: ExpandFree, ratio: ExpandRatio, most: ExpandMost}
}

// decoder is Decode's reader.
type decoder struct {
	in                *counter
	out               *bufio.Reader // nil before the first read
	gzip              bool
	size              int64 // decompressed so far
	free, ratio, most int64
	err               error
}

// counter counts the bytes of a reader. Its error, other than the end, stays.
type counter struct {
	in   io.Reader
	size int64
	err  error
}

// Read reads from the reader.
func (c *counter) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.in.Read(p)
	c.size += int64(n)
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// Read reads what is decoded.
func (d *decoder) Read(p []byte) (int, error) {
	if d.out == nil && d.err == nil {
		d.err = d.open()
	}
	if d.err != nil {
		return 0, d.err
	}
	n, err := d.out.Read(p)
	d.size += int64(n)
	switch {
	case err == io.EOF:
		d.err = io.EOF
	case err != nil:
		d.err = d.fault(err)
	case d.gzip && d.size > d.most:
		n, d.err = 0, encodingError("gzip: more than %d bytes when decompressed: pass it through gunzip", d.most)
	case d.gzip && d.size > d.free && d.size > d.ratio*d.in.size:
		n, d.err = 0, encodingError("gzip: more than %d times its size when decompressed: pass it through gunzip if it is no decompression bomb", d.ratio)
	}
	return n, d.err
}

// fault is the error of the file, or else says that its encoding is malformed.
func (d *decoder) fault(err error) error {
	if d.in.err != nil {
		return d.in.err
	}
	return encodingError("decompress: %w", err)
}

func encodingError(format string, args ...any) error {
	return &EncodingError{fmt.Errorf(format, args...)}
}

// open recognises the encoding by the first bytes.
func (d *decoder) open() error {
	text := bufio.NewReaderSize(d.in, 1<<16)
	if d.starts(text, gzipMagic) {
		plain, err := gzip.NewReader(text)
		if err != nil {
			return d.fault(err)
		}
		d.gzip = true
		text = bufio.NewReaderSize(plain, 1<<16)
		if d.starts(text, gzipMagic) {
			return encodingError("gzip: compressed twice")
		}
	}
	for _, p := range packed {
		if d.starts(text, []byte(p.magic)) {
			return encodingError("the file is compressed by %s, not gzip: pass it through %s", p.name, p.tool)
		}
	}
	for _, mark := range utf16Marks {
		if d.starts(text, mark) {
			return encodingError("the text is in UTF-16: convert it to UTF-8")
		}
	}
	if d.starts(text, utf8Mark) {
		if _, err := text.Discard(len(utf8Mark)); err != nil {
			return err // it was peeked at
		}
	}
	d.out = text
	return nil
}

// starts reports whether a text begins with a prefix.
func (d *decoder) starts(text *bufio.Reader, prefix []byte) bool {
	head, _ := text.Peek(len(prefix)) // an error stays with the text
	return bytes.Equal(head, prefix)
}
