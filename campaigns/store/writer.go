package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"

	"ordeal/campaigns/rundir"
	"ordeal/sim"
)

// writer writes the rows of campaigns. What many rows refer to has an id that
// it knows by heart.
type writer struct {
	*index
	runs, answers *batch
	titles        map[string]int64
	verdicts      map[verdict]int64
	transitions   map[transition]int64
	removed       bool // some row that others may have referred to
}

// verdict and transition are rows of the tables of these names.
type (
	verdict    struct{ model, answer, procedure, reason string }
	transition struct{ machine, state, event, unreachable string }
)

// writer prepares for writing into tables that exist.
func (ix *index) writer(ctx context.Context) (*writer, error) {
	w := &writer{index: ix, titles: make(map[string]int64), verdicts: make(map[verdict]int64), transitions: make(map[transition]int64)}
	var id int64
	var title string
	var v verdict
	var t transition
	err := errors.Join(
		ix.each(ctx, "SELECT id, text FROM title", func() { w.titles[title] = id }, &id, &title),
		ix.each(ctx, "SELECT id, model, answer, procedure, reason FROM verdict", func() { w.verdicts[v] = id },
			&id, &v.model, &v.answer, &v.procedure, &v.reason),
		ix.each(ctx, "SELECT id, machine, state, event, unreachable FROM transition", func() { w.transitions[t] = id },
			&id, &t.machine, &t.state, &t.event, &t.unreachable),
	)
	if err != nil {
		return nil, err
	}
	w.runs, w.answers = newBatch(ix.conn, "run", 18), newBatch(ix.conn, "answer", 5)
	return w, nil
}

// each scans the rows of a query into to and calls f behind each.
func (ix *index) each(ctx context.Context, query string, f func(), to ...any) error {
	rows, err := ix.conn.QueryContext(ctx, query)
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

// id is the id of a row that many refer to; it is made where there is none.
func id[K comparable](ctx context.Context, w *writer, known map[K]int64, key K, insert string, args ...any) (int64, error) {
	if n, ok := known[key]; ok {
		return n, nil
	}
	r, err := w.conn.ExecContext(ctx, insert, args...)
	if err != nil {
		return 0, err
	}
	n, err := r.LastInsertId()
	known[key] = n
	return n, err
}

func (w *writer) title(ctx context.Context, text string) (int64, error) {
	return id(ctx, w, w.titles, text, "INSERT INTO title (text) VALUES (?)", text)
}

func (w *writer) verdict(ctx context.Context, a *rundir.Answer) (int64, error) {
	return id(ctx, w, w.verdicts, verdict{a.Model, a.Answer, a.Procedure, a.Reason},
		"INSERT INTO verdict (model, answer, procedure, reason) VALUES (?, ?, ?, ?)", a.Model, a.Answer, a.Procedure, a.Reason)
}

func (w *writer) transition(ctx context.Context, t *sim.Transition) (int64, error) {
	return id(ctx, w, w.transitions, transition{t.Machine, t.State, t.Event, t.Unreachable},
		"INSERT INTO transition (machine, state, event, unreachable) VALUES (?, ?, ?, ?)", t.Machine, t.State, t.Event, t.Unreachable)
}

// relative is the path of a campaign's directory in the index.
func (ix *index) relative(dir string) (string, error) {
	rel, err := filepath.Rel(ix.dir, dir)
	return filepath.ToSlash(rel), err
}

// known is what the index has of a campaign; id 0: nothing.
type known struct {
	id int64
	source
}

// known looks a campaign up.
func (w *writer) known(ctx context.Context, dir string) (*known, error) {
	k := new(known)
	rel, err := w.relative(dir)
	if err != nil {
		return k, err
	}
	err = w.conn.QueryRowContext(ctx, "SELECT id, file, head, size, changed_ns, bytes, journal FROM campaign JOIN source ON campaign = id WHERE dir = ?", rel).
		Scan(&k.id, &k.file, &k.head, &k.size, &k.changed, &k.bytes, &k.journal)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return k, err
}

// same tells whether the directory has not been touched since.
func (k *known) same(s *source) bool {
	return k.id != 0 && bytes.Equal(k.file, s.file) && bytes.Equal(k.head, s.head) && k.size == s.size && k.changed == s.changed
}

// count counts the runs of a campaign.
func (w *writer) count(ctx context.Context, campaign int64) (n int, err error) {
	err = w.conn.QueryRowContext(ctx, "SELECT COALESCE(SUM(t.runs), 0) FROM config f JOIN total t ON t.config = f.id WHERE f.campaign = ?", campaign).Scan(&n)
	return n, err
}

// remove takes a campaign out of the index.
func (w *writer) remove(ctx context.Context, k *known) error {
	if k.id == 0 {
		return nil
	}
	w.removed = true
	w.runs.forget()
	w.answers.forget()
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
		if err := w.exec(ctx, query, k.id); err != nil {
			return err
		}
	}
	k.id = 0
	return nil
}

// tidy removes what removed campaigns alone referred to.
func (w *writer) tidy(ctx context.Context) error {
	if !w.removed {
		return nil
	}
	return errors.Join(
		w.exec(ctx, "DELETE FROM title WHERE id NOT IN (SELECT title FROM run WHERE title IS NOT NULL)"),
		w.exec(ctx, "DELETE FROM verdict WHERE id NOT IN (SELECT verdict FROM answer)"),
		w.exec(ctx, "DELETE FROM transition WHERE id NOT IN (SELECT transition FROM coverage)"),
	)
}

// digest reads a SHA-256 in hexadecimal; nil of an empty one.
func digest(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) != 32 {
		return nil, fmt.Errorf("%.80q is no SHA-256", text)
	}
	return sum, nil
}
