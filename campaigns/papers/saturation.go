package papers

import (
	"fmt"
	"strings"

	"ordeal/check"
	"ordeal/check/model"
)

// The algorithms of the wSC paper, Sect. 5. What it calls ENUM is a SAT
// solver; wsc+enum of package check backtracks, as CAV 2019 does.
var saturationMethods = []method{
	{"CCM+ENUM", "ccm+sat"}, {"wSC+ENUM", "wsc+sat"}, {"DBCOP", "dbcop"}, {"wSC+DBCOP", "wsc+dbcop"}, {"Ordeal", "auto"},
}

const (
	noteENUM   = "What the paper calls +ENUM completes the store order by a SAT solver: here the procedures ccm+sat and wsc+sat."
	noteClause = "ccm+sat and wsc+sat have a variable for each open pair of operations and clauses for transitivity; that formula, not the closure, takes nearly all of their time, so that the two lie together. In the paper the closure of CCM is the slow part (\"very expensive\"); here it is a matter of clocks. Fig. 9 has the closures alone."
	noteClient = "The paper does not say how many locations its clients use, nor the share of writes: here 8 locations, half of the operations are writes."
)

// saturation lists the experiments of the wSC paper.
func saturation() []Experiment {
	figure := func(x axis, rewired int) *sweep {
		return &sweep{
			axis: x, model: model.SC, methods: saturationMethods, valid: check.Allowed, rewired: rewired, least: 2,
			says: map[int]func(*swept) string{0: counts, 1: speedOrder},
		}
	}
	alone := &sweep{axis: byThreads, model: model.SC, rewired: 1, valid: check.Forbidden, least: 4, methods: []method{
		{"CCM", "ccm"}, {"wSC", "saturate"}, {"DBCOP", "dbcop"},
	}, says: map[int]func(*swept) string{0: counts, 1: slower, 2: longest}}
	return []Experiment{
		{
			Name: "wsc-kernel", Paper: Saturation, Place: "Sect. 6", File: "wsc-kernel.yaml", run: kernels,
			Title: "How much of the SC-kernel wSC and CCM find",
			Published: []Quote{
				{What: "histories", Value: "1742"},
				{What: "wSC finds the whole kernel", Value: "74.24 % of histories"},
				{What: "share of the kernel that wSC finds otherwise", Value: "99.97 %"},
				{What: "CCM finds the whole kernel", Value: "0.7 % of histories"},
				{What: "pairs of writes that wSC orders", Value: "98.51 %"},
				{What: "pairs of writes that CCM orders", Value: "97.89 %"},
			},
			Notes: []string{
				"The kernel is exact: for each pair that wSC leaves open the complete search says whether it can be the other way round. Pairs are of two different writes to one location, without initial writes; the last two figures are means over histories, and in brackets with pairs of initial writes counted, which are always ordered.",
				"Both shares depend on the sizes, as the table shows: with more threads wSC misses part of nearly every kernel, with more operations a larger share of the pairs is ordered. The paper does not say how its histories are spread over sizes, nor how many locations its clients use; here 8, and as many histories of each size of its Figs. 6 and 7.",
			},
		},
		{
			Name: "wsc-fig6", Paper: Saturation, Place: "Fig. 6", File: "wsc-operations.yaml", run: figure(byOps, 0).run,
			Title: "Checking SC for valid histories, 6 threads, by operations",
			Published: []Quote{
				{What: "histories of each point", Value: "200"},
				{What: "order, from slow to fast", Value: "CCM+ENUM, \"clearly\" wSC+ENUM, then DBCOP"},
			},
			Notes: []string{notePlot, noteENUM, noteClause, noteClient},
		},
		{
			Name: "wsc-fig7", Paper: Saturation, Place: "Figs. 7a and 7b", File: "wsc-threads.yaml", run: figure(byThreads, 0).run,
			Title: "Checking SC for valid histories, 50 operations per thread, by threads",
			Published: []Quote{
				{What: "histories of each point", Value: "200"},
				{What: "order, from slow to fast", Value: "DBCOP, which degrades beyond 8 threads, CCM+ENUM, wSC+ENUM, wSC+DBCOP"},
			},
			Notes: []string{notePlot, noteENUM, noteClause, noteClient},
		},
		{
			Name: "wsc-fig8", Paper: Saturation, Place: "Figs. 8a and 8b", File: "wsc-threads.yaml", run: figure(byThreads, 2).run,
			Title: "Checking SC for histories of which half are invalid, by threads",
			Published: []Quote{
				{What: "histories of each point", Value: "200"},
				{What: "order, from slow to fast", Value: "as in Fig. 7 (\"very similarly\")"},
			},
			Notes: []string{notePlot, noteENUM, noteClause, noteClient, noteRewired},
		},
		{
			Name: "wsc-fig9", Paper: Saturation, Place: "Fig. 9", File: "wsc-threads.yaml", run: alone.run,
			Title: "Checking SC for invalid histories, by threads: saturation against CCM and DBCOP",
			Published: []Quote{
				{What: "histories of each point", Value: "100"},
				{What: "DBCOP against wSC, 8 threads and more", Value: "70 times and higher"},
				{What: "longest time of wSC", Value: "less than 8 s"},
			},
			Notes: []string{notePlot, noteRewired, "The times of wSC and CCM include the refutation: finding its cycle, shrinking it (wSC) and checking it."},
		},
		{
			Name: "wsc-caught", Paper: Saturation, Place: "Sect. 6", File: "wsc-threads.yaml", run: caughtRewired,
			Title: "Invalid histories that the criteria catch",
			Published: []Quote{
				{What: "violations that wSC catches", Value: "100 % (\"all found violations are already wSC violations\")"},
				{What: "violations that CCM misses", Value: "1.25 %"},
			},
			Notes: []string{noteRewired},
		},
	}
}

// noteRewired says how violations are made.
var noteRewired = fmt.Sprintf("Violations are made as in the paper: some reads return another write within a bounded distance. The paper gives neither number; here %d reads, up to %d stores away, drawn anew until SC forbids the history.", rewiredReads, rewiredDistance)

// slower says how much slower the third method, DBCOP, is than the second,
// wSC, from 8 threads on.
func slower(r *swept) string {
	var parts []string
	for i, x := range r.x {
		wsc, dbcop := r.times[i][1], r.times[i][2]
		if x < 8 || dbcop.Histories == 0 || wsc.Mean == 0 {
			continue
		}
		bound := ""
		if dbcop.GaveUp > 0 {
			bound = "≥ "
		}
		parts = append(parts, fmt.Sprintf("%s%s times at %d", bound, significant(dbcop.Mean/wsc.Mean), x))
	}
	return strings.Join(parts, ", ")
}

// longest says the longest mean time of the second method, wSC.
func longest(r *swept) string {
	worst := 0.0
	for _, times := range r.times {
		worst = max(worst, times[1].Mean)
	}
	return "mean at most " + shortTime(worst)
}
