package saturate

import (
	"ordeal/check/model"
	"ordeal/parse"
)

// pairs says which components of fences and of Model.PPO order a before b.
func pairs(a, b *parse.Op) parse.FenceMask {
	var mask parse.FenceMask
	if a.Reads() && b.Reads() {
		mask |= parse.LoadLoad
	}
	if a.Reads() && b.Writes() {
		mask |= parse.LoadStore
	}
	if a.Writes() && b.Reads() {
		mask |= parse.StoreLoad
	}
	if a.Writes() && b.Writes() {
		mask |= parse.StoreStore
	}
	return mask
}

// preserved reports whether the model by itself keeps the order of two
// accesses of one thread.
func preserved(m model.Model, a, b *parse.Op) bool {
	return pairs(a, b)&m.PPO != 0 ||
		a.Loc == b.Loc && (b.Writes() || a.Reads() && m.LoadLoadSameLoc)
}
