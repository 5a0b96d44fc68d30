package messages

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape writes what acts on a terminal as text: control characters but for tabs
// and the ends of lines, bytes that are no UTF-8, which some terminals take for
// control characters, and characters that change the direction of what follows
// or are invisible. The form is that of JSON, \u001b: escaped JSON means the
// same.
func Escape(text string) string {
	if !strings.ContainsFunc(text, acts) {
		return text
	}
	var b strings.Builder
	for text != "" {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case acts(r) && r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		case acts(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// EscapeLine is Escape of a text that has to stay on one line.
func EscapeLine(text string) string {
	return Escape(strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(text))
}

// acts reports whether a character is not to be written as it is.
func acts(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < ' ', r == utf8.RuneError, unicode.IsControl(r):
		return true
	case r < 0x600:
		return false
	}
	return unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == '\ufeff' || 0xe0000 <= r && r <= 0xe007f
}

// Escaper escapes all that is written to a writer, by several goroutines perhaps.
// A character may be written in parts.
type Escaper struct {
	W    io.Writer
	mu   sync.Mutex
	part []byte // of a character
}

func printable(text []byte) bool {
	for _, b := range text {
		if (b < ' ' || b > '~') && b != '\n' && b != '\t' {
			return false
		}
	}
	return true
}

// Write writes a text, escaped.
func (e *Escaper) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.part) == 0 && printable(p) { // nearly all there is: no copy
		return e.W.Write(p)
	}
	text := append(e.part, p...)
	end := len(text) - partial(text)
	e.part = append([]byte(nil), text[end:]...)
	if end == 0 {
		return len(p), nil
	}
	if _, err := io.WriteString(e.W, Escape(string(text[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes the part of a character that was not completed. It does not close
// the writer.
func (e *Escaper) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, err := io.WriteString(e.W, Escape(string(e.part)))
	e.part = nil
	return err
}

// partial is how many bytes at the end of a text begin a character that is not
// complete.
func partial(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
