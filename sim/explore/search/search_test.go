package search

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/sim/explore/machine"
)

// memory is not the same for every size of rounds.
var ignoreMemory = cmpopts.IgnoreFields(Result{}, "SetBytes", "PathBytes", "ComponentBytes", "OmissionProbability", "Coverage")

func run(t *testing.T, m machine.Machine, o Options) (*Search, *Result) {
	t.Helper()
	s, err := New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

// TestReference compares the search with the reference, for several numbers of
// workers and sizes of rounds, with and without symmetry, faults, a graph and
// states in a file.
func TestReference(t *testing.T) {
	for _, c := range []struct {
		processes, places int
		broken, sorted    bool
	}{{1, 2, false, false}, {2, 4, true, false}, {7, 4, false, false}, {7, 4, true, false}, {9, 4, true, true}} {
		toy := newToy(c.processes, c.places, c.broken, c.sorted)
		want := reference(toy)
		for _, o := range []Options{
			{Workers: 1}, {Workers: 3, round: 700}, {Workers: 2, round: 1, Bits: 64}, {Workers: 5, round: 3000, Graph: true},
			{Workers: 4, Memory: 1 << 40},
		} {
			if c.processes == 7 && o.round == 1 {
				continue
			}
			o.KeepGoing = true
			s, got := run(t, toy.Fork(), o)
			if diff := cmp.Diff(want, got, ignoreMemory); diff != "" {
				t.Errorf("%+v, %+v: %s", c, o, diff)
			}
			if got.Limit != NoLimit {
				t.Errorf("%+v: the limit was %s", c, got.Limit)
			}
			for i := range got.Findings {
				path, err := s.Counterexample(&got.Findings[i])
				if err != nil || len(path.Steps) != got.Findings[i].Depth {
					t.Errorf("%+v: a path of %d steps to a finding of depth %d, %v", c, len(path.Steps), got.Findings[i].Depth, err)
				}
			}
			if total := s.coverage()[1].Count; total == 0 {
				t.Errorf("%+v: row 1 was never taken", c)
			}
		}
	}
}

// TestFirstFault ends a search at the first fault, and compares its path for
// several numbers of workers.
func TestFirstFault(t *testing.T) {
	var want string
	for workers := range 4 {
		s, r := run(t, newToy(6, 4, true, false), Options{Workers: workers + 1, round: 50})
		if r.Limit != FaultLimit || len(r.Findings) != 1 {
			t.Fatalf("%d findings, limit %q", len(r.Findings), r.Limit)
		}
		path, err := s.Counterexample(&r.Findings[0])
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, step := range path.Steps {
			lines = append(lines, step.String())
		}
		got := strings.Join(lines, "\n")
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("with %d workers:\n%s\nwith one:\n%s", workers+1, got, want)
		}
	}
}

// TestGraph compares the graph of a search with the steps of its states, and
// follows paths in it.
func TestGraph(t *testing.T) {
	m := newToy(5, 4, false, false)
	s, r := run(t, m, Options{Workers: 3, round: 100, Graph: true})
	g := s.Graph()
	if got := uint64(len(g.Waiting)); got != r.Orbits {
		t.Fatalf("a graph of %d states, want %d", got, r.Orbits)
	}
	for n := range r.Orbits {
		path, err := s.Path(n)
		if err != nil {
			t.Fatal(err)
		}
		var e machine.Expansion
		m.Expand(path.States[len(path.States)-1], &e)
		if from, to := g.Starts[n], g.Starts[n+1]; !slices.Equal(g.Classes[from:to], e.Classes) || g.Waiting[n] != e.Waiting {
			t.Fatalf("state %d: edges %v, want %v", n, g.Classes[from:to], e.Classes)
		}
		for i := range e.Prints {
			target := uint64(g.Targets[g.Starts[n]+uint64(i)])
			if want, _ := s.set.Find(e.Prints[i]); target != want {
				t.Fatalf("state %d: step %d leads to %d, want %d", n, i, target, want)
			}
			if n%50 != 0 {
				continue
			}
			more := &Path{States: path.States[:len(path.States):len(path.States)]}
			if err := s.Follow(more, []uint64{target}); err != nil || m.Fingerprint(more.States[len(more.States)-1]) != e.Prints[i] {
				t.Errorf("state %d: followed to another state than %d: %v", n, target, err)
			}
		}
	}
	if err := s.Follow(&Path{States: []machine.State{m.Initial()}}, []uint64{r.Orbits - 1}); err == nil {
		t.Error("followed a step that is none")
	}
}

// TestLimits ends searches early and continues them: from memory and from a
// checkpoint.
func TestLimits(t *testing.T) {
	m := newToy(7, 4, true, false)
	want := reference(m)
	for _, c := range []struct {
		limit   Limit
		options Options
	}{
		{StateLimit, Options{MaxStates: 1000}}, {StateLimit, Options{MaxStates: 1000, Graph: true}}, {DepthLimit, Options{MaxDepth: 5}}, {MemoryLimit, Options{Memory: 150_000}},
	} {
		c.options.round, c.options.KeepGoing, c.options.Workers = 100, true, 2
		s, r := run(t, m.Fork(), c.options)
		if r.Limit != c.limit || r.Orbits >= want.Orbits {
			t.Fatalf("%s: limit %q after %d states", c.limit, r.Limit, r.Orbits)
		}
		if c.limit == DepthLimit && (r.Depth != 5 || r.Levels[4] != want.Levels[4]) {
			t.Errorf("depth %d, levels %v, want %v", r.Depth, r.Levels, want.Levels)
		}
		var file, again bytes.Buffer
		if err := s.Save(&file, "toy"); err != nil {
			t.Fatal(err)
		}
		if err := s.Save(&again, "toy"); err != nil || !bytes.Equal(file.Bytes(), again.Bytes()) {
			t.Errorf("%s: the second checkpoint differs from the first: %v", c.limit, err)
		}
		other := newToy(7, 4, true, false)
		other.shared.offset = 77 // replaced by what the checkpoint has
		resumed, err := Resume(bytes.NewReader(file.Bytes()), other, "toy", Options{KeepGoing: true, round: 333, Graph: c.options.Graph})
		if err != nil {
			t.Fatal(err)
		}
		got, err := resumed.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if whole, _ := run(t, m.Fork(), Options{KeepGoing: true, Graph: c.options.Graph}); !reflect.DeepEqual(resumed.Graph(), whole.Graph()) {
			t.Errorf("%s: the graph differs from that of a search in one piece", c.limit)
		}
		if diff := cmp.Diff(want, got, ignoreMemory); diff != "" {
			t.Errorf("%s, resumed: %s", c.limit, diff)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestTime ends a search before it begins.
func TestTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s, err := New(newToy(3, 3, false, false), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.Run(ctx); err != nil || r.Limit != Interrupted || r.Orbits != 1 || r.Expanded != 0 {
		t.Errorf("limit %q, %d states, %v", r.Limit, r.Orbits, err)
	}
	if done, err := s.round(ctx); done || err != nil || s.queue.len() != 1 {
		t.Errorf("a round was done: %v, %v", done, err)
	}
}

// TestCorruptCheckpoint changes each part of a checkpoint.
func TestCorruptCheckpoint(t *testing.T) {
	for _, graph := range []bool{false, true} {
		corruptCheckpoint(t, graph)
	}
}

func corruptCheckpoint(t *testing.T, graph bool) {
	t.Helper()
	m := newToy(4, 4, false, false)
	s, _ := run(t, m, Options{MaxStates: 20, round: 10, Graph: graph})
	want := Options{Graph: graph}
	var file bytes.Buffer
	if err := s.Save(&file, "toy"); err != nil {
		t.Fatal(err)
	}
	good := file.Bytes()
	if _, err := Resume(bytes.NewReader(good), newToy(5, 4, false, false), "toy", want); err == nil {
		t.Error("resumed with states of another width")
	}
	if _, err := Resume(bytes.NewReader(good), newToy(4, 4, false, false), "other", want); err == nil {
		t.Error("resumed with another machine")
	}
	if _, err := Resume(bytes.NewReader(good), newToy(4, 4, false, false), "toy", Options{Bits: 64, Graph: graph}); err == nil {
		t.Error("resumed with another length of fingerprints")
	}
	if _, err := Resume(bytes.NewReader(good), newToy(4, 4, false, false), "toy", Options{Graph: !graph}); err == nil {
		t.Error("resumed without its graph, or with one that it does not have")
	}
	random := rand.New(rand.NewPCG(1, 1))
	head := bytes.Index(good, []byte("path-bytes")) + 200
	for i := range 60 {
		bad := bytes.Clone(good)
		at := random.IntN(head)
		if i%4 == 0 {
			at = len(good) - 1 - random.IntN(30)
		}
		bad[at] ^= 1 << random.IntN(8)
		if _, err := Resume(bytes.NewReader(bad), newToy(4, 4, false, false), "toy", want); err == nil {
			t.Errorf("resumed with a change in byte %d of %d", at, len(good))
		}
		if _, err := Resume(bytes.NewReader(good[:at]), newToy(4, 4, false, false), "toy", want); err == nil {
			t.Errorf("resumed from %d bytes of %d", at, len(good))
		}
	}
}

// TestQueue compares a queue with a slice, with few states in memory.
func TestQueue(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 3))
	q := newQueue(2, 3*chunkStates*8)
	var want []uint32
	next, spilt := uint32(0), false
	for round := range 40 {
		for range random.IntN(9000) {
			if err := q.push([]uint32{next, ^next}); err != nil {
				t.Fatal(err)
			}
			want = append(want, next, ^next)
			next++
		}
		n := random.IntN(q.len() + 1)
		if round < 15 {
			n /= 4
		}
		got := make([]uint32, 2*n)
		if err := q.peek(got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want[:2*n]) {
			t.Fatalf("round %d: the first %d states differ", round, n)
		}
		spilt = spilt || q.end > 0
		if n%2 == 0 {
			q.drop(n)
			want = want[2*n:]
		}
		if q.len() != len(want)/2 {
			t.Fatalf("round %d: %d states, want %d", round, q.len(), len(want)/2)
		}
	}
	if !spilt {
		t.Error("no state came to the file")
	}
	var file bytes.Buffer
	if err := q.save(&file); err != nil {
		t.Fatal(err)
	}
	read := newQueue(2, 0)
	if err := read.load(&file, q.len()); err != nil {
		t.Fatal(err)
	}
	got := make([]uint32, len(want))
	if err := read.peek(got); err != nil || !slices.Equal(got, want) {
		t.Errorf("the states differ after save and load: %v", err)
	}
	if err := q.close(); err != nil {
		t.Error(err)
	}
}

// TestPaths compares predecessors with a list.
func TestPaths(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 5))
	var p paths
	type entry struct {
		parent  uint64
		ordinal uint16
	}
	list := []entry{{}}
	p.add(0, 0)
	for len(list) < 20_000 {
		e := entry{min(list[len(list)-1].parent+uint64(random.IntN(3)*random.IntN(8)), uint64(len(list)-1)), uint16(random.IntN(40))}
		if random.IntN(100) == 0 {
			e.ordinal = uint16(random.Uint32())
		}
		list = append(list, e)
		p.add(e.parent, e.ordinal)
	}
	check := func(p *paths) {
		t.Helper()
		for range 2000 {
			n := random.IntN(len(list))
			if parent, ordinal := p.get(uint64(n)); (entry{parent, ordinal}) != list[n] {
				t.Fatalf("state %d: %d by step %d, want %v", n, parent, ordinal, list[n])
			}
		}
	}
	check(&p)
	var again paths
	if err := again.restore(p.data, p.n); err != nil {
		t.Fatal(err)
	}
	check(&again)
	for _, n := range []uint64{p.n - 1, p.n + 1} {
		if err := again.restore(p.data, n); err == nil {
			t.Errorf("restored %d of %d states", n, p.n)
		}
	}
	if share := float64(p.bytes()) / float64(p.n); share > 2 {
		t.Errorf("%.2f bytes for a state", share)
	}
}

// TestEstimate holds the estimate for a search of which the sizes of the levels
// are known: binomial coefficients, whose sum is a power of two, as they are and with
// levels that are larger and smaller by turns.
func TestEstimate(t *testing.T) {
	levels := []uint64{1}
	const n = 40
	for k := range uint64(n) {
		levels = append(levels, levels[k]*(n-k)/(k+1))
	}
	for _, done := range []int{16, 20, 28} {
		if got := float64(estimate(levels[:done])) / (1 << n); got < 0.4 || got > 2.5 {
			t.Errorf("after %d levels the estimate is %.2f of the number of states", done, got)
		}
	}
	uneven, sum := slices.Clone(levels), 0.0
	for k := range uneven {
		uneven[k] = uneven[k]*uint64(10+[]int{10, 0, -5, 0}[k%4])/10 + 1
		sum += float64(uneven[k])
	}
	for done := 18; done < 28; done++ {
		if got := float64(estimate(uneven[:done])) / sum; got < 0.3 || got > 3 {
			t.Errorf("after %d uneven levels the estimate is %.2f of the number of states", done, got)
		}
	}
	if got := estimate([]uint64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}); got != 0 {
		t.Errorf("an estimate of %d for levels that double", got)
	}
}

// fragile panics when it expands a state; so do its forks.
type fragile struct{ machine.Machine }

func (f fragile) Fork() machine.Machine                    { return fragile{f.Machine.Fork()} }
func (f fragile) Expand(machine.State, *machine.Expansion) { panic("out of order") }

// TestPanic has a worker panic: the caller of Run can recover that.
func TestPanic(t *testing.T) {
	s, err := New(fragile{newToy(2, 3, false, false)}, Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if p := recover(); !strings.Contains(fmt.Sprint(p), "out of order") {
			t.Errorf("recovered %v", p)
		}
	}()
	_, err = s.Run(context.Background())
	t.Errorf("no panic, but %v", err)
}

// TestWorkers asks for more workers than can have anything to do, each of which would have a machine of its own.
func TestWorkers(t *testing.T) {
	s, err := New(newToy(2, 3, false, false), Options{Workers: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.workers); n < 16 || n > 16*runtime.GOMAXPROCS(0) {
		t.Errorf("%d workers", n)
	}
}
