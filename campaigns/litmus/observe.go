package litmus

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/campaigns/run"
	"ordeal/check/outcomes"
	"ordeal/gen"
	"ordeal/parse"
	format "ordeal/parse/formats/litmus"
	"ordeal/parse/formats/litmus7"
	"ordeal/sim"
)

// observation is an outcome that was seen.
type observation struct {
	state     format.State
	outcome   string
	count     uint64
	forbidden bool
	dir       string
	witness   string
}

// observe counts the outcomes of a run and returns the forbidden ones that are
// new, or why the run has none.
func (x *experiment) observe(p *gen.Program, res *sim.Result) (fresh []*observation, failure *Failure) {
	if res.Outcome != sim.Passed {
		return nil, &Failure{Outcome: res.Outcome, Title: res.Title, Detail: res.Detail}
	}
	_, err := parse.Native(p, x.size.repetitions, res.Log)
	if err != nil {
		outcome, title := run.LogFailure(err)
		return nil, &Failure{Outcome: outcome, Title: title, Detail: err.Error()}
	}
	log, err := parse.ReadLogged(p, x.size.repetitions, res.Log)
	if err != nil {
		return nil, &Failure{Outcome: sim.Corrupt, Title: "the log cannot be read", Detail: err.Error()}
	}
	v := newViewer(x.test.Test, p, log, x.size)
	var key []byte
	for r := range x.size.repetitions {
		for i := range x.size.copies {
			reads, final := v.round(r, i)
			if final == nil && x.test.NeedsFinal {
				continue
			}
			key = (&outcomes.Outcome{Reads: reads, Final: final}).AppendKey(key[:0])
			s := x.seen[string(key)]
			if s == nil {
				s = &observation{state: x.test.State(reads, final), outcome: x.describe(reads, final)}
				if final != nil {
					s.forbidden = !x.allowed.full[string(key)]
				} else {
					s.forbidden = !x.allowed.reads[string(key)]
				}
				x.seen[string(key)] = s
				x.order = append(x.order, s)
				if s.forbidden {
					fresh = append(fresh, s)
				}
			}
			s.count++
			x.report.Rounds++
		}
	}
	return fresh, nil
}

// viewer reads rounds off the log of a run.
type viewer struct {
	log        *parse.Logged
	size       size
	test       *gen.Program
	reads      [][]gen.Value // of the current round, by thread
	last       []gen.Value   // memory at the end of it
	stride     gen.Value     // of the program
	testStride gen.Value
	before     []int // of each thread, reads that precede the copies
	copied     []int // of each thread, reads of a copy
	each       []int // of each thread, reads of a repetition
}

func newViewer(t *format.Test, p *gen.Program, log *parse.Logged, s size) *viewer {
	threads := len(t.Program.Threads)
	v := &viewer{
		log: log, size: s, test: t.Program, stride: p.Stride(), testStride: t.Program.Stride(),
		reads: make([][]gen.Value, threads), last: make([]gen.Value, len(t.Program.Locations)),
		before: make([]int, threads), copied: make([]int, threads), each: make([]int, threads),
	}
	if s.observe {
		for l := range p.Locations {
			v.before[l%threads]++
		}
	}
	for thread := range t.Program.Threads {
		v.copied[thread] = t.Program.Reads(gen.ThreadID(thread))
		v.each[thread] = v.before[thread] + s.copies*v.copied[thread]
	}
	return v
}

// round is what copy i showed in repetition r, in terms of the test: values of
// memory are nil where they are not known. The results are good until the
// next call.
func (v *viewer) round(r, i int) (reads [][]gen.Value, final []gen.Value) {
	for t, ops := range v.test.Threads {
		v.reads[t] = v.reads[t][:0]
		next := r*v.each[t] + v.before[t] + i*v.copied[t]
		for _, op := range ops {
			if !op.Kind.Reads() {
				continue
			}
			value := v.log.Reads[t].At(next)
			if op.Kind != gen.StoreConditional { // its result is no value of memory
				value = v.value(r, i, value)
			}
			v.reads[t] = append(v.reads[t], value)
			next++
		}
	}
	last := r == v.size.repetitions-1
	if !last && !v.size.observe || last && v.log.Final == nil {
		return v.reads, nil
	}
	for l := range v.last {
		loc := i*len(v.last) + l
		var value gen.Value
		if last {
			value = v.log.Final.At(loc)
		} else if value = v.observed(r+1, loc); value >= gen.Value(r+1)*v.stride {
			return v.reads, nil // another thread was faster with its next store
		}
		v.last[l] = v.value(r, i, value)
	}
	return v.reads, v.last
}

// observed is the value that a thread saw in a location before its part of a
// repetition: what the one before left, or a store of this one.
func (v *viewer) observed(r, loc int) gen.Value {
	threads := len(v.before)
	t := loc % threads
	return v.log.Reads[t].At(r*v.each[t] + loc/threads)
}

// value is a value in terms of the test. What was there before the repetition
// is initial: 0.
func (v *viewer) value(r, i int, value gen.Value) gen.Value {
	base := gen.Value(r) * v.stride
	if value < base {
		return 0
	}
	// A value of another copy would be one of another location, which the
	// parser refuses; one of a later repetition is left as it is, and so
	// forbidden.
	value -= base
	if first := gen.Value(i) * v.testStride; value >= first {
		value -= first
	}
	return value
}

// States reads the rounds of a run of the test's program off its log; between rounds
// the threads must have met, so that what a round finds in memory is final. Where
// memory at the end is asked for, only the last round has a state, and none if the log
// does not have it.
func States(t *format.Test, log *parse.Logged, rounds int) (states []format.State) {
	v := newViewer(t, t.Program, log, size{copies: 1, repetitions: rounds})
	for r := range rounds {
		if reads, final := v.round(r, 0); final != nil || !t.NeedsFinal {
			states = append(states, t.State(reads, final))
		}
	}
	return states
}

// describe is an outcome in words: what each load returned, and memory.
func (x *experiment) describe(reads [][]gen.Value, final []gen.Value) string {
	p := x.test.Program
	var parts []string
	for t, ops := range p.Threads {
		k := 0
		for _, op := range ops {
			if op.Kind.Reads() {
				parts = append(parts, fmt.Sprintf("P%d reads %s=%d", t, p.Locations[op.Loc], x.test.Value(op.Loc, reads[t][k])))
				k++
			}
		}
	}
	for l, v := range final {
		parts = append(parts, fmt.Sprintf("[%s]=%d", p.Locations[l], x.test.Value(gen.LocID(l), v)))
	}
	return strings.Join(parts, "; ")
}

var kinds = map[format.Quantifier]litmus7.Kind{
	format.Exists: litmus7.Allowed, format.NotExists: litmus7.Forbidden, format.Forall: litmus7.Required,
}

func (x *experiment) finish() {
	t, r := x.test, &x.report
	r.Allowed = len(x.allowed.states)
	r.Result = litmus7.Result{
		Test: t.Name, Kind: kinds[t.Quantifier], Time: r.Elapsed.Truncate(1e7),
		Condition: t.Quantifier.String() + " " + parenthesized(t.Condition.String()),
		Info:      []string{"Model=" + x.model.Name, "Simulator=" + x.o.Sim},
	}
	states := make(map[string]int)
	for _, s := range x.order {
		text := s.state.String()
		at, known := states[text]
		if !known {
			at = len(r.Result.States)
			states[text] = at
			state := litmus7.State{Witness: s.state.Holds() != (t.Quantifier == format.Forall)}
			for i, v := range t.Seen {
				state.Values = append(state.Values, litmus7.Binding{Name: v.String(), Value: fmt.Sprint(s.state.Values[i])})
			}
			r.Result.States = append(r.Result.States, state)
			if _, ok := slices.BinarySearch(x.allowed.states, text); ok {
				r.AllowedSeen++
			}
		}
		r.Result.States[at].Count += s.count
		if s.forbidden {
			r.Forbidden = append(r.Forbidden, Forbidden{State: text, Outcome: s.outcome, Count: s.count, Witness: s.witness, Dir: s.dir})
		}
	}
	slices.SortFunc(r.Result.States, func(a, b litmus7.State) int { return strings.Compare(a.String(), b.String()) })
	r.Result.Tally()
}

func parenthesized(c string) string {
	if strings.HasPrefix(c, "(") {
		return c
	}
	return "(" + c + ")"
}
