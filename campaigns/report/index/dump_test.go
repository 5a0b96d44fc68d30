package index

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
)

// logical are queries for all that an index holds, ids resolved.
var logical = []string{
	"SELECT dir, name, seed, sim, shard, planned, started, elapsed_ns, ending, command FROM campaign ORDER BY dir",
	`SELECT c.dir, f.position, f.name, f.sim, f.system, f.expect, f.planned, f.canary, f.control, f.needs, f.whole, f.settings, f.json
		FROM config f JOIN campaign c ON c.id = f.campaign ORDER BY c.dir, f.position`,
	"SELECT c.dir, t.name, t.version FROM tool t JOIN campaign c ON c.id = t.campaign ORDER BY c.dir, t.name",
	`SELECT c.dir, r.number, f.name, r.at_ns, r.outcome, r.failed, r.finding, r.caught, t.text, r.recurred, r.operations, r.simulated_ns, r.check_ns,
		r.taken, r.fresh, r.dir, r.program, r.log
		FROM run r JOIN campaign c ON c.id = r.campaign JOIN config f ON f.id = r.config LEFT JOIN title t ON t.id = r.title ORDER BY c.dir, r.number`,
	`SELECT c.dir, a.number, v.model, v.answer, v.procedure, v.reason, a.search_ns, a.evidence_ns
		FROM answer a JOIN campaign c ON c.id = a.campaign JOIN verdict v ON v.id = a.verdict ORDER BY c.dir, a.number, v.model`,
	`SELECT c.dir, f.name, v.position, t.machine, t.state, t.event, v.count, v.runs, v.first
		FROM coverage v JOIN config f ON f.id = v.config JOIN campaign c ON c.id = f.campaign JOIN transition t ON t.id = v.transition ORDER BY c.dir, f.name, v.position`,
	`SELECT c.dir, f.name, t.outcome, t.failed, t.finding, t.caught, t.runs, t.operations, t.simulated_ns, t.check_ns
		FROM total t JOIN config f ON f.id = t.config JOIN campaign c ON c.id = f.campaign ORDER BY c.dir, f.name, t.outcome`,
	"SELECT text FROM title ORDER BY text",
	"SELECT model, answer, procedure, reason FROM verdict ORDER BY 1, 2, 3, 4",
	"SELECT machine, state, event FROM transition ORDER BY 1, 2, 3",
	"PRAGMA user_version", "PRAGMA integrity_check", "PRAGMA foreign_key_check",
	"SELECT type, name, sql FROM sqlite_master ORDER BY type, name",
}

// content is all that an index holds, ids resolved.
func content(t testing.TB, db string) string {
	t.Helper()
	var b strings.Builder
	for _, query := range logical {
		rows := ask(t, db, query)
		b.WriteString(query + "\n" + strings.Join(rows, "\n") + "\n")
	}
	return b.String()
}

// exact is all that an index holds, ids and all, table by table.
func exact(t testing.TB, db string) string {
	t.Helper()
	var b strings.Builder
	for _, table := range ask(t, db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") {
		b.WriteString(table + "\n" + strings.Join(ask(t, db, "SELECT * FROM "+table), "\n") + "\n")
	}
	return b.String()
}

// scratch indexes campaigns from scratch and gives the content.
func scratch(t testing.TB, like string, dirs ...string) string {
	t.Helper()
	db := like + "-scratch" // beside it, so that paths are alike
	must.Succeed(t, Reindex(t.Context(), db, dirs, Options{}))
	return content(t, db)
}

// sqlExec executes statements on a database, behind the back of the package.
func sqlExec(t testing.TB, db string, statements ...string) {
	t.Helper()
	c, err := sql.Open("sqlite", db)
	must.Succeed(t, err)
	defer c.Close()
	for _, s := range statements {
		if _, err := c.ExecContext(context.WithoutCancel(t.Context()), s); err != nil {
			t.Fatal(err)
		}
	}
}
