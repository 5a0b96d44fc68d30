package agent

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// toy compiles testdata/toy.cc with the models, after replacing a text in them.
func toy(t *testing.T, replaced ...string) string {
	t.Helper()
	compiler := os.Getenv("CXX")
	for _, name := range []string{"c++", "g++", "clang++"} {
		if path, err := exec.LookPath(name); err == nil && compiler == "" {
			compiler = path
		}
	}
	if compiler == "" {
		t.Skip("no C++ compiler (c++, g++, clang++ or $CXX): the tester's models are not tested")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../../scripts/gem5/extras")); err != nil {
		t.Fatal(err)
	}
	if len(replaced) > 0 {
		file := filepath.Join(dir, "ordeal/models.hh")
		text, err := os.ReadFile(file)
		if err != nil || strings.Count(string(text), replaced[0]) != 1 {
			t.Fatalf("models.hh has not %q once (%v)", replaced[0], err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), replaced[0], replaced[1], 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	binary, warnings := filepath.Join(dir, "toy"), "-Werror"
	if len(replaced) > 0 {
		warnings = "-w"
	}
	out, err := exec.Command(compiler, "-std=c++17", "-O0", "-Wall", "-Wextra", warnings, "-I", dir, "testdata/toy.cc", "-o", binary).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, out)
	}
	return binary
}

// write writes the image of a program for a launch.
func write(t *testing.T, p *gen.Program, rounds int, seed uint64, o Options) (*Image, string) {
	t.Helper()
	m, err := New([]*gen.Program{p}, rounds, seed, o, "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(path, m.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return m, path
}

// TestModelsMatchEmbedded answers the accesses of an embedded core and of the tester's core one
// by one, takes lines from both, and compares at each step what they ask of memory, and at
// the end what they read and what memory holds. That no step is missed needs no times: both are
// left alone until they come to rest.
func TestModelsMatchEmbedded(t *testing.T) {
	binary := toy(t)
	for seed := range uint64(60) {
		if err := match(t, binary, seed); err != nil {
			t.Fatal(err)
		}
	}
}

// TestModelsDiffer is that TestModelsMatchEmbedded finds faults of a model.
func TestModelsDiffer(t *testing.T) {
	for from, to := range map[string]string{
		"s.again = true;": "", // loads keep what they have read
		"w.value += old;": "", // an addition in two accesses forgets the sum
	} {
		binary := toy(t, from, to)
		found := false
		for seed := uint64(0); seed < 60 && !found; seed++ {
			found = match(t, binary, seed) != nil
		}
		if !found {
			t.Errorf("%q in place of %q makes no difference", to, from)
		}
	}
}

// match compares the two on one program; the error is a difference.
func match(t *testing.T, binary string, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 0))
	o := gen.Defaults()
	o.Threads, o.Ops, o.Locations, o.Delays, o.Mix = 1, 30, 4, 0.1, gen.Mix{Load: 50, Store: 30, Exchange: 6, Add: 6, Fence: 8}
	o.Layout = gen.Pairs
	program, err := gen.Random(rng, o)
	if err != nil {
		t.Fatal(err)
	}
	kind, way := int(seed%3), int(seed/3%3)
	const rounds = 3
	image, path := write(t, program, rounds, seed, Options{Model: models[kind], RMW: rmws[way], Window: 8, Buffer: 3})
	h := newHand(program, rounds, core.Config{
		Kind: []core.Kind{core.InOrder, core.TSO, core.OOO}[kind], RMW: []core.RMW{core.OneAccess, core.Locked, core.LinkedLoad}[way],
		Window: 8, Buffer: 3, Seed: seed,
	})
	cmd := exec.Command(binary, path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		in.Close()
		cmd.Wait()
	}()
	text := bufio.NewScanner(out)
	contents := map[memory.Addr]memory.Block{} // by the accesses of the tester
	ask := func(format string, args ...any) error { _, err := fmt.Fprintf(in, format+"\n", args...); return err }
	for step := 0; ; step++ {
		values, ended, err := under(text)
		if err != nil {
			return fmt.Errorf("seed %d, step %d: %w", seed, step, err)
		}
		h.settle(t)
		names := slices.Sorted(maps.Keys(values))
		if want := h.names(); !slices.Equal(want, names) || ended != h.ended {
			return fmt.Errorf("seed %d (%s, %s), step %d: the tester asks for %q (ended: %v), the embedded core for %q (%v)", seed, models[kind], rmws[way], step, names, ended, want, h.ended)
		}
		if ended || step == 2000 {
			break
		}
		if rng.IntN(4) == 0 || len(names) == 0 {
			line := (memory.Base + memory.Addr(program.Offset(gen.LocID(rng.IntN(len(program.Locations)))))).Line()
			h.core.Evict(line)
			err = ask("evict %d", line)
		} else {
			name := names[rng.IntN(len(names))]
			fails := name[0] == 's' && rng.IntN(3) == 0
			h.answer(name, fails)
			if fails {
				err = ask("fail %s", name)
			} else {
				_, number, _ := strings.Cut(name, " ")
				var line memory.Addr
				fmt.Sscan(number, &line)
				b := contents[line]
				err = ask("answer %s %s", name, strings.Trim(fmt.Sprint(b), "[]"))
				v := values[name]
				switch word := &b[v.at.Word()]; {
				case v.adds:
					*word += v.data
				case strings.Contains("W-sA", name[:1]):
					*word = v.data
				}
				contents[line] = b
			}
		}
		if err != nil {
			return err
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = image.Read(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	head := image.Words[headerWords] + programWords
	if got := image.values(image.Words[head+logAt], image.Words[head+readAt]); !slices.Equal(got, h.thread.Reads()) {
		return fmt.Errorf("seed %d: the tester's core has read %v, the embedded one %v", seed, got, h.thread.Reads())
	}
	for line, b := range h.contents {
		if contents[line] != *b {
			return fmt.Errorf("seed %d: the tester left %d at %#x, the embedded core %d", seed, contents[line], line, *b)
		}
	}
	return nil
}

// written has the value that an access writes or adds.
type written struct {
	at   memory.Addr
	data uint64
	adds bool
}

// under reads the accesses in flight that the tester's core has printed, by name and line.
func under(text *bufio.Scanner) (values map[string]written, ended bool, err error) {
	values = map[string]written{}
	for text.Scan() {
		fields := strings.Fields(text.Text())
		if len(fields) < 4 {
			return values, text.Text() == "ended", nil
		}
		v := written{adds: fields[3] == "3"} // Command::Add
		fmt.Sscan(fields[1]+" "+fields[2], &v.at, &v.data)
		values[fmt.Sprintf("%s %d", fields[0], v.at.Line())] = v
	}
	return nil, false, cmp.Or(text.Err(), io.ErrUnexpectedEOF)
}

// hand is a port of an embedded core whose accesses are answered by hand.
type hand struct {
	queue    *event.Queue
	core     core.Core
	thread   *core.Thread
	underWay []memory.Request
	contents map[memory.Addr]*memory.Block
	ended    bool
}

func newHand(p *gen.Program, rounds int, c core.Config) *hand {
	h := &hand{queue: event.New(event.FIFO, 0), contents: map[memory.Addr]*memory.Block{}}
	h.thread = core.NewThread(p, 0, rounds, core.NewWriteOrder(p, rounds))
	h.core = core.New(h.queue, c, h.thread, h, func() { h.ended = true })
	return h
}

func (h *hand) Attach(memory.Client)                    {}
func (h *hand) Join(memory.Client) uint8                { return 1 }
func (h *hand) Oldest() (memory.Addr, event.Tick, bool) { return 0, 0, false }

func (h *hand) Access(r memory.Request) bool {
	h.underWay = append(h.underWay, r)
	return true
}

func (h *hand) settle(t *testing.T) {
	if err := h.queue.Run(1_000_000); err != nil || h.queue.Waiting() > 0 {
		t.Fatalf("the embedded core does not come to rest: %v", err)
	}
}

func name(r memory.Request) string {
	text := "R"
	switch {
	case r.Atomic:
		text = "A"
	case r.Lock != memory.NoLock:
		text = [...]string{memory.TakeLock: "+", memory.ReleaseLock: "-", memory.LoadLinked: "l", memory.StoreConditional: "s"}[r.Lock]
	case r.Write:
		text = "W"
	}
	return fmt.Sprintf("%s %d", text, r.Line)
}

// names lists the accesses in flight, each name once.
func (h *hand) names() (names []string) {
	for _, r := range h.underWay {
		names = append(names, name(r))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// answer ends all accesses of a name.
func (h *hand) answer(which string, fails bool) {
	all := h.underWay
	h.underWay = nil
	for _, r := range all {
		switch {
		case name(r) != which:
			h.underWay = append(h.underWay, r)
		case fails:
			h.core.(memory.Conditional).Fail(r.Tag)
		default:
			if h.contents[r.Line] == nil {
				h.contents[r.Line] = new(memory.Block)
			}
			h.core.Perform(r.Tag, h.contents[r.Line])
		}
	}
}
