package papers

import (
	"ordeal/check"
	"ordeal/check/model"
)

// The algorithms of Zennou et al., CAV 2019, Sect. 5, and ours.
var gradualMethods = []method{
	{"X-SAT", "x-sat"}, {"CCM+Enum", "ccm+enum"}, {"CCM+SAT", "ccm+sat"}, {"Ordeal", "auto"},
}

// What the notes say of several figures.
const (
	noteMachine  = "The paper runs Clingo (Datalog) and a SAT solver as processes; here closures are clocks in one process and the solver is gini. Absolute times do not compare."
	notePlot     = "The plot's values are not in the text of the paper: only its axes and what the text says of it are reproduced. The axis of times is logarithmic here, since the methods lie orders of magnitude apart."
	notePrograms = "The paper does not say how many locations its clients use, nor the share of writes: here 8 locations, half of the operations are writes."
	noteEnum     = "CCM+Enum searches with forward propagation (it orders a pair that follows), so that it backtracks hardly ever on valid histories."
)

// gradual lists the experiments of Zennou et al., CAV 2019.
func gradual() []Experiment {
	valid := func(x axis, m model.Model) *sweep {
		f := &sweep{axis: x, model: m, methods: gradualMethods, valid: check.Allowed, least: 4}
		f.says = map[int]func(*swept) string{0: counts, 1: speedOrder}
		return f
	}
	buffers := &sweep{axis: byThreads, model: model.TSO, methods: gradualMethods[1:], valid: check.Allowed, least: 8}
	// The criteria alone, since all violations of the paper's are found so.
	invalid := &sweep{axis: byThreads, model: model.SC, valid: check.Forbidden, least: 8, methods: []method{
		{"X-SAT", "x-sat"}, {"CCM", "ccm"}, {"CCM+Enum", "ccm+enum"}, {"Ordeal", "auto"},
	}, says: map[int]func(*swept) string{0: total, 1: speedOrder}}
	return []Experiment{
		{
			Name: "gcc-fig4a", Paper: Gradual, Place: "Fig. 4a", File: "gcc-operations.yaml", run: valid(byOps, model.SC).run,
			Title: "Checking SC for valid histories, 4 cpus, by operations",
			Published: []Quote{
				{What: "histories of each point", Value: "200"},
				{What: "order, from slow to fast", Value: "X-SAT, then both CCM+Enum and CCM+SAT (difference \"not significant\")"},
			},
			Notes: []string{notePlot, notePrograms, noteMachine, noteEnum},
		},
		{
			Name: "gcc-fig4b", Paper: Gradual, Place: "Fig. 4b", File: "gcc-threads.yaml", run: valid(byThreads, model.SC).run,
			Title:     "Checking SC for valid histories, 50 operations per cpu, by cpus",
			Published: []Quote{{What: "histories of each point", Value: "200"}, {What: "order, from slow to fast", Value: "as in Fig. 4a"}},
			Notes:     []string{notePlot, notePrograms, noteMachine, noteEnum},
		},
		{
			Name: "gcc-unordered", Paper: Gradual, Place: "Sect. 5.1", File: "gcc-unordered.yaml", run: unordered,
			Title: "Pairs of writes that the criteria leave unordered, valid histories of 200 operations, 4 cpus",
			Published: []Quote{
				{What: "unordered by CCM (pww), mean of 200 histories", Value: "6.6 %"},
				{What: "unordered by CCv, same histories", Value: "57.75 %"},
			},
			Notes: []string{
				"A pair is two different writes to one location. The paper's histories have an initial write to each location, which precedes all others; it does not say whether pairs with those count. Both counts are given.",
				"The paper does not say how many locations there are, nor the share of writes; the table varies both. \"Ours\" is the row of 4 locations and half writes, pairs with initial writes included, which comes closest to the paper's two figures.",
				"CCv's order is (co on writes of one location ∪ cf)⁺, as pww with co for hb. It leaves hardly more unordered than CCM. The paper's 57.75 % is near what the conflict relation cf alone leaves, by which CAV 2019 defines CCv: the column \"cf\", without the writes that causality orders and without closure. That may be what was counted.",
			},
		},
		{
			Name: "gcc-fig5", Paper: Gradual, Place: "Fig. 5", File: "gcc-violations.yaml", run: invalid.run,
			Title: "Checking SC for invalid histories, 50 operations per cpu, by cpus",
			Published: []Quote{
				{What: "histories", Value: "1000, equally distributed over 2 to 8 cpus"},
				{What: "order, from slow to fast", Value: "SC-CCM+Enum and SC-CCM+SAT have the same running time, since CCM finds all"},
			},
			Notes: []string{
				notePlot, noteMachine,
				"The paper reorders statements of MI. Its example, s_store_hit and p_profileHit swapped in (M,Store), violates nothing: the second action only counts. Here are two swaps of MI that matter, and faults of the other protocols, all from campaigns/bugs.yaml.",
				"Times include the shrinking of the refutation to a few operations and its check.",
			},
		},
		{
			Name: "gcc-caught", Paper: Gradual, Place: "Sect. 5.1", File: "gcc-violations.yaml", run: caught,
			Title: "Violations of SC that weaker criteria catch",
			Published: []Quote{
				{What: "violations that CCM catches", Value: "100 % (\"these histories happen to all be CCM violations\")"},
				{What: "violations that CC or CCv catch", Value: "50 %"},
			},
			Notes: []string{
				"What is caught early depends on the fault: one that returns stale data to a single thread violates CC at once, one that lets two threads disagree on an order may need CCM. The paper names one swap of MI; the table lists faults one by one.",
			},
		},
		{
			Name: "gcc-fig6a", Paper: Gradual, Place: "Fig. 6a", File: "gcc-operations.yaml", run: valid(byOps, model.TSO).run,
			Title: "Checking TSO for valid histories, 4 cpus, by operations: the histories of Fig. 4a",
			Published: []Quote{
				{What: "histories of each point", Value: "200"},
				{What: "order, from slow to fast", Value: "X-SAT, wCCM+Enum, wCCM+SAT"},
			},
			Notes: []string{notePlot, notePrograms, noteMachine, noteEnum, "CCM stands for wCCM here."},
		},
		{
			Name: "gcc-fig6b", Paper: Gradual, Place: "Fig. 6b", File: "gcc-threads.yaml", run: valid(byThreads, model.TSO).run,
			Title:     "Checking TSO for valid histories, 50 operations per cpu, by cpus: the histories of Fig. 4b",
			Published: []Quote{{What: "histories of each point", Value: "200"}, {What: "order, from slow to fast", Value: "X-SAT, wCCM+Enum, wCCM+SAT"}},
			Notes:     []string{notePlot, notePrograms, noteMachine, noteEnum, "CCM stands for wCCM here."},
		},
		{
			Name: "gcc-buffers", Paper: Gradual, Place: "beyond Fig. 6", File: "gcc-buffers.yaml", run: buffers.run,
			Title: "Checking TSO for histories of cores with store buffers, most of which are not SC, by cpus",
			Notes: []string{"The paper checks TSO only on histories that are SC.", noteMachine, "CCM stands for wCCM here."},
		},
	}
}
