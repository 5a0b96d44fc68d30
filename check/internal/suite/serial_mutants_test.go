package suite_test

const (
	serialTests   = "check/serial"
	traceTests    = "check/serial/trace"
	robustTests   = "check/serial/robust"
	possibleTests = "check/serial/possible"
)

// The changes in the monitors of serializability.
var serialMutants = []mutant{
	// Conflicts, by definition and in the monitor.
	{name: "parallel commit", file: "check/serial/relation.go", tests: serialTests,
		old: "return !c.Parallel(i, j)", new: "return true"},
	{name: "buffered read before read", file: "check/serial/relation.go", tests: serialTests,
		old: "return a.Kind == events.Read && !c.buffered[i]", new: "return a.Kind == events.Read"},
	{name: "buffered in spite of a fence", file: "check/serial/relation.go", tests: serialTests,
		old: "w >= 0 && w > fence[e.Thread]", new: "w >= 0"},
	{name: "commits in order", file: "check/serial/monitor.go", tests: serialTests,
		old: "m.edge(t.commit, i)\n\t\tt.commit", new: "t.commit", survives: true}, // the writes are issued in order, too
	{name: "reads forwarded from a committed write", file: "check/serial/monitor.go", tests: serialTests,
		old: "x.reads = append(x.reads, s.reads...)", new: "_, _ = x, s"},
	{name: "commits before a buffered write", file: "check/serial/monitor.go", tests: serialTests,
		old: "m.edgeAcross(s.before, i)"},
	{name: "reads before a commit", file: "check/serial/monitor.go", tests: serialTests,
		old: "m.edgeAcross(r, i)", new: "_ = r"},
	{name: "reads after a commit", file: "check/serial/monitor.go", tests: serialTests,
		old: "x := &m.variables[e.Var]\n\tm.edgeAcross(x.write, i)\n\tx.reads", new: "x := &m.variables[e.Var]\n\tx.reads"},
	{name: "plain read before event", file: "check/serial/program.go", tests: serialTests,
		old: "edge(t.plain, i)"},
	{name: "buffered reads before write", file: "check/serial/program.go", tests: serialTests,
		old: "edge(r, i)", new: "_ = r"},
	{name: "buffered reads of a variable in order", file: "check/serial/program.go", tests: serialTests,
		old: "edge(p.read[slot], i)"},
	// Checkers.
	{name: "conflict of an edge", file: "check/serial/evidence.go", tests: serialTests,
		old: "case e.From < 0 || e.To <= e.From ||", new: "case e.From < 0 ||"},
	{name: "joints of a cycle", file: "check/serial/evidence.go", tests: serialTests,
		old: "case node(e.To) != node(next.From):", new: "case node(e.To) < 0 && next.From < 0:"},
	{name: "rank of reads", file: "check/serial/evidence.go", tests: serialTests,
		old: "before.add(c.reads[e.Var])"},
	// Traces.
	{name: "order of the store buffer", file: "check/serial/trace/timeline.go", tests: traceTests,
		old: "x.Kind == events.Write && y.Kind == events.Write && x.Thread == y.Thread && a < b", new: "x == nil && y == nil"},
	{name: "source of a buffered read", file: "check/serial/trace/timeline.go", tests: traceTests,
		old: "return !l.before(v, u) && (l.source[u] == none || !l.before(v, l.source[u]))", new: "return !l.before(v, u)"},
	{name: "certain conflict of a buffered read", file: "check/serial/trace/timeline.go", tests: traceTests,
		old: "return l.before(u, v) && (l.source[u] == none || l.before(l.source[u], v))", new: "return l.before(u, v)"},
	{name: "fenced write", file: "check/serial/trace/directed.go", tests: traceTests,
		old: "d.edge(m.fencedWrite, i)"},
	{name: "fenced buffered read", file: "check/serial/trace/directed.go", tests: traceTests,
		old: "d.edge(m.fencedBufferRead, i)"},
	{name: "plain read before write", file: "check/serial/trace/directed.go", tests: traceTests,
		old: "d.edge(m.plain, i)"},
	{name: "open conflicts unite", file: "check/serial/trace/clusters.go", tests: traceTests,
		old: "u.Unite(o.tx, l.seq.Events[i].Tx)"},
	{name: "circles of open conflicts", file: "check/serial/trace/profile.go", tests: traceTests,
		old: "if circle == nil {", new: "if true {"},
	{name: "steps of circles", file: "check/serial/trace/profile.go", tests: traceTests,
		old: "for k, first := range circle {", new: "for k, first := range circle[:0] {"},
	{name: "more than one open conflict", file: "check/serial/trace/profile.go", tests: traceTests,
		old: "s.edges <= a.chains", new: "s.edges <= 1"},
	{name: "store buffer in the formula", file: "check/serial/trace/timeline.go", tests: traceTests,
		old: "add(last[e.Thread], n+i)"},
	{name: "ranks of pending writes", file: "check/serial/trace/evidence.go", tests: traceTests,
		old: "stack[k].rank > c.rank[e.Tx]", new: "false"},
	{name: "source in the order of a trace", file: "check/serial/trace/exists.go", tests: traceTests,
		old: "lit = o.solver.And(lit, early)", new: "_ = early"},
	// Histories.
	{name: "conflicts of all executions", file: "check/serial/possible/conflicts.go", tests: possibleTests,
		old: "c.add(id, others[to], orders.Always)", new: "_ = others[to]"},
	{name: "second write of a pair first", file: "check/serial/possible/conflicts.go", tests: possibleTests,
		old: "return c.index[pair{b, a}] | 1", new: "return c.index[pair{b, a}]"},
	{name: "cycles of all executions", file: "check/serial/possible/possible.go", tests: possibleTests,
		old: "return d.answer.Holds == nil && cyclic(d.graph(c))", new: "return d.answer.Holds == nil"},
	{name: "conflicts that a violation lacks", file: "check/serial/possible/robust.go", tests: possibleTests,
		old: "w.missing = append(w.missing, a)", new: "_ = a"},
	{name: "conflicts of a violation", file: "check/serial/possible/robust.go", tests: possibleTests,
		old: "p.LearnAgainst(kind, path)", new: "p.LearnAgainst(kind, path[:1])"},
	// Robustness.
	{name: "attacker's fence", file: "check/serial/robust/attack.go", tests: robustTests,
		old: "case e.Kind.Drains():\n\t\treturn false", new: "case e.Kind.Drains():\n\t\treturn true"},
	{name: "starved threads", file: "check/serial/robust/attack.go", tests: robustTests,
		old: "return a.writer[i] != none && a.skipped[a.writer[i]]", new: "return false", often: true},
	{name: "led by reads", file: "check/serial/robust/attack.go", tests: robustTests,
		old: "r = max(r, a.ledRead[e.Var], a.exposed[e.Var])", new: "r = max(r, a.exposed[e.Var])"},
	{name: "led within a thread", file: "check/serial/robust/attack.go", tests: robustTests,
		old: "a.ledThread[e.Thread] = r"},
}
