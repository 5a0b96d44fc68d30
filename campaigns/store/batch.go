package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// batchValues is how many values are inserted by one statement, about. The
// driver compiles a statement each time that it executes it, which for single
// rows takes longer than everything else; and it looks for each value among all
// of them, which forbids many.
const batchValues = 320

// batch is rows on their way into a table.
type batch struct {
	conn    *sql.Conn
	table   string
	columns int
	rows    int // of a statement
	args    []any
	whole   string // the statement
}

func newBatch(conn *sql.Conn, table string, columns int) *batch {
	b := &batch{conn: conn, table: table, columns: columns, rows: batchValues / columns}
	b.whole = b.insert(b.rows)
	return b
}

// insert is the statement that inserts n rows.
func (b *batch) insert(n int) string {
	row := "(?" + strings.Repeat(",?", b.columns-1) + ")"
	return fmt.Sprintf("INSERT INTO %s VALUES %s%s", b.table, row, strings.Repeat(","+row, n-1))
}

// add adds a row.
func (b *batch) add(ctx context.Context, values ...any) error {
	if len(values) != b.columns {
		panic(fmt.Sprintf("a row of %d values for %s, which has %d columns", len(values), b.table, b.columns)) // the schema is ours
	}
	if b.args = append(b.args, values...); len(b.args) < b.rows*b.columns {
		return nil
	}
	return b.flush(ctx)
}

// flush inserts the rows that wait.
func (b *batch) flush(ctx context.Context) error {
	if len(b.args) == 0 {
		return nil
	}
	query := b.whole
	if n := len(b.args) / b.columns; n < b.rows {
		query = b.insert(n)
	}
	_, err := b.conn.ExecContext(ctx, query, b.args...)
	b.args = b.args[:0]
	return err
}

// forget drops the rows that wait.
func (b *batch) forget() { b.args = b.args[:0] }
