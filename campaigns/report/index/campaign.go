package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"time"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/report/compare"
)

// update writes one campaign into the index.
type update struct {
	w       *writer
	a       *journal.Archive
	dir     string
	id      int64
	configs map[string]*indexedConfig
	sum     *summary.Summary
}

type indexedConfig struct {
	id  int64
	row *summary.Row
	// first has for each transition of the row the first run that took it; -1 for none.
	first []int
}

// campaign indexes a campaign and counts its runs. The error invalid is about the
// campaign's directory, err about the index.
func (w *writer) campaign(ctx context.Context, dir string) (runs int, invalid, err error) {
	a, invalid := journal.Open(dir)
	if invalid != nil {
		return 0, invalid, nil
	}
	if w.onRead != nil {
		a.OnRead = func(lines int) { w.onRead(dir, lines) }
	}
	f := summary.Follow(a)
	u := &update{w: w, a: a, dir: dir, configs: make(map[string]*indexedConfig), sum: f.Summary()}
	if err := u.create(ctx); err != nil {
		return 0, nil, err
	}
	_, invalid = f.Read(func(e *journal.Entry) error {
		var invalid error
		if invalid, err = u.entry(ctx, e); err == nil {
			err = ctx.Err()
		}
		return errors.Join(invalid, err)
	})
	if err != nil || invalid != nil {
		return 0, invalid, err
	}
	return u.sum.Total().Runs, nil, u.finish(ctx)
}

// create inserts the rows of a campaign and its configurations.
func (u *update) create(ctx context.Context) error {
	rel, err := filepath.Rel(u.w.dir, u.dir)
	if err != nil {
		return err
	}
	c, h := u.a.Campaign, &u.a.Header
	command, err := json.Marshal(append([]string{}, h.Command...))
	if err != nil {
		return err
	}
	planned := 0
	for _, has := range h.Shard.Has(c) {
		if has {
			planned++
		}
	}
	u.id, err = u.w.insert(ctx, "INSERT INTO campaign VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", filepath.ToSlash(rel), c.Name, seed(c.Seed), c.Sim,
		h.Shard.String(), planned, date(h.Started), int64(h.Spent), string(h.End), string(command))
	errs := []error{err}
	for name, version := range h.Tools {
		errs = append(errs, u.w.exec(ctx, "INSERT INTO tool VALUES (?, ?, ?)", u.id, name, version))
	}
	for i := range c.Configs {
		errs = append(errs, u.config(ctx, i))
	}
	return errors.Join(errs...)
}

func (u *update) config(ctx context.Context, i int) error {
	c := u.a.Campaign
	cfg := &c.Configs[i]
	text, err := json.Marshal(cfg)
	if err != nil {
		return err
	}
	all, err := compare.SettingsOf(c, cfg)
	if err != nil {
		return err
	}
	settings := sha256.Sum256([]byte(all.String()))
	canary, control, needs := false, false, 0
	if b := cfg.Bug; b != nil {
		canary, control, needs = b.Equivalent == "", b.Equivalent != "", b.Budget
	}
	id, err := u.w.insert(ctx, "INSERT INTO config VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)",
		u.id, i, cfg.Name, c.SimOf(cfg), u.a.System(cfg), cfg.Expect, c.Planned()[i], canary, control, needs, settings[:], string(text))
	u.configs[cfg.Name] = &indexedConfig{id: id, row: &u.sum.Rows[i]}
	return err
}

// entry inserts a run. The error invalid is about the entry.
func (u *update) entry(ctx context.Context, e *journal.Entry) (invalid, err error) {
	uninterrupted := context.WithoutCancel(ctx) // a statement takes less time than watching for an interrupt
	program, errProgram := digest(e.Program)
	log, errLog := digest(e.LogHash)
	if invalid := errors.Join(errProgram, errLog); invalid != nil {
		return fmt.Errorf("run %d: %w", e.Number, invalid), nil
	}
	var title, recurred, taken, fresh, dir any
	if e.Kept || e.Quarantined() {
		rel, err := filepath.Rel(u.dir, string(e.Dir))
		if err != nil {
			return err, nil
		}
		dir = filepath.ToSlash(rel)
	}
	if name := e.FindingTitle(); name != "" {
		if title, err = u.w.title(ctx, name); err != nil {
			return nil, err
		}
	}
	if e.Replaces != nil {
		if err := u.w.exec(ctx, "UPDATE run SET dir = NULL WHERE campaign = ? AND number = ?", u.id, *e.Replaces); err != nil {
			return nil, err
		}
	}
	if e.Alone != nil {
		recurred = e.Alone.Recurs
	}
	if e.Covered != nil {
		taken, fresh = e.Covered.Taken, u.configs[e.ConfigName].cover(e)
	}
	checked := time.Duration(0)
	seen := make(map[string]bool, len(e.Answers))
	for i := range e.Answers {
		a := &e.Answers[i]
		if seen[a.Model] {
			return fmt.Errorf("run %d: two answers of %s", e.Number, a.Model), nil
		}
		seen[a.Model] = true
		checked += a.Search + a.Evidence
		v, err := u.w.verdict(ctx, a)
		if err != nil {
			return nil, err
		}
		if _, err := u.w.answers.ExecContext(uninterrupted, u.id, e.Number, v, int64(a.Search), int64(a.Evidence)); err != nil {
			return nil, err
		}
	}
	_, err = u.w.runs.ExecContext(uninterrupted, u.id, e.Number, u.configs[e.ConfigName].id, int64(e.At), e.Outcome.String(), e.Failed(), e.Finding(), e.Caught(),
		title, recurred, e.Operations, int64(e.Elapsed), int64(checked), taken, fresh, dir, program, log)
	return nil, err
}

// cover notes which transitions a run was the first to take, and counts them.
func (c *indexedConfig) cover(e *journal.Entry) (fresh int) {
	for i := range e.Coverage {
		if i == len(c.first) {
			c.first = append(c.first, -1)
		}
		if e.Coverage[i].Taken() && c.first[i] < 0 {
			c.first[i] = e.Number
			fresh++
		}
	}
	return fresh
}

// finish writes the totals of all runs.
func (u *update) finish(ctx context.Context) error {
	errs := []error{
		u.w.exec(ctx, `INSERT INTO total SELECT config, outcome, failed, finding, caught, COUNT(*), SUM(operations), SUM(simulated_ns), SUM(check_ns)
			FROM run WHERE campaign = ? GROUP BY config, outcome`, u.id),
	}
	if u.a.Header.End == "" {
		errs = append(errs, u.w.exec(ctx, "UPDATE campaign SET elapsed_ns = ? WHERE id = ?", int64(u.sum.Recorded), u.id))
	}
	for i := range u.a.Campaign.Configs {
		c := u.configs[u.a.Campaign.Configs[i].Name]
		if c.row.Whole {
			errs = append(errs, u.w.exec(ctx, "UPDATE config SET whole = 1 WHERE id = ?", c.id))
		}
		for i := range c.row.Coverage {
			v := &c.row.Coverage[i]
			t, err := u.w.transition(ctx, v)
			if err != nil {
				return err
			}
			var first any
			if c.first[i] >= 0 {
				first = c.first[i]
			}
			errs = append(errs, u.w.exec(ctx, "INSERT INTO coverage VALUES (?, ?, ?, ?, ?, ?)", c.id, i, t, int64(v.Count), v.Runs, first))
		}
	}
	return errors.Join(errs...)
}

// seed is a seed as a column: SQLite has no unsigned integers.
func seed(n uint64) any {
	if n > math.MaxInt64 {
		return strconv.FormatUint(n, 10)
	}
	return int64(n)
}

func date(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// digest decodes a SHA-256 in hexadecimal; nil of an empty one.
func digest(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) != sha256.Size {
		return nil, fmt.Errorf("%.80q is no SHA-256", text)
	}
	return sum, nil
}
