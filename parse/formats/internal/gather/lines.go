package gather

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// MaxLineBytes bounds a line.
const MaxLineBytes = 1 << 16

// ErrLineTooLong is the fault of a line that MaxLineBytes cut.
var ErrLineTooLong = errors.New("line is too long")

// Lines reads a text line by line, in bounded memory.
type Lines struct {
	in   *bufio.Reader
	name string
	// Line is the number of the last line read, from 1.
	Line int
}

// NewLines reads the lines of in. The name stands in errors.
func NewLines(in io.Reader, name string) *Lines {
	return &Lines{in: bufio.NewReaderSize(in, MaxLineBytes), name: name}
}

// Next returns the next line, with its end, and atEnd with the last one, which
// may be empty. A line that is too long is cut: it has MaxLineBytes or more.
// The line is valid until the next call.
func (l *Lines) Next() (line []byte, atEnd bool, err error) {
	line, err = l.in.ReadSlice('\n')
	if len(line) > 0 {
		l.Line++
	}
	for err == bufio.ErrBufferFull { // drop the rest; nothing of it is used
		_, err = l.in.ReadSlice('\n')
	}
	if err != nil && err != io.EOF {
		return nil, false, fmt.Errorf("read %s:%d: %w", l.name, l.Line, err)
	}
	return line, err == io.EOF, nil
}
