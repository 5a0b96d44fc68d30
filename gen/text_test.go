package gen_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/gen"
)

// sample has every kind of operation and an empty thread.
func sample() *gen.Program {
	return &gen.Program{
		Layout:    gen.Spread,
		Locations: []string{"x", "y"},
		Threads: [][]gen.Op{
			{
				{Kind: gen.Store, Loc: 0, Value: 1},
				{Kind: gen.Load, Loc: 1},
				{Kind: gen.Exchange, Loc: 1, Value: 2},
			},
			nil,
			{
				{Kind: gen.FetchAdd, Loc: 0, Value: 1},
				{Kind: gen.FullFence},
				{Kind: gen.Delay, Value: 12},
			},
		},
	}
}

const sampleText = `ordeal-program 1
layout spread
locations x y
thread 0
store x 1
load y
exchange y 2
thread 1
thread 2
add x 1
fence
delay 12
`

var programEqual = cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(gen.Program{})}

func TestText(t *testing.T) {
	if diff := cmp.Diff(sampleText, sample().String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestParse(t *testing.T) {
	free := "# a comment\n\nordeal-program 1 # version\n\tlayout   spread\n" +
		strings.ReplaceAll(sampleText[strings.Index(sampleText, "locations"):], "\n", " \t# c\n\n  ")
	for name, text := range map[string]string{
		"canonical":     sampleText,
		"free":          free,
		"crlf":          strings.ReplaceAll(sampleText, "\n", "\r\n"),
		"no last break": strings.TrimSuffix(sampleText, "\n"),
	} {
		p, err := gen.Parse("p", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(sample(), p, programEqual); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestParseFaults(t *testing.T) {
	const head = "ordeal-program 1\nlayout packed\nlocations x y\n"
	tests := []struct{ name, text, want string }{
		{"empty", "", "parse p:0: the text ends where the line \"ordeal-program 1\" is expected"},
		{"binary", "\x7fELF\x00\n\x00", "parse p:1: no program of this version: want the line \"ordeal-program 1\" first"},
		{"newer", "ordeal-program 2\n", "parse p:1: no program of this version: want the line \"ordeal-program 1\" first"},
		{"only version", "ordeal-program 1\n", "parse p:1: the text ends where the layout is expected"},
		{"order", "ordeal-program 1\nlocations x\n", "parse p:2: \"locations\" where the layout is expected"},
		{"no threads", head, "parse p:3: 0 threads: want 1 to 64"},
		{"op too early", head + "load x\n", "parse p:4: \"load\" where the thread 0 is expected"},
		{"thread number", head + "thread 1\n", "parse p:4: threads are numbered in order: want \"thread 0\""},
		{"header", "ordeal-program 1\nlayout fancy\nlocations x 1 x\nthread 0\n",
			"parse p:2: unknown layout \"fancy\": want packed, spread, pairs or conflict\n" +
				"parse p:3: location name \"1\": want letters, digits and _, no digit first, at most 64 bytes\n" +
				"parse p:3: location x is named twice"},
		{"no locations", "ordeal-program 1\nlayout packed\nlocations\nthread 0\n", "parse p:3: 0 locations: want 1 to 65536"},
		{"all at once", head + "thread 0\nlod x\nload z\nstore x\nstore x 0\nstore x -1\nfence x\nadd x 268435456\n" +
			"store x 68719476736\ndelay 1048577\nstore x 99999999999999999999\n",
			"parse p:5: unknown operation \"lod\"\n" +
				"parse p:6: unknown location \"z\"\n" +
				"parse p:7: store takes 2 words after it, not 1\n" +
				"parse p:8: value 0: want 1 to 68719476735\n" +
				"parse p:9: value \"-1\": want a decimal number\n" +
				"parse p:10: fence takes 0 words after it, not 1\n" +
				"parse p:11: addend 268435456: want 1 to 268435455\n" +
				"parse p:12: value 68719476736: want 1 to 68719476735\n" +
				"parse p:13: delay 1048577: want 1 to 1048576\n" +
				"parse p:14: value \"99999999999999999999\": want a decimal number"},
		{"repeats", head + "thread 0\nstore x 7\nadd x 7\nthread 1\nexchange y 7\nadd y 7\n",
			"parse p:8: exchange y 7: value repeats line 5\n" +
				"parse p:9: add y 7: addend repeats line 6"},
		{"wraps", head + "thread 0\nadd x 268435455\nadd x 1\n",
			"parse p:6: values stay unique for at most 0 rounds, not 1"},
		{"many", head + "thread 0\n" + strings.Repeat("?\n", 25),
			manyFaults(5, 24) + "the rest was not read: there are too many faults"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := gen.Parse("p", []byte(test.text))
			if err == nil {
				t.Fatalf("no error, program:\n%s", p)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// manyFaults is one fault for each of the lines.
func manyFaults(first, last int) string {
	var b strings.Builder
	for line := first; line <= last; line++ {
		fmt.Fprintf(&b, "parse p:%d: unknown operation \"?\"\n", line)
	}
	return b.String()
}

func TestHash(t *testing.T) {
	// Any other implementation of SHA-256 must agree, so the hash is that
	// of the text as a file: sha256sum of sampleText.
	const want = "f2c569e847088b1091dd4a3ce05f1f15f801b146ea5b8682dad8da89fac1e46f"
	sum := sample().Hash()
	if sum != sha256.Sum256([]byte(sampleText)) {
		t.Errorf("hash %x is not that of the text", sum)
	}
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
	if got := sample().Hash64(); got != 0x108b0847e869c5f2 {
		t.Errorf("Hash64 %#x", got)
	}
	other := sample()
	other.Layout = gen.Packed
	if other.Hash() == sample().Hash() {
		t.Error("the layout is not in the hash")
	}
}

func TestParseLayout(t *testing.T) {
	for _, l := range gen.Layouts() {
		if got, err := gen.ParseLayout(l.String()); err != nil || got != l {
			t.Errorf("ParseLayout(%s) = %v, %v", l, got, err)
		}
	}
	for _, name := range []string{"", "unknown", "Packed"} {
		if l, err := gen.ParseLayout(name); err == nil {
			t.Errorf("ParseLayout(%q) = %v", name, l)
		}
	}
}

func TestCounts(t *testing.T) {
	p := sample()
	if diff := cmp.Diff([]int{6, 2, 0, 1}, []int{p.Ops(), p.Reads(0), p.Reads(1), p.Reads(2)}); diff != "" {
		t.Errorf("Ops, and Reads of each thread (-want +got):\n%s", diff)
	}
}

// FuzzParse feeds arbitrary text: what is accepted is valid, and printing and
// parsing it again gives the same program.
func FuzzParse(f *testing.F) {
	f.Add([]byte(sampleText))
	f.Add([]byte(transactionText))
	f.Add([]byte(strings.ReplaceAll(sampleText, "\n", "\r\n # c\n")))
	f.Add([]byte("ordeal-program 1\nlayout conflict\nlocations x\nthread 0\nload x\nload\nadd x 99999999999\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := gen.Parse("fuzz", data)
		if err != nil {
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatalf("accepted an invalid program: %v", err)
		}
		text := p.Text()
		again, err := gen.Parse("again", text)
		if err != nil {
			t.Fatalf("own text refused: %v\n%s", err, text)
		}
		if diff := cmp.Diff(p, again, programEqual); diff != "" {
			t.Fatal(diff)
		}
		if !bytes.Equal(text, again.Text()) {
			t.Fatal("texts differ")
		}
	})
}
