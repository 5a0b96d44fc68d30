package saturate

import (
	"ordeal/check/model"
	"ordeal/parse"
)

// bytesPerNode is what a node costs besides its clock row: numbering, edges,
// the sweep, and the state of a search.
const bytesPerNode = 120

// EstimateBytes estimates the memory that a graph of the history under the
// model needs, with a search on it, from the number of operations and chains.
func EstimateBytes(h *parse.History, m model.Model) int64 {
	chains := len(planChains(h, m).thread)
	return int64(len(h.Ops)) * int64(4*chains+bytesPerNode)
}
