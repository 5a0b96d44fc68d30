package certificate

import (
	"bytes"

	"ordeal/parse"
)

// EstimateBytes is about the most memory that it takes to read a certificate, given
// as JSON, and to decode its evidence. It counts what its text may become,
// whatever that says: an object an edge or lemma, in a slice that grows; an array an
// operation; a null any of these.
func EstimateBytes(data []byte) int64 {
	const perByte, perObject, perArray, perQuote, perNull = 3, 220, 40, 20, 180
	count := func(text string, each int64) int64 { return int64(bytes.Count(data, []byte(text))) * each }
	return perByte*int64(len(data)) + count("{", perObject) + count("[", perArray) + count(`"`, perQuote) + count("null", perNull)
}

// CheckBytes is about the most memory that Verify takes for a history besides: to
// replay an order takes less, to check a closure so much.
func (t *Trace) CheckBytes(h *parse.History) int64 {
	const replay, closure = 100, 500
	for i := range t.Verdicts {
		if t.Verdicts[i].Closure != nil {
			return int64(len(h.Ops)) * closure
		}
	}
	return int64(len(h.Ops)) * replay
}
