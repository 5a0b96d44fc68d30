package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// MaxLineBytes bounds a line.
const MaxLineBytes = 256 << 20

// ErrLineTooLong is the error of a line that exceeds MaxLineBytes.
var ErrLineTooLong = fmt.Errorf("line is longer than %d MiB", MaxLineBytes>>20)

// ErrLeftOut is the error of a line whose operation the history leaves out.
var ErrLeftOut = errors.New("the operation is left out")

// Lines reads a text line by line.
type Lines struct {
	in    *bufio.Reader
	name  string
	limit int
	long  []byte // a line that exceeds the buffer of in
	// Line is the number of the last line read, from 1.
	Line int
}

// NewLines reads the lines of in. The name stands in errors.
func NewLines(in io.Reader, name string) *Lines {
	return &Lines{in: bufio.NewReaderSize(in, 1<<16), name: name, limit: MaxLineBytes}
}

// Next returns the next line without surrounding space, which is valid until
// the next call. The error is ErrLineTooLong for a line that was skipped,
// io.EOF after the last line, and else about reading.
func (l *Lines) Next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	size := len(line)
	if err == bufio.ErrBufferFull {
		l.long = l.long[:0]
		for {
			if size <= l.limit {
				l.long = append(l.long, line...)
			}
			if err != bufio.ErrBufferFull {
				break
			}
			line, err = l.in.ReadSlice('\n')
			size += len(line)
		}
		line = l.long
	}
	if size > 0 {
		l.Line++
	}
	switch {
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("read %s:%d: %w", l.name, max(l.Line, 1), err)
	case size == 0:
		return nil, io.EOF
	case size > l.limit:
		return nil, ErrLineTooLong
	}
	return bytes.TrimSpace(line), nil
}

// IsComment reports whether a line is a comment: # or //, but not a tag of EDN.
func IsComment(line []byte) bool {
	return bytes.HasPrefix(line, []byte("//")) || len(line) > 0 && line[0] == '#' && bytes.IndexByte(line, '{') < 0
}

// SkipComments is a text from its first line on that is neither blank nor a comment.
func SkipComments(text []byte) []byte {
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		if !IsComment(line) {
			return text
		}
		text = rest
	}
}

// ReadLines calls each for every line of a text that is neither blank nor a comment, and
// notes its errors as faults of the line. Its own error is about reading.
func (b *Builder) ReadLines(in io.Reader, name string, each func(line []byte, number int) error) error {
	return b.ReadAllLines(in, name, func(line []byte, number int) error {
		if IsComment(line) {
			return nil
		}
		return each(line, number)
	})
}

// ReadAllLines is ReadLines with comments.
func (b *Builder) ReadAllLines(in io.Reader, name string, each func(line []byte, number int) error) error {
	lines := NewLines(in, name)
	for {
		line, err := lines.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && !errors.Is(err, ErrLineTooLong):
			return err
		case err == nil && len(line) > 0:
			err = each(line, lines.Line)
		}
		if err != nil {
			b.Fault(lines.Line, err)
		}
	}
}

// FirstLine is the first line of a text that is neither blank nor begins with one of
// the marks of comments, without surrounding space; nil if there is none.
func FirstLine(text []byte, comments ...string) []byte {
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		line = bytes.TrimSpace(line)
		isComment := func(mark string) bool { return bytes.HasPrefix(line, []byte(mark)) }
		if len(line) > 0 && !slices.ContainsFunc(comments, isComment) {
			return line
		}
	}
	return nil
}
