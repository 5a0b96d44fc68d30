package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// errDamaged marks a file that SQLite cannot make sense of.
var errDamaged = errors.New("the file is damaged; move it away, or name another with --db: the index is made again of the run directories")

// patience is how long a process waits for another that writes the index.
const patience = 10 * time.Minute

// cacheSize is how many bytes of the index are held in memory. A transaction
// that writes more shuts out readers before it commits.
const cacheSize = 128 << 20

// magic is how a SQLite database begins.
var magic = []byte("SQLite format 3\x00")

// index is a connection to the database.
type index struct {
	path string // as it was named
	dir  string // of the database: directories of campaigns are relative to it
	db   *sql.DB
	conn *sql.Conn
}

// connect opens a database, by the mode of SQLite's URIs: ro, or rwc to create
// it.
func connect(ctx context.Context, path, mode string) (*index, error) {
	if err := looksRight(path); err != nil {
		return nil, err
	}
	dir, err := real(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	ix := &index{path: path, dir: dir}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(dir, filepath.Base(path))), RawQuery: url.Values{
		"mode": {mode}, "_pragma": {"busy_timeout(1000)", fmt.Sprintf("cache_size(-%d)", cacheSize>>10)},
	}.Encode()}
	if ix.db, err = sql.Open("sqlite", name.String()); err != nil {
		return nil, err
	}
	if ix.conn, err = ix.db.Conn(ctx); err != nil {
		return nil, errors.Join(plain(err), ix.db.Close())
	}
	return ix, nil
}

// looksRight refuses a file that is no SQLite database.
func looksRight(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, len(magic))
	n, err := io.ReadFull(f, head)
	if n == 0 && err == io.EOF {
		return nil // made, but never written
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if !bytes.Equal(head, magic) {
		return errors.New("it is no SQLite database; name another file with --db")
	}
	return nil
}

// real is the absolute path of a directory, symbolic links followed, so that
// one directory has one name.
func real(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

func (ix *index) close() error { return errors.Join(ix.conn.Close(), ix.db.Close()) }

// exec executes statements.
func (ix *index) exec(ctx context.Context, query string, args ...any) error {
	_, err := ix.conn.ExecContext(ctx, query, args...)
	return err
}

// strings are the rows of a query of one column.
func (ix *index) strings(ctx context.Context, query string, args ...any) ([]string, error) {
	rows, err := ix.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

// patiently executes a statement that others may be in the way of: those who
// write of BEGIN IMMEDIATE, those who read of COMMIT.
func (ix *index) patiently(ctx context.Context, query string) error {
	for start := time.Now(); ; {
		err := ix.exec(ctx, query)
		if primary(code(err)) != lib.SQLITE_BUSY || ctx.Err() != nil {
			return err
		}
		if time.Since(start) > patience {
			return fmt.Errorf("other processes have been using it for %v: %w", patience, err)
		}
	}
}

// code is SQLite's extended result code of an error; 0 of others.
func code(err error) int {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return 0
	}
	return se.Code()
}

// primary is the primary result code of an extended one.
func primary(code int) int { return code & 0xff }

// plain says of errors of SQLite what they mean where that is not plain.
func plain(err error) error {
	switch c := code(err); {
	case primary(c) == lib.SQLITE_CORRUPT || primary(c) == lib.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", errDamaged, err)
	case c == lib.SQLITE_READONLY_ROLLBACK:
		return fmt.Errorf("a process that wrote it was killed; ordeal campaign reindex puts that right: %w", err)
	}
	return err
}
