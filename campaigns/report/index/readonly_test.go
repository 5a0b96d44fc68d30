package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ordeal/campaigns/internal/must"
)

// TestQueryReadsOnly requires that no question writes, opens another file or
// changes a setting, whichever check it gets past.
func TestQueryReadsOnly(t *testing.T) {
	dir := t.TempDir()
	noneOpen(t, dir)
	db, other := filepath.Join(dir, "index.db"), filepath.Join(dir, "other.db")
	must.Succeed(t, Reindex(t.Context(), db, nil, Options{}))
	must.Succeed(t, Reindex(t.Context(), other, nil, Options{}))
	before, err := os.ReadFile(db)
	must.Succeed(t, err)
	ignore := func(r *Rows) error {
		for {
			if values, err := r.Next(); values == nil || err != nil {
				return err
			}
		}
	}
	made := filepath.Join(dir, "made")
	for _, query := range []string{
		fmt.Sprintf("ATTACH %q AS o", other), fmt.Sprintf("ATTACH %q AS o", made), fmt.Sprintf("VACUUM INTO %q", made), "VACUUM",
		"PRAGMA journal_mode = WAL", "PRAGMA query_only = off", "PRAGMA user_version = 1", "PRAGMA temp_store_directory = '/tmp'", "PRAGMA writable_schema = 1",
		"CREATE TABLE x (y)", "CREATE TEMP TABLE x (y)", "CREATE VIRTUAL TABLE x USING fts5(y)", "INSERT INTO run DEFAULT VALUES",
		"WITH x AS (SELECT 1) DELETE FROM run", "WITH x AS (SELECT 1) INSERT INTO run SELECT * FROM run", "EXPLAIN ATTACH 'x' AS o",
		"REPLACE INTO run DEFAULT VALUES", "UPDATE run SET number = 1", "REINDEX", "ANALYZE", "BEGIN IMMEDIATE", "SAVEPOINT s", "DETACH main",
		"SELECT load_extension('x')", "SELECT writefile('x', 'y')", "SELECT readfile('/etc/passwd')",
		fmt.Sprintf("SELECT 1; ATTACH %q AS o", made), "SELECT ';'; VACUUM", "/* SELECT */ VACUUM", "-- SELECT\nVACUUM", ";VACUUM",
		"SELECT * FROM pragma_query_only(0)",
	} {
		if err := Query(t.Context(), db, query, ignore); err == nil {
			t.Errorf("%s: no error", query)
		}
		// The authorizer alone must suffice.
		if ix, err := connect(t.Context(), db, "rw"); err != nil {
			t.Error(err)
		} else {
			must.Succeed(t, ix.restrict(t.Context()))
			_ = ix.exec(t.Context(), query) // what it does is compared below
			must.Succeed(t, ix.close())
		}
	}
	after, err := os.ReadFile(db)
	must.Succeed(t, err)
	list, err := os.ReadDir(dir)
	must.Succeed(t, err)
	if string(before) != string(after) || len(list) != 2 {
		t.Errorf("the index has changed (%v), or there are other files: %v", string(before) != string(after), list)
	}
	for _, query := range []string{
		"SELECT 1;", "  SELECT 1  -- comment ; comment", "VALUES (1)", "WITH x AS (SELECT 1) SELECT * FROM x", "EXPLAIN QUERY PLAN SELECT 1",
		"SELECT ';', \"number\", [number], `number` FROM run; /* ; */", "SELECT name FROM pragma_table_info('run')", "SELECT 'it''s; one'", "SELECT * FROM runs",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3) SELECT i FROM n", "SELECT replace('a', 'a', 'b')",
	} {
		if err := Query(t.Context(), db, query, ignore); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// TestQueryTime requires that a question without end ends, before its first row
// and after.
func TestQueryTime(t *testing.T) {
	db := filepath.Join(t.TempDir(), "index.db")
	must.Succeed(t, Reindex(t.Context(), db, nil, Options{}))
	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) "
	for _, query := range []string{endless + "SELECT count(*) FROM n", endless + "SELECT i FROM n"} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		err := Query(ctx, db, query, func(r *Rows) error {
			for {
				if values, err := r.Next(); values == nil || err != nil {
					return err
				}
			}
		})
		if err == nil || ctx.Err() == nil {
			t.Errorf("%s: %v", query, err)
		}
		cancel()
	}
}
