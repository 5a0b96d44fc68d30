package messages

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"ordeal/campaigns/internal/must"
)

// hostile has what acts on terminals, and what does not.
const hostile = "a\x1b[31m\x07\x08\r\x7f\u0085\u009b\u202e\u2066\u200f\u061c\u2028\ufeff\U000e0041\x9b\xff\u00e9\u4e2d\U0001f600\t\nz"

const harmless = `a\u001b[31m\u0007\u0008\u000d\u007f\u0085\u009b\u202e\u2066\u200f\u061c\u2028\ufeff\udb40\udc41\x9b\xff` + "\u00e9\u4e2d\U0001f600\t\nz"

// TestEscape compares with a text that was written by hand, whole and in parts
// of any size.
func TestEscape(t *testing.T) {
	if got := Escape(hostile); got != harmless {
		t.Errorf("got  %q\nwant %q", got, harmless)
	}
	if got := EscapeLine("a\nb\tc\x1b"); got != `a\nb\tc\u001b` {
		t.Errorf("a line: %q", got)
	}
	for size := 1; size <= len(hostile); size++ {
		var out bytes.Buffer
		e := &Escaper{W: &out}
		for rest := []byte(hostile); len(rest) > 0; {
			n := min(size, len(rest))
			written, err := e.Write(rest[:n])
			must.Succeed(t, err)
			if written != n {
				t.Fatalf("%d of %d bytes written", written, n)
			}
			rest = rest[n:]
		}
		must.Succeed(t, e.Close())
		if out.String() != harmless {
			t.Errorf("in parts of %d bytes: %q", size, out.String())
		}
	}
	var out bytes.Buffer
	e := &Escaper{W: &out}
	_, err := e.Write([]byte("a\xe4\xb8"))
	must.Succeed(t, err)
	must.Succeed(t, e.Close())
	if out.String() != `a\xe4\xb8` {
		t.Errorf("half a character: %q", out.String())
	}
}

// TestEscapeJSON requires that escaped JSON means the same.
func TestEscapeJSON(t *testing.T) {
	text := strings.ToValidUTF8(hostile, "")
	data, err := json.Marshal(text)
	must.Succeed(t, err)
	var back string
	must.Succeed(t, json.Unmarshal([]byte(Escape(string(data))), &back))
	if back != text {
		t.Errorf("got  %q\nwant %q", back, text)
	}
}

// FuzzEscape requires that nothing that acts is left, and that ordinary text is
// as it was.
func FuzzEscape(f *testing.F) {
	f.Add(hostile)
	f.Fuzz(func(t *testing.T, text string) {
		got := Escape(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, acts) || Escape(got) != got {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
