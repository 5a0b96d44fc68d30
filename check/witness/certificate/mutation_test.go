package certificate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/check/witness/certificate"
	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

// draw makes a history of lo to hi operations: what a machine did, perhaps with
// a few reads changed.
func draw(rng *rand.Rand, lo, hi int) *parse.History {
	machines := []model.Model{model.SC, model.TSO, model.PSO, model.RMO}
	p := histgen.Params{
		Threads: 2 + rng.IntN(3), Ops: lo + rng.IntN(hi-lo+1), Locations: 1 + rng.IntN(3), Writes: 0.3 + 0.3*rng.Float64(),
		RMWs: 0.2 * float64(rng.IntN(2)), Fences: 0.2 * float64(rng.IntN(2)), Mask: parse.FenceMask(1 + rng.IntN(15)),
		Deps: 0.5 * float64(rng.IntN(2)), Burst: 1 + rng.IntN(4), Depth: 1 + rng.IntN(8),
	}
	run := histgen.Machine(rng, machines[rng.IntN(len(machines))], p)
	h := run.History
	switch rng.IntN(8) {
	case 0:
		h = histgen.Random(rng, p)
	case 1, 2, 3:
		h = histgen.Mutate(rng, run, 1+rng.IntN(3))
	case 4:
		h.StoreOrder = h.Writes(run.Order)
	case 5:
		h.Final = histgen.Final(h, run.Order)
	}
	return h
}

// history is a small history, or every 20th time one whose refutation splits
// cases under the models with a global memory order.
func history(rng *rand.Rand, i int) *parse.History {
	switch i % 40 {
	case 19:
		h, _ := histgen.SplitNeeded()
		return h
	case 39:
		var clauses [][3]int // all of three variables, which exclude all values
		for signs := range 8 {
			c := [3]int{1, 2, 3}
			for v := range c {
				if signs>>v&1 == 1 {
					c[v] = -c[v]
				}
			}
			clauses = append(clauses, c)
		}
		return histgen.FromCNF(clauses, false)
	}
	return draw(rng, 4, 9)
}

// allowed is what brute force says of a small history, and the checker of
// others.
func allowed(t testing.TB, h *parse.History, m model.Model) bool {
	t.Helper()
	if len(h.Ops) < 12 {
		return brute.Allowed(h, m)
	}
	v, err := check.Check(t.Context(), h, m, check.Options{})
	if err != nil || v.Answer == check.Unknown {
		t.Fatal(v.Reason, err)
	}
	return v.Answer == check.Allowed
}

// text is a history in the notation of package axe, and the same as it is read
// again.
func text(t testing.TB, h *parse.History) (string, *parse.History) {
	t.Helper()
	plain := *h // names that the notation has
	plain.ThreadNames, plain.Locations = nil, nil
	for i := range h.Threads() {
		plain.ThreadNames = append(plain.ThreadNames, fmt.Sprint(i))
	}
	for x := range h.Locations {
		plain.Locations = append(plain.Locations, fmt.Sprint(x))
	}
	h = &plain
	var b strings.Builder
	if err := axe.Write(&b, h); err != nil {
		t.Fatal(err)
	}
	trace, err := axe.NewReader(strings.NewReader(b.String()), "h").Next()
	if err != nil || trace.Err != nil {
		t.Fatal(err, trace.Err)
	}
	return b.String(), trace.History
}

// certify decides a history under all models, by Classify or by procedures at
// random.
func certify(t testing.TB, rng *rand.Rand, h *parse.History) *certificate.Trace {
	t.Helper()
	if rng.IntN(2) == 0 {
		class, err := check.Classify(t.Context(), h, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return certificate.New("h", h, class.Verdicts)
	}
	var verdicts []check.Verdict
	procedures := check.Procedures()
	for _, m := range model.All() {
		p := procedures[rng.IntN(len(procedures))]
		if !p.Supports(m) || len(h.Ops) > 12 {
			p = procedures[0]
		}
		v, err := check.Check(t.Context(), h, m, check.Options{Procedure: p.Name})
		if err != nil {
			t.Fatal(err)
		}
		verdicts = append(verdicts, v)
	}
	return certificate.New("h", h, verdicts)
}

// generic is a certificate as maps and slices.
func generic(t testing.TB, c *certificate.Trace) map[string]any {
	t.Helper()
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// slot is a place in a value of JSON: get and set work on what is there.
type slot struct {
	value any
	set   func(any)
}

// slots lists the places below a value.
func slots(v any, out []slot) []slot {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			out = slots(v[k], append(out, slot{v[k], func(x any) { v[k] = x }}))
		}
	case []any:
		for i := range v {
			out = slots(v[i], append(out, slot{v[i], func(x any) { v[i] = x }}))
		}
	}
	return out
}

// clone copies a value.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = clone(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = clone(x)
		}
		return out
	}
	return v
}

var words = []string{
	"init", "ppo", "fence", "dependency", "reads-from", "own-store", "coherence", "from-init", "from-read", "final", "A", "B", "assumed", "store-order",
	"sc", "tso", "pso", "rmo", "cc", "ccv", "cm", "ccm", "wccm", "wsc", "wtso", "wpso", "allowed", "forbidden", "", "\x00",
}

// mutate changes one place of a value, to something of the same kind mostly.
func mutate(rng *rand.Rand, v any, others []slot) {
	all := slots(v, nil)
	s := all[rng.IntN(len(all))]
	splits := slices.DeleteFunc(slices.Clone(all), func(s slot) bool {
		m, _ := s.value.(map[string]any)
		return m["first"] == nil
	})
	if len(splits) > 0 && rng.IntN(4) == 0 { // they are few among many edges
		s = splits[rng.IntN(len(splits))]
	}
	if rng.IntN(20) == 0 {
		s.set([]any{nil, json.Number("-1"), json.Number("4294967296"), json.Number("1.5"), "init", []any{}, map[string]any{}, true}[rng.IntN(8)])
		return
	}
	if rng.IntN(10) == 0 {
		s.set(clone(others[rng.IntN(len(others))].value))
		return
	}
	switch x := s.value.(type) {
	case json.Number:
		n, _ := x.Int64() // of a certificate
		s.set(json.Number(fmt.Sprint(n + []int64{-2, -1, 1, 2}[rng.IntN(4)])))
	case string:
		s.set(words[rng.IntN(len(words))])
	case []any:
		switch i := rng.IntN(len(x) + 1); {
		case len(x) == 0:
			s.set([]any{[]any{json.Number("0"), json.Number("0")}})
		case i == len(x):
			s.set(append(slices.Clone(x), clone(x[rng.IntN(len(x))])))
		case rng.IntN(2) == 0:
			s.set(slices.Delete(slices.Clone(x), i, i+1))
		default:
			j := rng.IntN(len(x))
			x[i], x[j] = x[j], x[i]
		}
	case map[string]any:
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		if len(keys) == 0 {
			return
		}
		a, b := keys[rng.IntN(len(keys))], keys[rng.IntN(len(keys))]
		if x[a], x[b] = x[b], x[a]; a == b {
			delete(x, a)
		}
	}
}

// python runs verify.py on traces and certificates, given as pairs, and returns
// what it says of each verdict, one word each.
func python(t *testing.T, pairs []any) [][]string {
	t.Helper()
	const script = `import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, ".")
import verify
for line in sys.stdin:
    trace, cert = json.loads(line)
    try: print(json.dumps([r[2].split(":")[0] for r in verify.verify(trace.splitlines(), cert)]))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError): print(json.dumps(["refused"] * 12))
`
	path, err := exec.LookPath("python3")
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("there is no python3")
	}
	var in, stderr bytes.Buffer
	for _, p := range pairs {
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(data, '\n'))
	}
	cmd := exec.CommandContext(t.Context(), path, "-c", script)
	cmd.Stdin, cmd.Stderr, cmd.Env = &in, &stderr, append(os.Environ(), "PYTHONHASHSEED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var said [][]string
	for line := range bytes.Lines(out) {
		var words []string
		if err := json.Unmarshal(line, &words); err != nil {
			t.Fatal(err)
		}
		said = append(said, words)
	}
	return said
}

// verified is what this package says of each verdict in the words of verify.py;
// all are refused where the certificate is as a whole. There are none where it
// has a value of another type than the format says, which Python may overlook
// where the evidence does not need it.
func verified(h *parse.History, data []byte) []string {
	words := slices.Repeat([]string{"refused"}, 12)
	c := new(certificate.Trace)
	if json.Unmarshal(data, c) != nil {
		return nil
	}
	results, err := c.Verify(h)
	if err != nil {
		return words
	}
	words = words[:0]
	for _, r := range results {
		switch {
		case r.Err != nil:
			words = append(words, "refused")
		case r.Proved:
			words = append(words, "proved")
		default:
			words = append(words, "open")
		}
	}
	return words
}

// A refutation found by SAT has leaves that stand below several splits, not all of
// them numbered before the leaf where it is met first.
func TestSharedLeaves(t *testing.T) {
	var pairs []any
	shared := 0
	for seed := range uint64(2) {
		_, h := text(t, histgen.FromCNF(histgen.RandomCNF(rand.New(rand.NewPCG(seed, 18)), 24, 150), false))
		v, err := check.Check(t.Context(), h, model.SC, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if v.Answer == check.Allowed {
			continue
		}
		places := 0
		for n := range v.Refutation.Nodes() {
			if n.First != nil {
				places += 2
			}
		}
		c := certificate.New("h", h, []witness.Verdict{v})
		if len(c.Verdicts[0].Refutation.Nodes) < places+1 {
			shared++
		}
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if got := verified(h, data); !slices.Equal(got, []string{"proved"}) {
			t.Errorf("seed %d: %v", seed, got)
		}
		trace, _ := text(t, h)
		pairs = append(pairs, []any{trace, generic(t, c)})
	}
	if shared == 0 {
		t.Error("no leaf is shared")
	}
	for seed, words := range python(t, pairs) {
		if !slices.Equal(words, []string{"proved"}) {
			t.Errorf("seed %d, by verify.py: %v", seed, words)
		}
	}
}

// TestMutations checks certificates and mutations of them by this package and by
// verify.py. They agree, all that is not mutated is proved but what has no answer,
// and no answer is proved that brute force does not give.
func TestMutations(t *testing.T) {
	n := scale.Of(200, 200, 10_000)
	var pairs []any
	var want [][]string
	var checks []func([]string)
	var others []slot
	proved := map[string]int{}
	for i := range n {
		rng := rand.New(rand.NewPCG(uint64(i), 17))
		trace, h := text(t, history(rng, i))
		c := certify(t, rng, h)
		v := generic(t, c)
		one := v["verdicts"].([]any)
		if i%10 > 0 {
			keep := rng.IntN(len(one))
			if i%20 == 19 {
				keep = 0 // sc splits cases
			}
			for _, of := range []string{"procedure", "reason", "search_ns", "proof_ns", "evidence_ns", "derived", "backtracks", "clauses"} {
				delete(one[keep].(map[string]any), of) // proves nothing
			}
			v["verdicts"] = one[keep : keep+1]
			for others = slots(clone(one[keep]), others); len(others) > 2000; {
				others = others[1000:]
			}
			for range 1 + rng.IntN(2) {
				mutate(rng, v["verdicts"].([]any)[0], others)
			}
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		said := verified(h, data)
		if i%10 == 0 && slices.ContainsFunc(said, func(s string) bool { return s == "refused" }) {
			t.Fatalf("refused: %v\n%s\n%s", said, trace, data)
		}
		holds := func(said []string) { // what is proved is so
			for j, state := range said {
				if j >= len(v["verdicts"].([]any)) || state != "proved" {
					continue
				}
				now := v["verdicts"].([]any)[j].(map[string]any)
				name, answer := now["model"].(string), now["answer"].(string)
				proved[name+" "+answer]++
				if m, _ := model.ByName(name); allowed(t, h, m) != (answer == witness.Allowed.String()) {
					t.Fatalf("%s %s is proved:\n%s\n%s", name, answer, trace, data)
				}
			}
		}
		holds(said)
		checks = append(checks, holds)
		pairs = append(pairs, []any{trace, json.RawMessage(data)})
		want = append(want, said)
	}
	t.Logf("proved: %v", proved)
	for i, said := range python(t, pairs) {
		if want[i] == nil {
			checks[i](said)
		}
		most := min(len(said), len(want[i]))
		if !slices.Equal(said[:most], want[i][:most]) {
			data, err := json.Marshal(pairs[i])
			t.Errorf("%d: verify.py says %v, want %v: %s %v", i, said, want[i], data, err)
		}
	}
}

// TestNothing gives both checkers evidence that is empty, or none.
func TestNothing(t *testing.T) {
	const trace = "0: M[x] := 1\n0: M[y] == 0\n1: M[y] := 2\n1: M[x] == 0\ncheck\n"
	read, err := axe.NewReader(strings.NewReader(trace), "h").Next()
	if err != nil || read.Err != nil {
		t.Fatal(err, read.Err)
	}
	var pairs []any
	for _, m := range model.All() {
		for _, evidence := range []string{
			`"answer":"forbidden"`, `"answer":"forbidden","refutation":{}`, `"answer":"forbidden","refutation":{"lemmas":[],"nodes":[]}`,
			`"answer":"forbidden","refutation":{"nodes":[{"cycle":[]}]}`, `"answer":"forbidden","refutation":{"nodes":[{}]}`,
			`"answer":"allowed"`, `"answer":"allowed","order":[]`, `"answer":"allowed","inclusion":{"from":"sc","checked":true}`,
		} {
			data := fmt.Sprintf(`{"history":%q,"threads":2,"operations":4,"thread_names":["0","1"],"verdicts":[{"model":%q,%s}]}`,
				certificate.Digest(read.History), m.Name, evidence)
			if said := verified(read.History, []byte(data)); !slices.Equal(said, []string{"refused"}) {
				t.Errorf("%s: %v, want refused", data, said)
			}
			pairs = append(pairs, []any{trace, json.RawMessage(data)})
		}
	}
	for i, said := range python(t, pairs) {
		if !slices.Equal(said, []string{"refused"}) {
			t.Errorf("verify.py says %v, want refused: %s", said, pairs[i])
		}
	}
}
