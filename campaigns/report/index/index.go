// Package index keeps an index of campaigns: a SQLite database, made from the
// directories of campaigns, that is queried with SQL. The directories are the
// truth. Reindex builds an index whole, Query asks it, Schema documents it.
//
// Reindex writes in one transaction, in SQLite's rollback mode: after a kill
// the index is the old one or the new one, and readers see one of them. WAL
// would not block readers during the commit, but it needs memory shared by all
// processes, which the network file systems of clusters do not have. A second
// Reindex waits for the first.
package index

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"ordeal/sim/osfile"
)

// errDamaged means that SQLite cannot read the file.
var errDamaged = errors.New("the file is damaged; move it away or name another with --db: the index is rebuilt from the run directories")

// busyTimeout is how long a process waits for another that writes the index.
const busyTimeout = 10 * time.Minute

// cacheSize is how many bytes of the index are held in memory. A transaction
// that writes more locks out readers before it commits.
const cacheSize = 128 << 20

// magic begins a SQLite database.
var magic = []byte("SQLite format 3\x00")

type index struct {
	dir  string // of the database: directories of campaigns are relative to it
	db   *sql.DB
	conn *sql.Conn
}

// connect opens a database in a mode of SQLite's URIs: ro, or rwc to create it.
func connect(ctx context.Context, path, mode string) (*index, error) {
	if err := checkMagic(path); err != nil {
		return nil, err
	}
	dir, err := realPath(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	ix := &index{dir: dir}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(dir, filepath.Base(path))), RawQuery: url.Values{
		"mode": {mode}, "_pragma": {"busy_timeout(1000)", fmt.Sprintf("cache_size(-%d)", cacheSize>>10)},
	}.Encode()}
	if ix.db, err = sql.Open("sqlite", name.String()); err != nil {
		return nil, err
	}
	if ix.conn, err = ix.db.Conn(ctx); err != nil {
		return nil, errors.Join(explain(err), ix.db.Close())
	}
	return ix, nil
}

// checkMagic refuses a file that is no SQLite database. An empty file is one
// that was created, but never written.
func checkMagic(path string) error {
	f, err := osfile.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, int64(len(magic))))
	if err == nil && len(head) > 0 && !bytes.Equal(head, magic) {
		err = errors.New("it is no SQLite database; name another file with --db")
	}
	return err
}

// realPath is the absolute path of a directory without symbolic links, so that
// each directory has one name.
func realPath(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

func (ix *index) close() error { return errors.Join(ix.conn.Close(), ix.db.Close()) }

func (ix *index) exec(ctx context.Context, query string, args ...any) error {
	_, err := ix.conn.ExecContext(ctx, query, args...)
	return err
}

// insert inserts a row and returns its id.
func (ix *index) insert(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := ix.conn.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// get scans the only row of a query.
func (ix *index) get(ctx context.Context, query string, args []any, to ...any) error {
	return ix.conn.QueryRowContext(ctx, query, args...).Scan(to...)
}

// each scans every row of a query and calls f after each.
func (ix *index) each(ctx context.Context, query string, args []any, f func(), to ...any) error {
	rows, err := ix.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		f()
	}
	return rows.Err()
}

// execWhenFree executes a statement that waits for other processes: BEGIN
// IMMEDIATE for writers, COMMIT for readers.
func (ix *index) execWhenFree(ctx context.Context, query string) error {
	for start := time.Now(); ; {
		err := ix.exec(ctx, query)
		if primary(resultCode(err)) != lib.SQLITE_BUSY || ctx.Err() != nil {
			return err
		}
		if time.Since(start) > busyTimeout {
			return fmt.Errorf("other processes have been using it for %v: %w", busyTimeout, err)
		}
	}
}

// resultCode is SQLite's extended result code of an error; 0 of others.
func resultCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}

// primary is the primary result code of an extended one.
func primary(code int) int { return code & 0xff }

// explain adds to errors of SQLite what to do about them.
func explain(err error) error {
	switch primary(resultCode(err)) {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", errDamaged, err)
	case lib.SQLITE_READONLY:
		return fmt.Errorf("a question only reads; after a kill ordeal campaign reindex repairs the index: %w", err)
	case lib.SQLITE_AUTH:
		return fmt.Errorf("a question only reads the index: %w", err)
	}
	return err
}
