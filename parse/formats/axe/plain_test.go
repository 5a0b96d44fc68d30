package axe

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/parse"
)

// comparePlain reads a line by plain and by parse, and reports whether plain
// accepts it. Then both have to make the same of it.
func comparePlain(t *testing.T, line []byte) bool {
	t.Helper()
	var fast, slow builder
	if !fast.plain(line, 1) {
		return false
	}
	if err := slow.parse(line, 1); err != nil {
		t.Fatalf("%q: plain accepts what parse does not: %v", line, err)
	}
	if diff := cmp.Diff([2][]string{slow.Threads.List, slow.Locations.List}, [2][]string{fast.Threads.List, fast.Locations.List}); diff != "" {
		t.Fatalf("%q: names:\n%s", line, diff)
	}
	// A final value shows what was written, and an error what was read.
	for _, b := range []*builder{&fast, &slow} {
		b.Final(0, 7, 2)
	}
	want, wantErr := slow.Finish("f", 1)
	got, err := fast.Finish("f", 1)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(parse.History{})); diff != "" {
		t.Fatalf("%q:\n%s", line, diff)
	}
	if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
		t.Fatalf("%q: %v, want %v", line, err, wantErr)
	}
	return true
}

var plainLines = []string{
	"0: M[0] := 7", "12: M[345] == 0", "65535: M[65535] := 9999999999999999999", "9: M[10] == 7",
}

// TestPlain changes each byte of lines, and leaves out or adds each.
func TestPlain(t *testing.T) {
	accepted, refused := 0, 0
	compare := func(line []byte) {
		if comparePlain(t, line) {
			accepted++
		} else {
			refused++
		}
	}
	for _, line := range plainLines {
		if !comparePlain(t, []byte(line)) {
			t.Errorf("%q is not accepted", line)
		}
		for i := range line {
			compare([]byte(line[:i] + line[i+1:]))
			for _, c := range []byte("059 :=M[]#@vx_\x00\xff") {
				changed := []byte(line)
				changed[i] = c
				compare(changed)
				compare([]byte(line[:i] + string(c) + line[i:]))
			}
		}
	}
	for _, line := range []string{
		"", "check", "00: M[0] == 0", "0: M[01] == 0", "65536: M[0] == 0", "0: M[65536] == 0", "0: M[0] == ",
		"0: M[0] := 18446744073709551616", "0: sync", "0: { M[0] == 0; M[0] := 1 }", "0: M[0] == 0 @ 1:2", "0: v0 == 0",
	} {
		if comparePlain(t, []byte(line)) {
			t.Errorf("%q is accepted", line)
		}
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
	if accepted < 100 || refused < 100 {
		t.Error("too few lines")
	}
	timed := builder{hasTimes: true}
	if timed.plain([]byte(plainLines[0]), 1) {
		t.Error("a line after timestamps is accepted")
	}
}

// What the writer writes of a history with numbers for names is plain.
func TestPlainWritten(t *testing.T) {
	h := &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, Loc: 0, Write: 1, RF: parse.NoOp},
			{Kind: parse.Read, Loc: 0, Read: 1, RF: 0},
			{Kind: parse.Read, Loc: 1, RF: parse.Init},
		},
		Start: []parse.OpID{0, 1, 3}, Locations: []string{"0", "17"}, ThreadNames: []string{"0", "1"},
	}
	var out bytes.Buffer
	if err := Write(&out, h); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.SplitSeq(bytes.TrimSuffix(out.Bytes(), []byte("check\n")), []byte("\n")) {
		if len(line) > 0 && !comparePlain(t, line) {
			t.Errorf("%q is not accepted", line)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, line := range plainLines {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) { comparePlain(t, bytes.TrimSpace(line)) })
}
