package robust

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"ordeal/check/serial"
	"ordeal/check/serial/internal/seqgen"
	"ordeal/parse/formats/events"
)

// program makes a random program with few executions.
func program(rng *rand.Rand, fenced bool) (seqgen.Program, int) {
	for {
		p, variables := anyProgram(rng)
		if fenced {
			p = p.Fenced()
		}
		size := 0 // steps and commits
		for _, steps := range p {
			size += len(steps)
			for _, s := range steps {
				if s.Kind == events.Write {
					size++
				}
			}
		}
		if size <= 10 && len(p) == 2 || size <= 9 && rng.IntN(8) == 0 {
			return p, variables
		}
	}
}

// anyProgram makes a random program, every other one around store buffering,
// which few random programs have.
func anyProgram(rng *rand.Rand) (seqgen.Program, int) {
	o := seqgen.Shape{
		Threads: 2, Variables: 2, Events: 3 + rng.IntN(3),
		Read: 50, Fence: rng.IntN(15), Update: rng.IntN(10), End: 20 + rng.IntN(80),
	}
	if rng.IntN(4) == 0 {
		o.Threads, o.Variables = 3, 2+rng.IntN(2)
	}
	p := seqgen.RandomProgram(rng, o)
	if rng.IntN(2) > 0 {
		return p, o.Variables
	}
	p = make(seqgen.Program, 2+rng.IntN(2))
	step := func(kind events.Kind, x int) seqgen.Step {
		return seqgen.Step{Kind: kind, Var: x, First: rng.IntN(2) == 0}
	}
	for t := range p {
		p[t] = append(p[t], step(events.Write, t))
		if len(p) == 3 && t == 2 && rng.IntN(2) == 0 { // a thread in between
			p[t] = []seqgen.Step{step(events.Write, 2), step(events.Write, 0)}
			continue
		}
		if rng.IntN(3) == 0 {
			p[t] = append(p[t], step(events.Kind(1+rng.IntN(2)), rng.IntN(3)))
		}
		p[t] = append(p[t], step(events.Read, (t+1)%len(p)))
	}
	for t := range p {
		p[t][0].First = true
	}
	return p, 3
}

// TestSearch demands of random programs that one of all executions under TSO
// is not equivalent to SC if and only if a search of one of the executions of
// SC finds a violation.
func TestSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 0))
	runs := 1200
	if testing.Short() {
		runs = 150
	}
	counts := map[bool]int{}
	for range runs {
		p, variables := program(rng, false)
		robust := true
		p.Executions(variables, false, func(s *events.Sequence) bool {
			v, err := serial.SCEquivalent(s)
			if err != nil {
				t.Fatal(err)
			}
			robust = v.Serializable
			return robust
		})
		counts[robust]++
		found := false
		p.Executions(variables, true, func(s *events.Sequence) bool {
			v, err := Search(context.Background(), s)
			if err != nil {
				t.Fatalf("%v\n%s", err, s.Text())
			}
			found = v != nil
			return !found
		})
		if found == robust {
			t.Fatalf("robust: %v, violation found: %v in program %v", robust, found, p)
		}
	}
	t.Logf("robust: %v", counts)
	if counts[true] < runs/10 || counts[false] < runs/10 {
		t.Error("the programs are too uniform for a test")
	}
}

// TestFencedPrograms is the statement of Sect. 6.3: a transaction-fenced
// program is serializable under TSO if and only if all its executions of SC are
// serializable and show no violation of robustness.
func TestFencedPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 0))
	runs := 500
	if testing.Short() {
		runs = 60
	}
	var counts [2][2]int // serializable, seen as a violation of robustness only
	for range runs {
		p, variables := program(rng, true)
		serializable := true
		p.Executions(variables, false, func(s *events.Sequence) bool {
			v, err := serial.Decide(serial.TSO, s)
			if err != nil {
				t.Fatal(err)
			}
			serializable = v.Serializable
			return serializable
		})
		clean, classic := true, true
		p.Executions(variables, true, func(s *events.Sequence) bool {
			sc, err := serial.Decide(serial.SC, s)
			violation, searchErr := Search(t.Context(), s)
			if err := errors.Join(serial.Fenced(s), err, searchErr); err != nil {
				t.Fatalf("%v\n%s", err, s.Text())
			}
			classic = classic && sc.Serializable
			clean = clean && sc.Serializable && violation == nil
			return classic
		})
		if clean != serializable {
			t.Fatalf("serializable: %v, clean: %v: program %v", serializable, clean, p)
		}
		i, j := 0, 0
		if serializable {
			i = 1
		}
		if classic {
			j = 1
		}
		counts[i][j]++
	}
	t.Logf("not serializable: %d by SC, %d by robustness alone; serializable: %d", counts[0][0], counts[0][1], counts[1][1])
	for _, c := range [][2]int{{0, 0}, {0, 1}, {1, 1}} {
		if counts[c[0]][c[1]] == 0 {
			t.Errorf("no program with serializable: %v, classic: %v", c[0] == 1, c[1] == 1)
		}
	}
}

func TestErrors(t *testing.T) {
	parse := func(text string) *events.Sequence {
		s, err := events.Parse("test", []byte("ordeal-events 1\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	late := parse("execution\nthreads a\nvariables x y\na write x\na read y\na commit x\n")
	if _, err := Search(context.Background(), late); !errors.Is(err, serial.ErrNotSC) {
		t.Errorf("late commit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Search(ctx, parse("trace\nthreads a\nvariables x y\na write x\na read y\n")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestAccept has the checker refuse executions of other programs.
func TestAccept(t *testing.T) {
	sc := seqgen.Random(rand.New(rand.NewPCG(13, 0)), seqgen.Shape{
		Threads: 2, Variables: 2, Events: 12, Read: 50, End: 50, Trace: true,
	})
	whole, err := (&attack{s: sc}).execution(int32(len(sc.Events)-1), int32(len(sc.Events)-2))
	if err != nil {
		t.Fatal(err)
	}
	if err := accept(sc, whole); err != nil {
		t.Errorf("the execution itself: %v", err)
	}
	if accept(whole, sc) == nil {
		t.Error("more than there is, accepted")
	}
	for i := range whole.Events {
		e := &whole.Events[i]
		if e.Kind == events.Read {
			e.Var = 1 - e.Var
			if accept(sc, whole) == nil {
				t.Errorf("event %d of another variable, accepted", i)
			}
			e.Var = 1 - e.Var
		}
	}
}

// TestStarved: what a thread does after reading a delayed write is not known.
func TestStarved(t *testing.T) {
	head := "ordeal-events 1\ntrace\nthreads a b\nvariables x y\na write x\na read y\n"
	for text, want := range map[string]bool{
		"b write y\nb read x\n":            true,
		"b write y\nb write x\n":           true,
		"b read x\nb write y\nb read x\n":  false,
		"b write y\nb fence\nb update x\n": true,
		"a fence\nb write y\nb read x\n":   true,
		"b read y\nb read x\n":             false,
	} {
		s, err := events.Parse("test", []byte(head+text))
		if err != nil {
			t.Fatal(err)
		}
		v, err := Search(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if got := v != nil; got != want {
			t.Errorf("%q: found %v, want %v", text, got, want)
		}
	}
}
