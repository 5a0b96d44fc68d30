// Package brute decides small histories by enumeration: the reference that
// the procedures are tested against. It is written from the
// definitions of the literature and shares no code with anything it tests.
// Use it for a dozen operations or so; more than 64 operations and locations
// together make it panic.
package brute

import (
	"ordeal/check/model"
	"ordeal/parse"
)

// Allowed reports whether model m allows h. Total models are decided by
// trying every coherence order (Axiomatic), causal ones by their fixpoints
// (see causal.go).
//
// History.Final and History.StoreOrder, where known, constrain the Total
// models and the closures wSC, wTSO and wPSO; the other causal models are
// defined by program order and reads-from alone.
func Allowed(h *parse.History, m model.Model) bool {
	if m.Family == model.Causal {
		return causal(h, m)
	}
	return Axiomatic(h, m)
}
