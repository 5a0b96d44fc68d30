package papers

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/campaigns/internal/must"
	"ordeal/parse"
)

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
		if all := []int{p.CCM, p.WSC, p.Kernel, p.Pairs}; !slices.IsSorted(all) {
			t.Fatalf("CCM, WSC, kernel, all are not ascending: %v; %+v", all, h)
		}
		writes := 0
		for _, list := range h.Writes(nil) {
			writes += len(list)
		}
		if p.Initial != writes {
			t.Fatalf("%d pairs with initial writes, want %d", p.Initial, writes)
		}
		sum.CCM, sum.WSC, sum.Kernel, sum.Pairs = sum.CCM+p.CCM, sum.WSC+p.WSC, sum.Kernel+p.Kernel, sum.Pairs+p.Pairs
	}
	for name, pair := range map[string][2]int{"CCM and WSC": {sum.CCM, sum.WSC}, "kernel and all": {sum.Kernel, sum.Pairs}} {
		if pair[0] == pair[1] {
			t.Errorf("%s do not differ: %d pairs", name, pair[0])
		}
	}
}
