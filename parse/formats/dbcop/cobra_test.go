package dbcop_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"ordeal/parse/formats/dbcop"
)

// cobra makes a log of letters and numbers as clients of Cobra write it.
func cobra(parts ...any) string {
	var b bytes.Buffer
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b.WriteString(p)
		case int:
			b.Write(binary.BigEndian.AppendUint64(nil, uint64(p)))
		}
	}
	return b.String()
}

// TestCobra reads the logs of two clients: the first writes twice to key 7 in one transaction,
// the second reads the later write and, of key 8, the initial value; its last transaction
// does not end.
func TestCobra(t *testing.T) {
	first := cobra("S", 1, "W", 100, 7, 5, "W", 101, 7, 6, "C", 1)
	second := cobra("S", 2, "R", 1, 101, 7, 6, "R", 0xbebeebee, 0xbebeebee, 8, 0, "R", 0xbebeebee, 0x66666666, 9, 0, "C", 2, "S", 3, "W", 102, 8, 1)
	for _, log := range []string{first, second} {
		if err := dbcop.MissedCobra([]byte(log)); err != nil {
			t.Error(err)
		}
	}
	h, notes, err := dbcop.ReadCobra(dbcop.JoinCobra(strings.NewReader(first), strings.NewReader(second)), "f")
	if err != nil {
		t.Fatal(err)
	}
	if h.Threads() != 2 || len(h.Ops) != 4 || h.Ops[0].Write != 100 || h.Ops[2].RF != 1 || h.Ops[3].RF != -1 || len(h.Transactions) != 2 || len(notes) != 2 {
		t.Errorf("%+v, %q", h, notes)
	}
	for _, c := range []struct{ log, want string }{
		{"S12", "f: byte 1: want a number of 8 bytes"},
		{cobra("S", 1, "W", 100, 7), "f: byte 26: want a number of 8 bytes"},
		{cobra("S", 1, "C", 2), "f: byte 18: the transaction that ends is not the one that began"},
		{cobra("S", 1, "S", 2), "f: byte 9: want S to begin a transaction, or W, R or C within it"},
		{cobra("W", 1, 1, 1), "f: byte 0: want S to begin a transaction, or W, R or C within it"},
	} {
		if _, _, err := dbcop.ReadCobra(strings.NewReader(c.log), "f"); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.log, err, c.want)
		}
	}
	if err := dbcop.MissedCobra([]byte("SELECT * WHERE")); err == nil {
		t.Error("a text is taken for a log of Cobra")
	}
}
