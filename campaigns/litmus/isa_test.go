package litmus

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/check/outcomes"
	"ordeal/gen"
	"ordeal/gen/shapes"
	"ordeal/parse"
	format "ordeal/parse/formats/litmus"
	"ordeal/parse/formats/litmus7"
)

// modelOf is the model of the instruction set of a test.
func modelOf(t *Test) model.Model {
	switch t.Program.ISA {
	case gen.X86:
		return model.TSO
	case gen.AArch64:
		return model.Armv8
	}
	return model.RVWMO
}

// statesOf lists the states of a test that its model allows.
func statesOf(t *testing.T, test *Test) ([]string, error) {
	t.Helper()
	m := modelOf(test)
	if test.Runs() != nil || test.Program.ISA == gen.X86 {
		a, err := enumerate(test, m.Name)
		if err != nil {
			return nil, err
		}
		var states []string
		for _, s := range a.states {
			states = append(states, canonicalText(test, s))
		}
		slices.Sort(states)
		return slices.Compact(states), nil
	}
	list, err := outcomes.Candidates(test.Program, 1<<16, func(h *parse.History) (bool, error) {
		if os.Getenv("ORDEAL_HERD_ZALASR") == "" {
			h = asRiscvCat(test.Program, h)
		}
		v, err := check.Check(t.Context(), h, m, check.Options{})
		if err == nil && v.Answer == check.Unknown && !strings.Contains(v.Reason, "reads from itself") { // no execution does
			err = fmt.Errorf("%s: %s", test.Name, v.Reason)
		}
		return v.Answer == check.Allowed, err
	})
	var states []string
	for i := range list {
		states = append(states, canonicalText(test, test.State(list[i].Reads, list[i].Final).String()))
	}
	slices.Sort(states)
	return slices.Compact(states), err
}

// eachTest calls f for every file of a test below a folder, parsed, or with the reason
// why it is not.
func eachTest(t *testing.T, folder string, f func(path string, parsed *format.Test, err error)) {
	t.Helper()
	must.Succeed(t, filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, Suffix) {
			return err
		}
		data, err := read(path, maxTest)
		must.Succeed(t, err)
		parsed, err := format.Parse(path, data)
		f(path, parsed, err)
		return nil
	}))
}

// TestHerdSuites compares the states that armv8 and rvwmo allow with those that
// herd7 printed for every test below ORDEAL_LITMUS_TESTS that the format can
// express; its output is in ORDEAL_HERD_OUTPUT. ORDEAL_HERD_ZALASR says that herd7 had
// RCsc annotations on plain loads and stores of RISC-V, too: its riscv-defs.cat with
// let RCsc = Acq|Rel|AcqRel.
func TestHerdSuites(t *testing.T) {
	folder, output := os.Getenv("ORDEAL_LITMUS_TESTS"), os.Getenv("ORDEAL_HERD_OUTPUT")
	if folder == "" || output == "" {
		t.Skip("ORDEAL_LITMUS_TESTS and ORDEAL_HERD_OUTPUT name no tests and output of herd7")
	}
	text, err := os.ReadFile(output)
	must.Succeed(t, err)
	results, err := litmus7.Parse(output, text)
	must.Succeed(t, err)
	herd := map[string][]*litmus7.Result{} // a name may be that of several tests
	for i := range results {
		herd[results[i].Test] = append(herd[results[i].Test], &results[i])
	}
	why := map[string]int{}
	compared, both, missing, different, states := 0, 0, 0, 0, 0
	eachTest(t, folder, func(path string, parsed *format.Test, err error) {
		if err != nil {
			reason := err.Error()
			if at := strings.LastIndex(reason, ": "); at >= 0 {
				reason = reason[at+2:]
			}
			why[reason]++
			return
		}
		theirs, ok := herd[parsed.Name]
		if !ok {
			missing++
			return
		}
		if releasesToAcquire(parsed.Program) {
			both++
		}
		test := &Test{Test: parsed, File: path}
		ours, err := statesOf(t, test)
		if err != nil {
			why[err.Error()]++
			return
		}
		var want []string
		for _, result := range theirs {
			want = nil
			for i := range result.States {
				want = append(want, canonical(test, &result.States[i]))
			}
			slices.Sort(want)
			if want = slices.Compact(want); slices.Equal(ours, want) {
				break
			}
		}
		compared++
		states += len(ours)
		if !slices.Equal(ours, want) {
			different++
			if different < 20 {
				t.Errorf("%s:\nonly herd7 allows %q\nonly %s allows %q", path, without(want, ours), modelOf(test).Name, without(ours, want))
			}
		}
	})
	t.Logf("%d tests compared, %d states, %d different; %d without output of herd7", compared, states, different, missing)
	t.Logf("%d tests in which loads that acquire are RCpc by riscv.cat and RCsc by Zalasr", both)
	for reason, n := range why {
		t.Logf("%5d tests not read: %s", n, reason)
	}
}

// asRiscvCat is a history of p in which plain loads of RISC-V that acquire are RCpc, as
// herd7's riscv-defs.cat has them: there only LR, SC and AMOs have RCsc annotations.
// The extension Zalasr, which came later and is what programs here are of, gives them
// to plain loads and stores, too.
func asRiscvCat(p *gen.Program, h *parse.History) *parse.History {
	if p.ISA == gen.AArch64 {
		return h
	}
	view := *h
	view.Ops = slices.Clone(h.Ops)
	origins := parse.NewOrigins(p, h)
	for id := range view.Ops {
		from := origins.Of(parse.OpID(id))
		op := &view.Ops[id]
		if p.Threads[from.Thread][from.Index].Kind == gen.Load && op.Attr&parse.Acquire != 0 {
			op.Attr = op.Attr&^parse.Acquire | parse.AcquirePC
		}
	}
	return &view
}

// releasesToAcquire reports whether a plain store of RISC-V that releases comes before a
// plain load that acquires, by which Zalasr and riscv-defs.cat differ.
func releasesToAcquire(p *gen.Program) bool {
	for _, ops := range p.Threads {
		released := false
		for _, op := range ops {
			released = released || op.Kind == gen.Store && op.Attr&gen.Release != 0
			if released && op.Kind == gen.Load && op.Attr&gen.Acquire != 0 && p.ISA != gen.AArch64 {
				return true
			}
		}
	}
	return false
}

// TestSuiteMachines compares the outcomes that armv8 and rvwmo allow every test below
// ORDEAL_LITMUS_TESTS with those of the operational machines of package outcomes.
func TestSuiteMachines(t *testing.T) {
	folder := os.Getenv("ORDEAL_LITMUS_TESTS")
	if folder == "" {
		t.Skip("ORDEAL_LITMUS_TESTS names no tests")
	}
	compared, large, reached := 0, 0, 0
	eachTest(t, folder, func(path string, parsed *format.Test, err error) {
		if err != nil || parsed.Runs() != nil {
			return
		}
		test := &Test{Test: parsed, File: path}
		m := modelOf(test)
		machine, err := outcomes.Parse(m.Name)
		must.Succeed(t, err)
		machines, err := outcomes.Enumerate(parsed.Program, machine, 1<<22)
		if errors.Is(err, outcomes.ErrLimit) {
			large++
			return
		}
		must.Succeed(t, err)
		checked, err := outcomes.Candidates(parsed.Program, 1<<16, func(h *parse.History) (bool, error) {
			v, err := check.Check(t.Context(), h, m, check.Options{})
			return v.Answer == check.Allowed, err
		})
		if errors.Is(err, outcomes.ErrLimit) {
			large++
			return
		}
		must.Succeed(t, err)
		compared++
		reached += len(machines)
		if !slices.Equal(keysOf(machines), keysOf(checked)) {
			t.Errorf("%s: the machine reaches %d outcomes, %s allows %d", path, len(machines), m.Name, len(checked))
		}
	})
	t.Logf("%d tests compared, %d outcomes; %d are too large", compared, reached, large)
}

func keysOf(list []outcomes.Outcome) (keys []string) {
	for i := range list {
		keys = append(keys, list[i].Key())
	}
	slices.Sort(keys)
	return keys
}

// TestNamedShapes compares cycles that package shapes makes of names with the tests of
// that name below ORDEAL_LITMUS_TESTS, which diy7 made: the same operations, up to
// names of locations.
func TestNamedShapes(t *testing.T) {
	folder := os.Getenv("ORDEAL_LITMUS_TESTS")
	if folder == "" {
		t.Skip("ORDEAL_LITMUS_TESTS names no tests")
	}
	compared, unnamed, lacking := 0, 0, 0
	eachTest(t, folder, func(path string, parsed *format.Test, err error) {
		if err != nil || parsed.Runs() != nil {
			return
		}
		arch := shapes.RISCV
		if parsed.Program.ISA == gen.AArch64 {
			arch = shapes.Arm
		}
		s, err := shapes.Named(parsed.Name, arch)
		if err != nil {
			unnamed++
			return
		}
		for t, ops := range s.Threads { // diy7 observes the order of three writes by loads
			if all := parsed.Program.Threads[t]; len(all) > len(ops) && all[len(ops)].Kind == gen.Load {
				parsed.Program.Threads[t] = all[:len(ops)]
			}
		}
		o := gen.Defaults()
		o.ISA, o.Threads, o.Locations, o.Ops, o.Delays = parsed.Program.ISA, len(s.Threads), s.Locations, s.Longest(), 0
		o.ShapeShare, o.Shapes, o.Layout = 1, []string{parsed.Name}, gen.Spread
		want := operations(parsed.Program)
		for seed := range uint64(50) { // threads are planted in any order, unequal ones with random code
			p, err := gen.Random(rand.New(rand.NewPCG(seed, 0)), o)
			if err != nil && strings.Contains(err.Error(), "has no") {
				lacking++
				return
			}
			must.Succeed(t, err)
			for i := range p.Threads {
				if i < len(parsed.Program.Threads) {
					p.Threads[i] = p.Threads[i][:min(len(p.Threads[i]), len(parsed.Program.Threads[i]))]
				}
			}
			if operations(p) == want {
				compared++
				return
			}
		}
		if strings.HasSuffix(parsed.Name, "+fence.rw.rw+addr-po") { // in two of three tests by a store
			return
		}
		t.Errorf("%s is not\n%s", parsed.Name, parsed.Program)
	})
	t.Logf("%d shapes are the tests of their names, %d tests have other names, %d what the instruction set lacks", compared, unnamed, lacking)
}

// operations are those of a program without values; locations are numbered as they
// come.
func operations(p *gen.Program) string {
	var b strings.Builder
	number := map[gen.LocID]gen.LocID{}
	for _, ops := range p.Threads {
		for _, op := range ops {
			if op.Kind.Reads() || op.Kind.Writes() {
				if _, ok := number[op.Loc]; !ok {
					number[op.Loc] = gen.LocID(len(number))
				}
				op.Loc = number[op.Loc]
			}
			if op.Kind != gen.PartialFence {
				op.Value = 0
			}
			fmt.Fprintf(&b, "%+v;", op)
		}
		b.WriteString("|")
	}
	return b.String()
}
