package csrc_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
	"ordeal/gen/emit/csrc"
)

// run compiles and runs a program and returns the payloads of its frames.
func run(t *testing.T, p *gen.Program, rounds int) [][]uint64 {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler here: ", err)
	}
	var source bytes.Buffer
	if err := csrc.Emit(&source, p, rounds); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, exe := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
	if err := os.WriteFile(file, source.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-O1", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", exe, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	log, err := exec.Command(exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	var frames [][]uint64
	for len(log) > 0 {
		le := binary.LittleEndian
		type header struct {
			Magic        string
			Kind, Number uint32
			Hash, Rounds uint64
		}
		got := header{string(log[:8]), le.Uint32(log[8:]), le.Uint32(log[12:]), le.Uint64(log[16:]), le.Uint64(log[24:])}
		want := header{"ORDEAL1\n", 1, uint32(len(frames)), p.Hash64(), uint64(rounds)}
		if len(frames) >= len(p.Threads) {
			want.Kind, want.Number = 2, got.Number
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("header of frame %d (-want +got):\n%s", len(frames), diff)
		}
		words := make([]uint64, le.Uint64(log[32:]))
		sum := uint64(0)
		for i := range words {
			words[i] = le.Uint64(log[48+8*i:])
			sum = (sum<<5 | sum>>59) ^ words[i]
		}
		if sum != le.Uint64(log[40:]) {
			t.Fatalf("frame %d: checksum", len(frames))
		}
		frames, log = append(frames, words), log[48+8*len(words):]
	}
	return frames
}

// TestOneThread runs every operation alone, where all values are known.
func TestOneThread(t *testing.T) {
	for _, layout := range gen.Layouts() {
		p, err := gen.Parse("test", []byte("ordeal-program 1\nlayout "+layout.String()+
			"\nlocations x y\nthread 0\nload x\nstore x 1\nload x\nexchange y 2\nadd x 3\nfence\ndelay 5\nload x\nload y\n"))
		if err != nil {
			t.Fatal(err)
		}
		frames := run(t, p, 2)
		const unit = uint64(gen.AddUnit)
		// The stride is 3: the second round stores 4 and 5.
		want := [][]uint64{
			{0, 1, 0, 1, 1 + 3*unit, 2, 1 + 3*unit, 4, 2, 4, 4 + 3*unit, 5},
			{4 + 3*unit, 5},
		}
		if diff := cmp.Diff(want, frames); diff != "" {
			t.Errorf("%s: frames (-want +got):\n%s", layout, diff)
		}
	}
}

// TestRandom compiles a racy program cleanly and counts its log.
func TestRandom(t *testing.T) {
	p, err := gen.Random(rand.New(rand.NewPCG(5, 5)), gen.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	frames := run(t, p, 10)
	if len(frames) != len(p.Threads)+1 {
		t.Fatalf("%d frames", len(frames))
	}
	for id := range p.Threads {
		if len(frames[id]) != 10*p.Reads(gen.ThreadID(id)) {
			t.Errorf("thread %d: %d words", id, len(frames[id]))
		}
	}
}

func TestRefusal(t *testing.T) {
	p := &gen.Program{}
	if err := csrc.Emit(new(bytes.Buffer), p, 1); err == nil {
		t.Error("an empty program is accepted")
	}
}
