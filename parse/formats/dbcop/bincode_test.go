package dbcop_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/parse"
	"ordeal/parse/formats/dbcop"
)

// bincode writes the history of skew as DBCop's first version lays it out.
func bincode() []byte {
	var b []byte
	number := func(list ...uint64) {
		for _, v := range list {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	text := func(s string) {
		number(uint64(len(s)))
		b = append(b, s...)
	}
	event := func(write byte, variable, value uint64) {
		b = append(b, write)
		number(variable, value)
		b = append(b, 1)
	}
	number(10, 2, 2, 2, 2) // the first byte is that of a new line
	text("by hand")
	text("2019-04-01T10:00:00+02:00")
	text("2019-04-01T10:00:01+02:00")
	number(2, 2, 2)
	event(1, 0, 1)
	event(0, 1, 0)
	b = append(b, 1)
	number(1)
	event(0, 1, 2)
	b = append(b, 1)
	number(2, 2)
	event(1, 1, 2)
	event(0, 0, 0)
	b = append(b, 1)
	number(1)
	event(1, 0, 9)
	return append(b, 0)
}

func TestBincode(t *testing.T) {
	data := bincode()
	if err := dbcop.MissedBincode(data); err != nil {
		t.Error(err)
	}
	h, notes, err := dbcop.ReadBincode(bytes.NewReader(data), "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(skew("0", "1"), h, exported); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{aborted, wrapped}, notes); diff != "" {
		t.Error(diff)
	}
	// Whatever is cut off or put in place of a length ends in an error, in bounded memory.
	for i := range data {
		if _, _, err := dbcop.ReadBincode(bytes.NewReader(data[:i]), "f"); err == nil {
			t.Fatalf("no fault in the first %d bytes", i)
		}
	}
	huge := bytes.Clone(data)
	at := bytes.LastIndex(data, []byte("+02:00")) + len("+02:00")
	binary.LittleEndian.PutUint64(huge[at:], 1<<63)
	if _, _, err := dbcop.ReadBincode(bytes.NewReader(huge), "f"); err == nil || !strings.Contains(err.Error(), "a length of 9223372036854775808, with") {
		t.Error(err)
	}
}

func FuzzBincode(f *testing.F) {
	f.Add(bincode())
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, _, err := dbcop.ReadBincode(bytes.NewReader(data), "f"); (h == nil) != (err != nil) {
			t.Fatal(h, err)
		}
	})
}

func TestAWDIT(t *testing.T) {
	const text = "w 7 1\nr 8 0\n-----\nr 8 2\n=====\nw 8 2\nr 7 0\n"
	for _, c := range []struct {
		text  string
		fault bool
	}{
		{text: text},
		{text: strings.ReplaceAll(text, "w 7 1", "w 7 0"), fault: true}, // 8 is read as 0, which is not written there
		{text: "w 7 0\n=\nr 7 0\nw 7 1\n"}, {text: "w 7 x\n", fault: true}, {text: "w 7 1\n==-\n", fault: true},
	} {
		_, _, err := dbcop.ReadAWDIT(strings.NewReader(c.text), "f")
		if (err != nil) != c.fault {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	h, _, err := dbcop.ReadAWDIT(strings.NewReader(text), "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(skew("7", "8"), h, exported); diff != "" {
		t.Error(diff)
	}
	h, _, err = dbcop.ReadAWDIT(strings.NewReader("w 7 0\n=\nr 7 0\nw 7 1\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	want := []parse.Op{{Kind: parse.Write, RF: parse.NoOp, Write: 1}, {Kind: parse.Read, RF: 0, Read: 1}, {Kind: parse.Write, RF: parse.NoOp, Write: 2}}
	if diff := cmp.Diff(want, h.Ops); diff != "" {
		t.Error(diff)
	}
}

func FuzzAWDIT(f *testing.F) {
	f.Add("w 7 1\nr 8 0\n-----\nr 8 2\n=====\nw 8 2\nr 7 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		if h, _, err := dbcop.ReadAWDIT(strings.NewReader(text), "f"); (h == nil) != (err != nil) {
			t.Fatal(h, err)
		}
	})
}
