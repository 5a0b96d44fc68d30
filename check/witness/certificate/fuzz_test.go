package certificate_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"ordeal/check/internal/cases"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/check/witness/certificate"
	"ordeal/parse"
)

// FuzzVerify gives arbitrary bytes as the certificate of a history: it must not
// panic, nor accept an answer that brute force does not give.
func FuzzVerify(f *testing.F) {
	histories := []*parse.History{
		cases.Parse("0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0"),
		cases.Parse("0: M[0] == 1\n0: sync\n0: M[1] := 1\n1: M[1] == 1\n1: { M[0] == 0; M[0] := 1 }\ndep 1: 1 -> 2"),
	}
	for i, h := range histories {
		for range 8 {
			data, err := json.Marshal(certify(f, rand.New(rand.NewPCG(uint64(i), 3)), h))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Add([]byte(`{"verdicts":[{"order":[[4294967296,99999999999999999999]]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := new(certificate.Trace)
		if json.Unmarshal(data, c) != nil {
			return
		}
		for _, h := range histories {
			c.History, c.Threads, c.Operations, c.ThreadNames = certificate.Digest(h), h.Threads(), len(h.Ops), h.ThreadNames
			results, err := c.Verify(h)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if m, _ := model.ByName(r.Model); r.Proved && allowed(t, h, m) != (r.Answer == witness.Allowed.String()) {
					t.Fatalf("%s %s is proved", r.Model, r.Answer)
				}
			}
		}
	})
}

// What is nested too deep for JSON is an error. It is no seed of FuzzVerify, where
// to minimize it takes minutes.
func TestDeep(t *testing.T) {
	deep := []byte(`{"verdicts":[{"order":` + strings.Repeat("[", 1<<16))
	if err := json.Unmarshal(deep, new(certificate.Trace)); err == nil {
		t.Error("no error")
	}
}

// What a hostile certificate may do to time, stack and memory: lemmas that cite
// each other in a chain of 30,000, a tree as deep, a tree that shares its splits.
func TestHostile(t *testing.T) {
	h := cases.Parse("0: M[0] := 1\n0: M[0] := 2\n1: M[0] == 1\n1: M[0] == 2")
	verify := func(lemmas []certificate.Lemma, nodes []certificate.Node) error {
		c := certificate.New("h", h, []witness.Verdict{{Model: "sc", Answer: witness.Forbidden}})
		c.Verdicts[0].Refutation = &certificate.Refutation{Lemmas: lemmas, Nodes: nodes}
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		c = new(certificate.Trace)
		if err := json.Unmarshal(data, c); err != nil {
			t.Fatal(err)
		}
		results, err := c.Verify(h)
		if err != nil {
			t.Fatal(err)
		}
		return results[0].Err
	}
	const n = 30_000
	a, b, r, s := certificate.Op{0, 0}, certificate.Op{0, 1}, certificate.Op{1, 0}, certificate.Op{1, 1}
	ppo := certificate.Edge{From: &a, To: &b, Rule: "ppo"}
	// r precedes b by rule B, since a precedes b; a precedes b by rule A, from r
	// on: each lemma rests on the one before it.
	lemmas := []certificate.Lemma{{From: &r, To: &b, Rule: "B", Via: &a, Premise: []certificate.Edge{ppo}}}
	for i := 1; i < n; i++ {
		last := i - 1
		lemmas = append(lemmas, certificate.Lemma{From: &a, To: &b, Rule: "A", Via: &s, Premise: []certificate.Edge{
			{From: &a, To: &r, Rule: "reads-from"}, {Lemma: &last}, {From: &b, To: &s, Rule: "reads-from"},
		}})
		if i > 1 {
			lemmas[i].Premise = []certificate.Edge{{Lemma: &last}, {From: &b, To: &s, Rule: "reads-from"}}
		}
	}
	last := n - 1
	if err := verify(lemmas, []certificate.Node{{Cycle: []certificate.Edge{{Lemma: &last}}}}); err == nil || !strings.Contains(err.Error(), "cycle: edge 0") {
		t.Errorf("a chain of lemmas: %v", err)
	}
	var deep []certificate.Node
	for i := range n {
		deep = append(deep, certificate.Node{From: &a, To: &b, First: 2*i + 1, Second: 2*i + 2}, certificate.Node{Cycle: []certificate.Edge{
			{From: &a, To: &b, Rule: "assumed"}, {From: &b, To: &a, Rule: "assumed"},
		}})
	}
	deep = append(deep, deep[1])
	if err := verify(nil, deep); err == nil || !strings.Contains(err.Error(), "nothing assumes that here") {
		t.Errorf("a deep tree: %v", err)
	}
	// Each node on its own is sound: a load returns what its thread stores later.
	h = cases.Parse("0: M[0] == 1\n0: M[0] := 1\n0: M[0] := 2")
	a, b, r = certificate.Op{0, 1}, certificate.Op{0, 2}, certificate.Op{0, 0}
	leaf := certificate.Node{Cycle: []certificate.Edge{{From: &a, To: &a, Rule: "coherence", Via: &r}}}
	shared := []certificate.Node{{From: &a, To: &b, First: 1, Second: 2}, {From: &a, To: &b, First: 2, Second: 2}, leaf}
	if err := verify(nil, shared); err != nil {
		t.Errorf("a leaf in several places: %v", err)
	}
	shared[0].Second = 1
	if err := verify(nil, shared); err == nil || !strings.Contains(err.Error(), "stands twice") {
		t.Errorf("a split in two places: %v", err)
	}
}
