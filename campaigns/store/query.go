package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Rows are the rows of a query. Values are nil, int64, float64, string or
// []byte.
type Rows struct {
	Columns []string
	Next    func() ([]any, error) // nil, nil after the last
}

// Query asks an index one question in SQL, which cannot write. It calls f with
// the rows, which are valid until f returns.
func Query(ctx context.Context, path, query string, f func(*Rows) error) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("open index %s: %w; ordeal campaign reindex makes it", path, fs.ErrNotExist)
	}
	ix, err := connect(ctx, path, "ro")
	if err != nil {
		return fmt.Errorf("open index %s: %w", path, explain(err))
	}
	defer ix.close()
	if err := ix.query(ctx, query, f); err != nil {
		return fmt.Errorf("query index %s: %w", path, explain(err))
	}
	return nil
}

func (ix *index) query(ctx context.Context, query string, f func(*Rows) error) error {
	switch state, err := ix.inspect(ctx); {
	case err != nil:
		return err
	case state == empty:
		return errors.New("it is empty; ordeal campaign reindex fills it")
	case state == outdated:
		return errors.New("it is of an older version; ordeal campaign reindex rebuilds it")
	}
	rows, err := ix.conn.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	return f(&Rows{Columns: columns, Next: func() ([]any, error) {
		if !rows.Next() {
			return nil, rows.Err()
		}
		values := make([]any, len(columns))
		to := make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		return values, rows.Scan(to...)
	}})
}
