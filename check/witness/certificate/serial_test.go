package certificate_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/serial/possible"
	"ordeal/check/witness"
	"ordeal/check/witness/certificate"
	"ordeal/parse"
)

// serialHistory is a history of SC, and how many operations at most a transaction has.
func serialHistory(rng *rand.Rand) *parse.History {
	m := model.SC
	if rng.IntN(2) == 0 {
		m = model.TSO
	}
	h := histgen.Machine(rng, m, histgen.Params{Threads: 2 + rng.IntN(2), Ops: 8 + rng.IntN(8), Locations: 1 + rng.IntN(3)}).History
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; {
			end := min(id+1+parse.OpID(rng.IntN(4)), h.Start[t+1])
			h.Transactions = append(h.Transactions, parse.Transaction{First: id, End: end})
			id = end
		}
	}
	return h
}

// serialDocument is what ordeal check --serializability says of a history, and the right
// answers by relation.
func serialDocument(t testing.TB, h *parse.History) (*certificate.Document, map[string]string) {
	t.Helper()
	d := &certificate.Document{Trace: *certificate.New("h", h, nil)}
	answers := map[string]string{}
	for _, q := range []possible.Question{possible.SerializableSC, possible.SerializableTSO} {
		v, err := check.Check(t.Context(), h, q.Model(), check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if v.Answer != check.Allowed {
			continue
		}
		a, err := possible.Decide(t.Context(), h, q, []*witness.Order{v.Order}, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := possible.Prove(t.Context(), h, q, a)
		if err != nil {
			t.Fatal(err)
		}
		name := q.Model().Name
		switch {
		case a.Fails == nil:
			answers[name] = "serializable"
		case a.Holds == nil:
			answers[name] = "not serializable"
		default:
			answers[name] = "depends on the execution"
		}
		d.Serializability = append(d.Serializability, certificate.SerialAnswer{
			Relation: name, Answer: answers[name], Proof: certificate.NewSerializability(h, p),
		})
	}
	return d, answers
}

// No change of an answer about serializability or of its proof lets a wrong answer be
// proved; what was not changed is.
func TestSerialMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	words = append(words, "serializable", "not serializable", "depends on the execution")
	defer func() { words = words[:len(words)-3] }()
	counts := map[string]int{}
	var others []slot
	for range scale.Of(60, 60, 2000) {
		h := serialHistory(rng)
		d, want := serialDocument(t, h)
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		results := verifySerial(t, h, data)
		if len(results) != len(want) {
			t.Fatalf("%d answers of %d", len(results), len(want))
		}
		for _, r := range results {
			if !r.Proved {
				t.Fatalf("%s %s: %s %v\n%s", r.Model, r.Answer, r.Open, r.Err, data)
			}
			counts[r.Answer]++
		}
		if len(want) == 0 {
			continue
		}
		for range 20 {
			var form map[string]any
			if err := json.Unmarshal(data, &form); err != nil {
				t.Fatal(err)
			}
			numbers(form)
			answers := form["serializability"]
			for range 1 + rng.IntN(2) {
				mutate(rng, answers, slots(answers, others[:min(len(others), 200)]))
			}
			others = slots(answers, nil)
			changed, err := json.Marshal(form)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range verifySerial(t, h, changed) {
				relation := r.Model[len("serializability "):]
				switch {
				case r.Proved && r.Answer != want[relation]:
					t.Fatalf("%s is proved, want %q\n%s\n%s", r.Model+" "+r.Answer, want[relation], data, changed)
				case r.Proved:
					counts["changed and proved"]++
				default:
					counts["refused"]++
				}
			}
		}
	}
	t.Log(counts)
	for _, what := range []string{"serializable", "not serializable", "depends on the execution", "refused", "changed and proved"} {
		if counts[what] == 0 {
			t.Errorf("nothing was %s", what)
		}
	}
}

// verifySerial is what Document.Verify says; nothing where the certificate is refused as
// a whole.
func verifySerial(t *testing.T, h *parse.History, data []byte) []certificate.Result {
	t.Helper()
	d := new(certificate.Document)
	if json.Unmarshal(data, d) != nil {
		return nil
	}
	results, err := d.Verify(h)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(results, func(r certificate.Result) bool { return len(r.Model) < len("serializability ") })
}

// numbers turns the numbers of a value into json.Number, which mutate changes.
func numbers(v any) {
	for _, s := range slots(v, nil) {
		if f, ok := s.value.(float64); ok {
			data, _ := json.Marshal(f) // a finite number
			s.set(json.Number(data))
		}
	}
}
