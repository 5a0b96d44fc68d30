package witness

import (
	"fmt"

	"ordeal/parse"
)

// opText is operation id without its thread, as Axe writes it (Naylor et al.,
// FMCAD 2016): "M[x] := 1", "M[x] == 0", "{ M[x] == 0; M[x] := 1 }", "sync".
func opText(h *parse.History, id parse.OpID) string {
	op := &h.Ops[id]
	switch op.Kind {
	case parse.Read:
		return fmt.Sprintf("M[%s] == %d", h.Locations[op.Loc], op.Read)
	case parse.Write:
		return fmt.Sprintf("M[%s] := %d", h.Locations[op.Loc], op.Write)
	case parse.RMW:
		x := h.Locations[op.Loc]
		return fmt.Sprintf("{ M[%s] == %d; M[%s] := %d }", x, op.Read, x, op.Write)
	case parse.Fence:
		return fenceText(op.Mask)
	default:
		return fmt.Sprintf("operation of unknown kind %d", op.Kind)
	}
}

// fenceText is "sync" for a full fence, "stbar" for a store-store fence, else
// "membar" with its components.
func fenceText(m parse.FenceMask) string {
	switch m {
	case parse.FullFence:
		return "sync"
	case parse.StoreStore:
		return "stbar"
	}
	text := "membar"
	for i, component := range [...]string{"LL", "LS", "SL", "SS"} {
		if m>>i&1 != 0 {
			text += " " + component
		}
	}
	return text
}

// name is an operation with its thread, or the initial value of location x:
// "thread 1: M[x] == 0". Anything that is no operation of h is named by its
// number.
func name(h *parse.History, id parse.OpID, x int32) string {
	switch {
	case id == parse.Init && x >= 0 && int(x) < len(h.Locations):
		return fmt.Sprintf("the initial M[%s]", h.Locations[x])
	case id < 0 || int(id) >= len(h.Ops):
		return fmt.Sprintf("operation %d", id)
	default:
		return fmt.Sprintf("thread %s: %s", h.ThreadNames[h.Thread(id)], opText(h, id))
	}
}
