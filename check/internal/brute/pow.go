package brute

import "ordeal/parse"

// pow decides Axe's model POW as its manual defines it (Axe Manual 1.4, Sect. 5),
// with two orders: ≺ of operations, and coherence as the order of the values of
// each location.
//
//   - ≺ has the local edges of WMO, reads-from but of own stores, and a total order of the
//     fences, and no cycle.
//   - Of two accesses to a location in program order, the later does not show
//     an older value.
//   - For fences f ≺ g, what a thread saw at a location before f is not newer
//     than what another sees there behind g.
//   - For a fence f ≺ l, l a load, the same holds of what depends on l.
//   - No value comes between those that an RMW reads and writes.
func (f *frame) pow() bool {
	var fences []int
	for a := range f.n {
		if f.fence(a) && f.h.Ops[a].Mask == parse.FullFence {
			fences = append(fences, a)
		}
	}
	whole := func(a int) bool { return f.fence(a) && f.h.Ops[a].Mask == parse.FullFence }
	deps := newRel(len(f.po))
	for _, d := range f.h.Deps {
		if !f.fence(int(d.To)) && (d.Kind == 0 || d.Kind&(parse.DepAddress|parse.DepData) != 0) {
			deps.add(int(d.From), int(d.To))
		}
	}
	local := f.po.filter(func(a, b int) bool {
		return whole(a) || whole(b) || f.sameLoc(a, b) && (f.writes(b) || f.reads(a))
	}).union(deps)
	return permutations(fences, 0, func(order []int) bool {
		total := newRel(len(f.po))
		for i, a := range order {
			for _, b := range order[i+1:] {
				total.add(a, b)
			}
		}
		before := local.union(f.rf.filter(func(a, b int) bool { return !f.po.has(a, b) }), total).plus()
		if !before.irreflexive() {
			return false
		}
		seen := f.po.filter(f.sameLoc) // by the first, before what the second sees
		f.po.each(func(x, s int) {
			for _, g := range fences {
				if whole(s) && before.has(s, g) {
					f.po.each(func(a, y int) {
						if a == g && f.sameLoc(x, y) {
							seen.add(x, y)
						}
					})
				}
			}
			deps.each(func(l, y int) {
				if whole(s) && before.has(s, l) && f.sameLoc(x, y) {
					seen.add(x, y)
				}
			})
		})
		return f.someCoherence(0, newRel(len(f.po)), func(co rel) bool {
			ok := f.atomic(co)
			seen.each(func(x, y int) {
				last, first := x, y
				if !f.writes(x) {
					last = f.writer(x)
				}
				if f.reads(y) {
					first = f.writer(y)
				}
				ok = ok && (last == first || co.has(last, first))
			})
			return ok
		})
	})
}
