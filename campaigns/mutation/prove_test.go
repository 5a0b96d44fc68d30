package mutation

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/lab"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/mutate"
)

// TestProve explores mutants of MI whose truth follows from the protocol's text.
func TestProve(t *testing.T) {
	want := map[string]struct {
		truth Truth
		text  string
	}{
		// The request is out and the answer finds no state that waits for it.
		"MI_example/L1Cache/(I,Load)/next:stay": {Refuted, "killed with 2 cores, 1 line in 4 steps: unhandled: "},
		// One access is not completed, and the others go on: only liveness shows it.
		"MI_example/DMA/r_read/skip:device.dataCallback(tbe.DataBlk, address)": {Refuted, ": livelock: "},
		// A word beside the one that is stored.
		"MI_example/L1Cache/(IM,Data)/drop:u_writeDataToCache": {Refuted, "of 2 words"},
		// Two actions that have nothing to do with each other.
		"MI_example/L1Cache/(MI,Writeback_Ack)/swap:o_popForward,k_wakeUp": {Bounded, "no difference in "},
	}
	target, err := Embedded("mi")
	if err != nil {
		t.Fatal(err)
	}
	o := ProveOptions{
		Targets: []Target{target}, MaxStates: 50_000,
		Accept: func(m *mutate.Mutant) bool { _, ok := want[m.ID]; return ok },
	}
	path := filepath.Join(t.TempDir(), "explored.jsonl")
	if o.Stored, err = lab.Open[Proof](path); err != nil {
		t.Fatal(err)
	}
	proofs, err := Prove(t.Context(), o)
	if err != nil || len(proofs) != len(want) {
		t.Fatalf("%d proofs, %v", len(proofs), err)
	}
	for i := range proofs {
		p := &proofs[i]
		if w := want[p.Mutant]; p.Truth != w.truth || !strings.Contains(p.String(), w.text) {
			t.Errorf("%s: %s, want %s", p.Mutant, p, w.text)
		}
	}
	if err := o.Stored.Close(); err != nil {
		t.Fatal(err)
	}

	// What is stored is not explored again: not even the protocol, of which no machine has so few states.
	if o.Stored, err = lab.Open[Proof](path); err != nil {
		t.Fatal(err)
	}
	o.Notef = func(format string, args ...any) { t.Errorf("explored again: "+format, args...) }
	again, err := Prove(t.Context(), o)
	if err := o.Stored.Close(); err != nil {
		t.Fatal(err)
	}
	stored, err2 := os.ReadFile(path)
	if n := strings.Count(string(stored), "\n"); err2 != nil || n != len(want) {
		t.Errorf("%d lines are stored, want %d", n, len(want))
	}
	texts := func(list []Proof) (all []string) {
		for i := range list {
			all = append(all, list[i].Mutant+" "+list[i].String())
		}
		return all
	}
	if err != nil || !slices.Equal(texts(again), texts(proofs)) {
		t.Errorf("%q, %v; want %q", texts(again), err, texts(proofs))
	}

	// A program that kills what exploration kills raises the score.
	results := []Result{{Protocol: "mi", Mutant: "MI_example/L1Cache/(I,Load)/next:stay", Seeds: []Trial{{Killed: true}}}}
	c := Compare(results, proofs)
	if len(c) != 1 || c[0].Of(Refuted) != 3 || c[0].Of(Bounded) != 1 || c[0].Killed[Refuted] != 1 || int(c[0].Score()) != 33 {
		t.Errorf("%+v", c)
	}
	if missed := Missed(results, proofs); len(missed) != 2 {
		t.Errorf("%d mutants missed, want 2", len(missed))
	}
}

// TestProveLimit leaves out the machines that are too large, and says so.
func TestProveLimit(t *testing.T) {
	target, err := Embedded("mi")
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	o := ProveOptions{
		Targets: []Target{target}, MaxStates: 400, Accept: func(m *mutate.Mutant) bool { return false },
		Notef: func(format string, args ...any) { notes = append(notes, format) },
	}
	if proofs, err := Prove(t.Context(), o); err != nil || len(proofs) != 0 {
		t.Errorf("%d proofs, %v", len(proofs), err)
	}
	o.Accept = func(m *mutate.Mutant) bool { return m.ID == "MI_example/L1Cache/(M,Fwd_GETX)/drop:ka_wakeUpAll" }
	proofs, err := Prove(t.Context(), o)
	if err != nil || len(proofs) != 1 || proofs[0].Truth != Bounded || len(notes) == 0 ||
		!regexp.MustCompile(`^[^D]*; 2 cores, 2 lines, DMA up to depth [1-9]$`).MatchString(proofs[0].Machine) {
		t.Errorf("%+v, %v, %q", proofs, err, notes)
	}
	o.MaxStates = 5
	if _, err := Prove(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no machine has at most 5 orbits") {
		t.Errorf("%v", err)
	}
}

// provedMI returns mi, its mutants, its compiled form and the machines that explore it.
func provedMI(t *testing.T) (Target, *mutate.Catalogue, *ruby.Protocol, []*ground) {
	t.Helper()
	target, err := Embedded("mi")
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := mutate.NewCatalogue(target.Tree)
	if err != nil {
		t.Fatal(err)
	}
	protocol, err := ruby.Compile(target.Tree)
	if err != nil {
		t.Fatal(err)
	}
	all, err := grounds(protocol)
	if err != nil {
		t.Fatal(err)
	}
	return target, catalogue, protocol, all
}

// TestLastMachine explores mutants on a ladder of two machines, the second for what the
// first does not kill.
func TestLastMachine(t *testing.T) {
	target, catalogue, protocol, all := provedMI(t)
	if g := all[len(all)-1]; !g.last || g.name != "2 cores, 2 lines, DMA" {
		t.Errorf("the last machine is %s", g.name)
	}
	first := all[0]
	words := all[slices.IndexFunc(all, func(g *ground) bool { return g.config.Words == 2 })]
	for _, c := range []struct {
		mutant    string
		truth     Truth
		machine   string
		maxStates uint64
	}{
		{"MI_example/L1Cache/(I,Load)/next:stay", Refuted, first.name, 0},
		{"MI_example/L1Cache/(IM,Data)/drop:u_writeDataToCache", Refuted, words.name, 0},
		{"MI_example/L1Cache/(MI,Writeback_Ack)/swap:o_popForward,k_wakeUp", Bounded, first.name + "; " + words.name, 0},
		{"MI_example/L1Cache/(IM,Data)/drop:u_writeDataToCache", Bounded, first.name, 200},
	} {
		p := &prover{}
		known := &ladder{}
		for _, g := range []*ground{first, words} {
			if _, err := p.baseline(t.Context(), &target, protocol, g); err != nil {
				t.Fatal(err)
			}
		}
		known.grounds, known.last = []*ground{first}, func() (*ground, error) { return words, nil }
		m, err := catalogue.Find(c.mutant)
		if err != nil {
			t.Fatal(err)
		}
		p.o.MaxStates = c.maxStates
		proof, err := p.prove(t.Context(), &target, catalogue, transitions{}, known, &m)
		if err != nil || proof.Truth != c.truth || proof.Machine != c.machine {
			t.Errorf("%s: %s with %s, %v; want %s with %s", c.mutant, proof.Truth, proof.Machine, err, c.truth, c.machine)
		}
	}
}

// TestLastDepth explores mutants on a last machine with too many states for the protocol: up to a depth.
func TestLastDepth(t *testing.T) {
	for _, c := range []struct {
		levels []uint64
		most   uint64
		want   int
	}{{[]uint64{1, 3, 9, 27}, 13, 3}, {[]uint64{1, 3, 9, 27}, 12, 2}, {[]uint64{1, 3, 9, 27}, 100, 3}, {[]uint64{1, 3}, 0, 1}} {
		if got := depthOf(c.levels, c.most); got != c.want {
			t.Errorf("%d, at most %d: %d, want %d", c.levels, c.most, got, c.want)
		}
	}
	target, catalogue, protocol, all := provedMI(t)
	p := &prover{o: ProveOptions{MaxStates: 4000}}
	last, err := p.lastBaseline(t.Context(), &target, protocol, all[len(all)-1])
	if err != nil || last.depth < 4 {
		t.Fatalf("%+v, %v", last, err)
	}
	for _, c := range []struct {
		mutant string
		truth  Truth
		same   bool
	}{
		{"MI_example/L1Cache/(I,Load)/next:stay", Refuted, false}, // in 4 steps
		{"MI_example/L1Cache/(MI,Writeback_Ack)/swap:o_popForward,k_wakeUp", Bounded, true},
	} {
		m, err := catalogue.Find(c.mutant)
		if err != nil {
			t.Fatal(err)
		}
		mutant, err := ruby.Compile(catalogue.Tree(m))
		if err != nil {
			t.Fatal(err)
		}
		known := &ladder{last: func() (*ground, error) { return last, nil }}
		proof := &Proof{}
		if err := p.decide(t.Context(), proof, mutant, known, nil); err != nil {
			t.Error(err)
		}
		if proof.Truth != c.truth || proof.Same != c.same || !strings.HasSuffix(proof.Machine, last.name) || c.same && proof.States != last.states {
			t.Errorf("%s: %+v", c.mutant, proof)
		}
	}
}
