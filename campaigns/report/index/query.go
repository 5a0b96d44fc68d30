package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Rows are the rows of a query. Values are nil, int64, float64, string or
// []byte.
type Rows struct {
	Columns []string
	Next    func() ([]any, error) // nil, nil after the last
}

// Query asks an index one question in SQL, which can read the index and do
// nothing else. It calls f, in another goroutine, with the rows, which are valid
// until f returns. When ctx is done it returns, although SQLite may still work on
// a row: the driver does not interrupt that.
func Query(ctx context.Context, path, query string, f func(*Rows) error) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("open index %s: %w; ordeal campaign reindex makes it", path, fs.ErrNotExist)
	}
	ix, err := connect(ctx, path, "ro")
	if err != nil {
		return fmt.Errorf("open index %s: %w", path, explain(err))
	}
	done := make(chan error, 1)
	go func() { done <- errors.Join(ix.query(ctx, query, f), ix.close()) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case err = <-done:
		case <-time.After(interruptGrace):
			err = context.Cause(ctx)
		}
	}
	if err != nil {
		return fmt.Errorf("query index %s: %w", path, explain(err))
	}
	return nil
}

// interruptGrace is how long Query waits for SQLite when its context is done.
const interruptGrace = time.Second

func (ix *index) query(ctx context.Context, query string, f func(*Rows) error) error {
	switch state, err := ix.inspect(ctx); {
	case err != nil:
		return err
	case state == empty:
		return errors.New("it is empty; ordeal campaign reindex fills it")
	case state == outdated:
		return errors.New("it is of an older version; ordeal campaign reindex rebuilds it")
	}
	if err := ix.restrict(ctx); err != nil {
		return err
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
		more := rows.Next()
		if err := ctx.Err(); err != nil {
			return nil, err // Query has returned
		}
		if !more {
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
