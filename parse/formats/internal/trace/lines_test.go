package trace

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestLines reads lines shorter and longer than the reader's buffer, and a line
// that exceeds the limit, which is named and skipped whole.
func TestLines(t *testing.T) {
	long := strings.Repeat("ab ", 40_000)
	b := new(Builder)
	l := NewLines(iotest.OneByteReader(strings.NewReader(" a \n\n"+long+"\r\n"+long+long+"\nz")), "f")
	l.limit = len(long) + 2
	for i, want := range []string{"a", "", strings.TrimSpace(long), "", "z"} {
		line, err := l.Next()
		if string(line) != want {
			t.Errorf("line %d: %.20q of %d bytes, want %.20q of %d", i+1, line, len(line), want, len(want))
		}
		if l.Line != i+1 {
			t.Errorf("line %d is called %d", i+1, l.Line)
		}
		if tooLong := errors.Is(err, ErrLineTooLong); tooLong != (i == 3) {
			t.Errorf("line %d: %v", i+1, err)
		}
		if err != nil {
			b.Fault(l.Line, err)
		}
	}
	if got, want := b.Err("f").Error(), "f:4: line is longer than 256 MiB"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWrite reports the error of the writer below.
func TestWrite(t *testing.T) {
	in, out := io.Pipe()
	in.CloseWithError(errors.New("full disk"))
	err := Write(out, "text", func(out *bufio.Writer) error { _ = out.WriteByte('x'); return nil })
	if err == nil || err.Error() != "write text: full disk" {
		t.Error(err)
	}
}
