package elf_test

import (
	"bytes"
	"context"
	debugelf "debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/gen/wire"
)

// needHost skips a test that executes programs where that is impossible.
func needHost(t testing.TB) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skipf("programs run on linux/amd64, this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
}

// frame is one frame of a log, as read by a reader that shares nothing with
// the rest of Ordeal.
type frame struct {
	kind, index  uint32
	hash, rounds uint64
	words        []uint64
}

func readFrames(t testing.TB, log []byte) []frame {
	t.Helper()
	var frames []frame
	for len(log) > 0 {
		if len(log) < 48 || string(log[:8]) != "ORDEAL1\n" {
			t.Fatalf("frame %d: no header in the %d bytes left", len(frames), len(log))
		}
		word := func(i int) uint64 { return binary.LittleEndian.Uint64(log[i:]) }
		f := frame{
			kind:  binary.LittleEndian.Uint32(log[8:]),
			index: binary.LittleEndian.Uint32(log[12:]),
			hash:  word(16), rounds: word(24),
		}
		count, checksum := word(32), word(40)
		if uint64(len(log)-48)/8 < count {
			t.Fatalf("frame %d: %d words announced, %d bytes left", len(frames), count, len(log)-48)
		}
		var sum uint64
		for i := range int(count) {
			f.words = append(f.words, word(48+8*i))
			sum = (sum<<5 | sum>>59) ^ f.words[i]
		}
		if sum != checksum {
			t.Fatalf("frame %d: checksum %#x, want %#x", len(frames), checksum, sum)
		}
		frames = append(frames, f)
		log = log[48+8*count:]
	}
	return frames
}

func emit(t testing.TB, p *gen.Program, opts elf.Options) []byte {
	t.Helper()
	executable, err := elf.Emit(p, opts)
	if err != nil {
		t.Fatal(err)
	}
	return executable
}

// passed runs an executable that has to pass, and returns the frames of its log. Barriers
// that gave up on a busy machine are no failure.
func passed(t testing.TB, executable []byte, about ...any) []frame {
	t.Helper()
	frames, code := executeFor(t, executable, wire.ExitPassed, 0)
	if code != wire.ExitPassed {
		t.Fatalf("exit code %d %+v", code, about)
	}
	return frames
}

// execute runs an executable and returns its log and exit code.
func execute(t testing.TB, executable []byte) ([]byte, int) {
	t.Helper()
	var out bytes.Buffer
	code := executeTo(t, executable, &out)
	return out.Bytes(), code
}

// executeFor is execute until the exit code is the one wanted and, where words are given,
// the log has frames of an unknown length before those of these lengths, many times at
// growing intervals: on a busy machine a thread may be without a processor for as long as
// a barrier waits, at an earlier one, or in an earlier program, as well, and ten runs may
// be over before it gets one.
func executeFor(t testing.TB, executable []byte, want, before int, words ...int) (frames []frame, code int) {
	t.Helper()
	for attempt := range 40 {
		time.Sleep(time.Duration(attempt) * 5 * time.Millisecond)
		var log []byte
		log, code = execute(t, executable)
		if frames = readFrames(t, log); code == want && endsIn(frames, before, words) {
			break
		}
	}
	return frames, code
}

func endsIn(frames []frame, before int, words []int) bool {
	if len(words) == 0 {
		return true
	}
	return len(frames) == before+len(words) && slices.EqualFunc(frames[before:], words, func(f frame, n int) bool { return len(f.words) == n })
}

// patience bounds a run. A barrier that gives up yields tens of thousands of times,
// which takes minutes where twenty other processes want the processors.
const patience = 20 * time.Minute

func executeTo(t testing.TB, executable []byte, stdout io.Writer) int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.elf")
	if err := os.WriteFile(path, executable, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path)
	cmd.Env = []string{}
	cmd.Stdout = stdout
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || !exit.Exited()) {
		t.Fatalf("run: %v", err)
	}
	return cmd.ProcessState.ExitCode()
}

// patchSymbol overwrites the code at a symbol.
func patchSymbol(t *testing.T, executable []byte, symbol string, code ...byte) {
	t.Helper()
	f, err := debugelf.NewFile(bytes.NewReader(executable))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == symbol {
			copy(executable[s.Value-f.Progs[0].Vaddr:], code)
			return
		}
	}
	t.Fatalf("no symbol %s", symbol)
}

// replaceOnce overwrites the only occurrence of old.
func replaceOnce(t *testing.T, executable, old, replacement []byte) {
	t.Helper()
	if n := bytes.Count(executable, old); n != 1 {
		t.Fatalf("% x occurs %d times, want once", old, n)
	}
	copy(executable[bytes.Index(executable, old):], replacement)
}

// shape says what random programs look like.
type shape struct {
	threads, ops, locations int
	layout                  gen.Layout
	big                     bool // some constants exceed 32 bits
}

// randomProgram draws operations of all kinds evenly.
func randomProgram(rng *rand.Rand, s shape) *gen.Program {
	p := &gen.Program{Layout: s.layout, Threads: make([][]gen.Op, s.threads)}
	for i := range s.locations {
		p.Locations = append(p.Locations, fmt.Sprintf("x%d", i))
	}
	var constant, addend gen.Value
	kinds := []gen.OpKind{gen.Load, gen.Load, gen.Store, gen.Store, gen.Exchange, gen.FetchAdd, gen.FullFence, gen.Delay}
	for t := range p.Threads {
		for range s.ops {
			op := gen.Op{Kind: kinds[rng.IntN(len(kinds))]}
			if op.Kind.Reads() || op.Kind.Writes() {
				op.Loc = gen.LocID(rng.IntN(s.locations))
			}
			switch op.Kind {
			case gen.Store, gen.Exchange:
				constant++
				if s.big && rng.IntN(10) == 0 {
					constant += 1 << 29
				}
				op.Value = constant
			case gen.FetchAdd:
				addend++
				op.Value = addend
			case gen.Delay:
				op.Value = 1 + gen.Value(rng.IntN(50))
			}
			p.Threads[t] = append(p.Threads[t], op)
		}
	}
	return p
}
