package index

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"

	"ordeal/campaigns/run"
	"ordeal/sim"
)

// writer writes the rows of campaigns. It remembers the ids of rows that many
// others refer to.
type writer struct {
	*index
	runs, answers *sql.Stmt
	titles        map[string]int64
	verdicts      map[verdict]int64
	transitions   map[sim.Row]int64
	removed       bool                       // a row that refers to others
	onRead        func(dir string, runs int) // Options.OnRead
}

// verdict and transition are rows of the tables of these names.
type (
	verdict struct{ model, answer, procedure, reason string }
)

// newWriter writes into tables that exist. It is to be closed, even after an error:
// SQLite keeps a database open, and its file's descriptor, as long as it has a
// statement, and package sql closes none that is of one connection.
func (ix *index) newWriter(ctx context.Context) (*writer, error) {
	w := &writer{index: ix, titles: make(map[string]int64), verdicts: make(map[verdict]int64), transitions: make(map[sim.Row]int64)}
	var err error
	if w.runs, err = ix.conn.PrepareContext(ctx, "INSERT INTO run VALUES (?"+strings.Repeat(", ?", 17)+")"); err != nil {
		return w, err
	}
	w.answers, err = ix.conn.PrepareContext(ctx, "INSERT INTO answer VALUES (?, ?, ?, ?, ?)")
	return w, err
}

func (w *writer) close() error {
	var errs []error
	for _, s := range []*sql.Stmt{w.runs, w.answers} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// intern returns the id of a row that many others refer to. Query inserts it,
// or changes nothing, and returns its id.
func intern[K comparable](ctx context.Context, w *writer, known map[K]int64, key K, query string, args ...any) (int64, error) {
	if id, ok := known[key]; ok {
		return id, nil
	}
	var id int64
	err := w.get(ctx, query, args, &id)
	known[key] = id
	return id, err
}

func (w *writer) title(ctx context.Context, text string) (int64, error) {
	return intern(ctx, w, w.titles, text, "INSERT INTO title (text) VALUES (?) ON CONFLICT DO UPDATE SET text = text RETURNING id", text)
}

func (w *writer) verdict(ctx context.Context, a *run.Answer) (int64, error) {
	return intern(ctx, w, w.verdicts, verdict{a.Model, a.Answer, a.Procedure, a.Reason},
		"INSERT INTO verdict (model, answer, procedure, reason) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET model = model RETURNING id",
		a.Model, a.Answer, a.Procedure, a.Reason)
}

func (w *writer) transition(ctx context.Context, t *sim.Transition) (int64, error) {
	return intern(ctx, w, w.transitions, t.Row,
		"INSERT INTO transition (machine, state, event) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET machine = machine RETURNING id",
		t.Machine, t.State, t.Event)
}

// relative is the path of a campaign's directory in the index.
func (ix *index) relative(dir string) (string, error) {
	rel, err := filepath.Rel(ix.dir, dir)
	return filepath.ToSlash(rel), err
}

// indexed is what the index has of a campaign; id 0: nothing.
type indexed struct {
	id int64
	fingerprint
}

func (w *writer) lookup(ctx context.Context, dir string) (*indexed, error) {
	x := new(indexed)
	rel, err := w.relative(dir)
	if err != nil {
		return x, err
	}
	err = w.get(ctx, "SELECT id, file, head, size, changed_ns, bytes, journal FROM campaign JOIN source ON campaign = id WHERE dir = ?", []any{rel},
		&x.id, &x.file, &x.head, &x.size, &x.changed, &x.bytes, &x.journal)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return x, err
}

func (w *writer) count(ctx context.Context, campaign int64) (n int, err error) {
	err = w.get(ctx, "SELECT COALESCE(SUM(t.runs), 0) FROM config f JOIN total t ON t.config = f.id WHERE f.campaign = ?", []any{campaign}, &n)
	return n, err
}

func (w *writer) remove(ctx context.Context, x *indexed) error {
	if x.id == 0 {
		return nil
	}
	w.removed = true
	for _, query := range []string{
		"DELETE FROM total WHERE config IN (SELECT id FROM config WHERE campaign = ?)",
		"DELETE FROM coverage WHERE config IN (SELECT id FROM config WHERE campaign = ?)",
		"DELETE FROM answer WHERE campaign = ?",
		"DELETE FROM run WHERE campaign = ?",
		"DELETE FROM tool WHERE campaign = ?",
		"DELETE FROM config WHERE campaign = ?",
		"DELETE FROM source WHERE campaign = ?",
		"DELETE FROM campaign WHERE id = ?",
	} {
		if err := w.exec(ctx, query, x.id); err != nil {
			return err
		}
	}
	x.id = 0
	return nil
}

// removeUnused removes what only removed campaigns referred to.
func (w *writer) removeUnused(ctx context.Context) error {
	if !w.removed {
		return nil
	}
	return errors.Join(
		w.exec(ctx, "DELETE FROM title WHERE id NOT IN (SELECT title FROM run WHERE title IS NOT NULL)"),
		w.exec(ctx, "DELETE FROM verdict WHERE id NOT IN (SELECT verdict FROM answer)"),
		w.exec(ctx, "DELETE FROM transition WHERE id NOT IN (SELECT transition FROM coverage)"),
	)
}
