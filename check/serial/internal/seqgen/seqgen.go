// Package seqgen makes sequences of events for tests: at random, and all
// small ones.
package seqgen

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"ordeal/parse/formats/events"
)

// Shape describes random sequences.
type Shape struct {
	Threads, Variables, Events int
	// Out of 100: reads, fences and updates among the events (the rest are
	// writes); the chance that an event ends its transaction, and that a
	// fence closes it then; the chance that a commit comes rather than
	// another event.
	Read, Fence, Update, End, Close, Commit int
	Trace                                   bool // no commits
	// Drained has all writes committed at the end.
	Drained bool
}

// Names are the names of n threads or variables.
func Names(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = prefix + strconv.Itoa(i)
	}
	return names
}

// Random makes a sequence. Where an update or fence needs an empty buffer, the
// buffer is drained first.
func Random(rng *rand.Rand, o Shape) *events.Sequence {
	b := events.NewBuilder(!o.Trace, Names("P", o.Threads), Names("x", o.Variables))
	inside := make([]bool, o.Threads)
	chance := func(percent int) bool { return rng.IntN(100) < percent }
	for range o.Events {
		t := rng.IntN(o.Threads)
		if !o.Trace && b.Oldest(t) >= 0 && chance(o.Commit) {
			must(b.Commit(t))
			continue
		}
		if !inside[t] {
			must(b.Begin(t))
			inside[t] = true
		}
		kind := events.Write
		switch n := rng.IntN(100); {
		case n < o.Read:
			kind = events.Read
		case n < o.Read+o.Fence:
			kind = events.Fence
		case n < o.Read+o.Fence+o.Update:
			kind = events.Update
		}
		add(b, t, kind, rng.IntN(o.Variables))
		if chance(o.End) {
			if chance(o.Close) {
				add(b, t, events.Fence, -1)
			}
			must(b.End(t))
			inside[t] = false
		}
	}
	if o.Drained && !o.Trace {
		for t := range o.Threads {
			must(b.Drain(t))
		}
	}
	return b.Sequence()
}

func add(b *events.Builder, t int, kind events.Kind, x int) {
	if kind.Drains() {
		must(b.Drain(t))
	}
	must(b.Add(t, kind, x))
}

func must(err error) {
	if err != nil {
		panic(err) // the generator keeps to the rules of the builder
	}
}

// Locked makes a trace whose transactions take locks: each holds the variables
// that it has accessed until it ends, with a fence. Transactions of a thread
// may overlap those of others that access other variables. It is serializable,
// and has no open conflicts but those that the variables from private on bring
// in, which transactions of one event each access without locks and fences.
func Locked(rng *rand.Rand, o Shape, private int) *events.Sequence {
	b := events.NewBuilder(false, Names("P", o.Threads), Names("x", o.Variables))
	holder := make([]int, o.Variables) // thread + 1
	inside := make([]bool, o.Threads)
	n := 0
	end := func(t int) {
		must(b.Add(t, events.Fence, -1))
		must(b.End(t))
		inside[t] = false
		n++
		for x := range holder {
			if holder[x] == t+1 {
				holder[x] = 0
			}
		}
	}
	for n < o.Events {
		t := rng.IntN(o.Threads)
		if inside[t] && rng.IntN(100) < o.End {
			end(t)
			continue
		}
		x := rng.IntN(o.Variables)
		if x >= private && inside[t] || holder[x] != 0 && holder[x] != t+1 {
			continue
		}
		kind := events.Write
		if rng.IntN(100) < o.Read {
			kind = events.Read
		}
		if x < private {
			if !inside[t] {
				must(b.Begin(t))
				inside[t] = true
			}
			holder[x] = t + 1
		}
		must(b.Add(t, kind, x))
		n++
	}
	return b.Sequence()
}

// Step is an event of a program, before it has happened.
type Step struct {
	Kind events.Kind
	Var  int
	// First says that the step begins a transaction; others belong to that
	// of the step before.
	First bool
}

// Program is a straight-line program: the steps of each thread.
type Program [][]Step

// RandomProgram makes a program; Shape.Events counts all its steps.
func RandomProgram(rng *rand.Rand, o Shape) Program {
	p := make(Program, o.Threads)
	o.Trace = true
	s := Random(rng, o)
	last := make(map[int32]int32)
	for _, e := range s.Events {
		tx, ok := last[e.Thread]
		p[e.Thread] = append(p[e.Thread], Step{Kind: e.Kind, Var: int(e.Var), First: !ok || tx != e.Tx})
		last[e.Thread] = e.Tx
	}
	return p
}

// Executions calls visit with every complete execution of the program under
// TSO, all writes committed, until it returns false. With atomic writes are
// committed at once: these are the executions of SC.
func (p Program) Executions(variables int, atomic bool, visit func(*events.Sequence) bool) {
	w := walker{program: p, variables: variables, atomic: atomic, visit: visit, at: make([]int, len(p)), pending: make([]int, len(p))}
	w.walk()
}

// walker walks all interleavings. A choice is a thread, or for its next
// commit the thread's bitwise complement.
type walker struct {
	program   Program
	variables int
	atomic    bool
	visit     func(*events.Sequence) bool
	at        []int
	pending   []int
	choices   []int
	stopped   bool
}

func (w *walker) walk() {
	done := true
	for t, steps := range w.program {
		if w.pending[t] > 0 {
			done = false
			w.pending[t]--
			w.choose(^t)
			w.pending[t]++
		}
		if w.at[t] == len(steps) {
			continue
		}
		done = false
		kind := steps[w.at[t]].Kind
		if kind.Drains() && w.pending[t] > 0 || w.atomic && slices.Max(w.pending) > 0 {
			continue
		}
		w.at[t]++
		if kind == events.Write {
			w.pending[t]++
		}
		w.choose(t)
		if kind == events.Write {
			w.pending[t]--
		}
		w.at[t]--
	}
	if done && !w.stopped {
		w.stopped = !w.visit(w.program.Run(w.variables, w.choices))
	}
}

func (w *walker) choose(choice int) {
	if w.stopped {
		return
	}
	w.choices = append(w.choices, choice)
	w.walk()
	w.choices = w.choices[:len(w.choices)-1]
}

// Run is the execution that a list of choices makes: a thread for its next
// step, the bitwise complement of a thread for its next commit.
func (p Program) Run(variables int, choices []int) *events.Sequence {
	b := events.NewBuilder(true, Names("P", len(p)), Names("x", variables))
	at := make([]int, len(p))
	for _, c := range choices {
		if c < 0 {
			must(b.Commit(^c))
			continue
		}
		step := p[c][at[c]]
		if step.First {
			if at[c] > 0 {
				must(b.End(c))
			}
			must(b.Begin(c))
		}
		at[c]++
		must(b.Add(c, step.Kind, step.Var))
	}
	return b.Sequence()
}

// Fenced is the program with every transaction closed by a fence.
func (p Program) Fenced() Program {
	out := make(Program, len(p))
	for t, steps := range p {
		for i, step := range steps {
			out[t] = append(out[t], step)
			last := i+1 == len(steps) || steps[i+1].First
			if last && step.Kind != events.Fence {
				out[t] = append(out[t], Step{Kind: events.Fence, Var: -1})
			}
		}
	}
	return out
}
