package papers

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/campaigns/internal/must"
	"ordeal/parse"
)

// The orders of CCv follow the definitions, step by step.
func TestConvergentByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	pairs, ordered := 0, 0
	for range 300 {
		h, _ := executed(rng, 2+rng.IntN(3), 4+rng.IntN(10), 1+rng.IntN(3))
		order, cf := convergent(h)
		next := causes(h)
		conflict := func(a, b parse.OpID) bool {
			for i := range h.Ops {
				if op := &h.Ops[i]; a != b && op.Kind == parse.Read && op.RF == b && op.Loc == h.Ops[a].Loc && reaches(a, parse.OpID(i), next) {
					return true
				}
			}
			return false
		}
		for _, writes := range h.Writes(nil) {
			step := func(a parse.OpID) []parse.OpID {
				var list []parse.OpID
				for _, b := range writes {
					if a != b && (reaches(a, b, next) || conflict(a, b)) {
						list = append(list, b)
					}
				}
				return list
			}
			for _, a := range writes {
				for _, b := range writes {
					if got, want := cf[[2]parse.OpID{a, b}], conflict(a, b); got != want {
						t.Fatalf("cf %d %d: %v, want %v; %+v", a, b, got, want, h)
					}
					if got, want := order.Has(int32(a), int32(b)), reaches(a, b, step); got != want {
						t.Fatalf("CCv %d %d: %v, want %v; %+v", a, b, got, want, h)
					} else if got {
						ordered++
					}
					pairs++
				}
			}
		}
	}
	if ordered < pairs/10 || ordered > pairs*9/10 {
		t.Errorf("%d of %d ordered: too few or too many", ordered, pairs)
	}
}

// kernelByForce counts the pairs that all store orders of SC share.
func kernelByForce(h *parse.History) int {
	place := make([]int, len(h.Ops))
	next := func(v parse.OpID) []parse.OpID {
		list := causes(h)(v)
		for i := range h.Ops {
			o, w := &h.Ops[v], parse.OpID(i)
			if h.Ops[i].Kind != parse.Write || h.Ops[i].Loc != o.Loc || w == v {
				continue
			}
			from := v
			if o.Kind == parse.Read {
				from = o.RF // v before what overwrites the value it returns
			}
			if from == parse.Init || from != w && place[from] < place[w] {
				list = append(list, w)
			}
		}
		return list
	}
	all := h.Writes(nil)
	var shared map[[2]parse.OpID]bool
	var permute func(x, k int)
	permute = func(x, k int) {
		if x == len(all) {
			for v := range h.Ops {
				if reaches(parse.OpID(v), parse.OpID(v), next) {
					return
				}
			}
			now := map[[2]parse.OpID]bool{}
			for _, ws := range all {
				for _, a := range ws {
					for _, b := range ws {
						if p := [2]parse.OpID{a, b}; place[a] < place[b] && (shared == nil || shared[p]) {
							now[p] = true
						}
					}
				}
			}
			shared = now
			return
		}
		if k == len(all[x]) {
			permute(x+1, 0)
			return
		}
		for i := k; i < len(all[x]); i++ {
			all[x][k], all[x][i] = all[x][i], all[x][k]
			place[all[x][k]] = k
			permute(x, k+1)
			all[x][k], all[x][i] = all[x][i], all[x][k]
		}
	}
	permute(0, 0)
	return len(shared)
}

// globalCauses lists the steps of TSO's preserved program order, which lacks
// only a write before a read, and of reads-from between threads.
func globalCauses(h *parse.History) func(parse.OpID) []parse.OpID {
	return func(v parse.OpID) []parse.OpID {
		var list []parse.OpID
		t := h.Thread(v)
		for w := v + 1; w < h.Start[t+1]; w++ {
			if h.Ops[v].Kind == parse.Read || h.Ops[w].Kind == parse.Write {
				list = append(list, w)
			}
		}
		for i := range h.Ops {
			if r := parse.OpID(i); h.Ops[i].Kind == parse.Read && h.Ops[i].RF == v && h.Thread(r) != t {
				list = append(list, r)
			}
		}
		return list
	}
}

// The kernel is exact, and the criteria find parts of it, the weaker the less.
func TestPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var sum pairs
	for range 150 {
		h, _ := executed(rng, 2+rng.IntN(3), 6+rng.IntN(5), 1+rng.IntN(2))
		p, err := countPairs(context.Background(), h)
		must.Succeed(t, err)
		if want := kernelByForce(h); p.Kernel != want {
			t.Fatalf("kernel %d, by force %d; %+v", p.Kernel, want, h)
		}
		if all := []int{p.CF, p.CCv, p.CCM, p.WSC, p.Kernel, p.Pairs}; !slices.IsSorted(all) {
			t.Fatalf("CF, CCv, CCM, WSC, kernel, all are not ascending: %v; %+v", all, h)
		}
		if p.WCCM > p.CCM {
			t.Fatalf("wCCM orders %d pairs, CCM %d; %+v", p.WCCM, p.CCM, h)
		}
		writes, least := 0, 0
		for _, list := range h.Writes(nil) {
			writes += len(list)
			for _, a := range list {
				for _, b := range list {
					if reaches(a, b, globalCauses(h)) {
						least++
					}
				}
			}
		}
		if p.WCCM < least {
			t.Fatalf("wCCM orders %d pairs, TSO's causality alone %d; %+v", p.WCCM, least, h)
		}
		if p.Initial != writes {
			t.Fatalf("%d pairs with initial writes, want %d", p.Initial, writes)
		}
		sum.CF, sum.CCv, sum.WCCM, sum.CCM = sum.CF+p.CF, sum.CCv+p.CCv, sum.WCCM+p.WCCM, sum.CCM+p.CCM
		sum.WSC, sum.Kernel, sum.Pairs = sum.WSC+p.WSC, sum.Kernel+p.Kernel, sum.Pairs+p.Pairs
	}
	if sum.CF == 0 || sum.WCCM == 0 {
		t.Errorf("CF orders %d pairs, wCCM %d", sum.CF, sum.WCCM)
	}
	for name, pair := range map[string][2]int{"CF and CCv": {sum.CF, sum.CCv}, "CCM and WSC": {sum.CCM, sum.WSC}, "kernel and all": {sum.Kernel, sum.Pairs}} {
		if pair[0] == pair[1] {
			t.Errorf("%s do not differ: %d pairs", name, pair[0])
		}
	}
}
