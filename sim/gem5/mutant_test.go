package gem5

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ordeal/sim"
	"ordeal/sim/gem5/fakegem5"
	"ordeal/sim/gem5/tree"
	"ordeal/sim/protocols"
)

// newMutable makes a tree whose build puts the contents of its protocol into
// the settings of a stand-in, and a runner that applies other contents.
func newMutable(t *testing.T, contents string) (r *Runner, root string) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	r = newRunner(t, "", nil)
	root, self := r.options.Tree, r.options.Binary
	protocol := protocols.Folder + "/Small.sm"
	build := fmt.Sprintf(`
settings=$(cat %[1]s)
test "$settings" != broken || { echo no such action; exit 1; }
mkdir -p build
printf '#!/bin/sh\n%[2]s=%%s exec %[3]s "$@"\n' "$settings" > build/gem5
chmod +x build/gem5
`, protocol, fakegem5.Variable, self)
	if err := os.MkdirAll(filepath.Dir(filepath.Join(root, protocol)), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{protocol: "on", "build.sh": build} {
		if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := r.options
	o.Binary = filepath.Join(root, "build", "gem5")
	plain := tree.Tree{Dir: root, Binary: o.Binary, Rebuild: []string{"sh", "build.sh"}}
	err := plain.With(t.Context(), nil, func(_ context.Context, path string) error { return os.Rename(path, path+".kept") })
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(o.Binary+".kept", o.Binary); err != nil {
		t.Fatal(err)
	}
	o.Mutation = Mutation{Changes: []tree.Change{{File: protocol, Contents: []byte(contents)}}, Rebuild: plain.Rebuild}
	if r, err = New(o); err != nil {
		t.Fatal(err)
	}
	return r, root
}

// TestMutant runs mutants that are found, not found, that do not build and
// that are interrupted; the protocol and the binary are as before each time.
func TestMutant(t *testing.T) {
	for _, test := range []struct {
		contents string
		outcome  sim.Outcome
		title    string
	}{
		{"fault=transition", sim.Crash, "invalid transition (IS_I, Inv) of L1Cache"},
		{"slow=0s", sim.Passed, ""},
		{"broken", sim.Infra, "the mutant does not build"},
	} {
		r, root := newMutable(t, test.contents)
		results, err := r.RunBatch(t.Context(), newJobs(t, 2, 2))
		if err != nil {
			t.Fatal(err)
		}
		for _, result := range results {
			if result.Outcome != test.outcome || result.Title != test.title {
				t.Errorf("%s: %+v", test.contents, result)
			}
		}
		asBefore(t, root)
	}
	r, root := newMutable(t, "fault=stubborn")
	ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
	defer cancel()
	if _, err := r.Run(ctx, newJobs(t, 1, 2)[0]); err == nil {
		t.Error("an interrupted run has a result")
	}
	asBefore(t, root)
}

func asBefore(t *testing.T, root string) {
	t.Helper()
	if data, err := os.ReadFile(filepath.Join(root, protocols.Folder, "Small.sm")); err != nil || string(data) != "on" {
		t.Errorf("the protocol is %q, %v", data, err)
	}
	data, err := os.ReadFile(filepath.Join(root, "build", "gem5"))
	if err != nil || !strings.Contains(string(data), fakegem5.Variable+"=on exec") {
		t.Errorf("the binary is %q, %v", data, err)
	}
}

func TestMutantWithoutRebuild(t *testing.T) {
	_, err := New(Options{Binary: "b", Tree: "t", Mutation: Mutation{Changes: []tree.Change{{File: "f"}}}})
	if err == nil || !strings.Contains(err.Error(), "--rebuild is missing") {
		t.Errorf("%v", err)
	}
}

// TestRunDuringMutant waits until the tree is as it should be.
func TestRunDuringMutant(t *testing.T) {
	mutated, root := newMutable(t, "fault=transition")
	plain, err := New(Options{Binary: mutated.options.Binary, Tree: root, Emit: mutated.options.Emit})
	if err != nil {
		t.Fatal(err)
	}
	m := mutated.options.Mutation
	mutant := tree.Tree{Dir: root, Binary: mutated.options.Binary, Rebuild: m.Rebuild}
	err = mutant.With(t.Context(), m.Changes, func(ctx context.Context, _ string) error {
		soon, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
		if result, err := plain.Run(soon, newJobs(t, 1, 2)[0]); err == nil {
			t.Errorf("ran on a mutant: %+v", result)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if result, err := plain.Run(t.Context(), newJobs(t, 1, 2)[0]); err != nil || result.Outcome != sim.Passed {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestHold builds a mutant once for the runs of several runners, and restores the
// tree, also when they fail; another mutant of the tree does not wait for ever.
func TestHold(t *testing.T) {
	r, root := newMutable(t, "fault=transition")
	counted := filepath.Join(root, "builds")
	r.options.Mutation.Rebuild = []string{"sh", "-c", "echo >> builds; sh build.sh"}
	other, err := New(r.options)
	if err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	err = r.Hold(t.Context(), func(ctx context.Context) error {
		for _, runner := range []*Runner{r, other, r} {
			result, err := runner.Run(ctx, newJobs(t, 1, 2)[0])
			if err != nil || result.Outcome != sim.Crash {
				t.Errorf("%+v, %v", result, err)
			}
		}
		o := r.options
		o.Mutation.Changes = nil
		plain, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		if result, err := plain.Run(ctx, newJobs(t, 1, 2)[0]); err != nil || result.Outcome != sim.Infra || !strings.Contains(result.Detail, "another mutant in place") {
			t.Errorf("without the mutant: %+v, %v", result, err)
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Error(err)
	}
	asBefore(t, root)
	if builds, err := os.ReadFile(counted); err != nil || len(builds) != 1 {
		t.Errorf("%d builds, %v", len(builds), err)
	}
	if err := other.Hold(t.Context(), func(context.Context) error { return nil }); err != nil {
		t.Error(err)
	}
	asBefore(t, root)
}
