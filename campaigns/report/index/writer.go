package index

import (
	"context"
	"database/sql"
	"errors"
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
	onRead        func(dir string, runs int) // Options.OnRead
}

// verdict is a row of the table of this name.
type verdict struct{ model, answer, procedure, reason string }

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

// forget drops the ids, which a rollback may have taken back.
func (w *writer) forget() {
	clear(w.titles)
	clear(w.verdicts)
	clear(w.transitions)
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
