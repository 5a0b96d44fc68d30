package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"
	"time"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/report/compare"
	"ordeal/sim"
)

// update writes one campaign into the index.
type update struct {
	w       *writer
	a       *journal.Archive
	dir     string
	now     *fingerprint // of the directory
	before  indexed      // what the index has
	prefix  prefix
	mark    *journal.Cursor
	configs map[string]*indexedConfig
	added   int
	elapsed time.Duration // when the last run was recorded
}

type indexedConfig struct {
	id       int64
	coverage []covered // in the order of the journal
	whole    bool      // the simulator also lists transitions that were never taken
}

type covered struct {
	sim.Transition
	runs, first int // first is -1 if no run took it
}

func (w *writer) newUpdate(dir string, now *fingerprint, before *indexed) (*update, error) {
	a, err := journal.Open(dir)
	if err == nil && w.onRead != nil {
		a.OnRead = func(lines int) { w.onRead(dir, lines) }
	}
	return &update{
		w: w, a: a, dir: dir, now: now, before: *before, prefix: prefix{Hash: sha256.New()},
		configs: make(map[string]*indexedConfig), mark: new(journal.Cursor),
	}, err
}

// resumable reports whether the part of the journal that the index has is as
// it was.
func (u *update) resumable() (bool, error) {
	if u.before.id == 0 || !bytes.Equal(u.before.file, u.now.file) {
		return false, nil
	}
	err := u.prefix.extend(u.dir, u.before.bytes)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && bytes.Equal(u.prefix.Sum(nil), u.before.journal), err
}

// run reads the new part of the journal, or all of it where the index has
// nothing or something else. The error invalid is about the campaign's
// directory, err about the index.
func (u *update) run(ctx context.Context) (invalid, err error) {
	resume, invalid := u.resumable()
	if invalid != nil {
		return invalid, nil
	}
	if resume {
		err = u.restore(ctx)
	} else {
		if err = u.w.remove(ctx, &u.before); err == nil {
			err = u.create(ctx)
		}
		u.prefix.Reset()
		u.prefix.bytes = 0
	}
	if err != nil {
		return nil, err
	}
	for e, invalid := range u.a.EntriesAfter(u.mark.Passing()) {
		if invalid != nil {
			return invalid, nil
		}
		if invalid, err := u.entry(ctx, e); invalid != nil || err != nil {
			return invalid, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if invalid := u.prefix.extend(u.dir, u.mark.Offset); invalid != nil {
		return invalid, nil
	}
	return nil, u.finish(ctx)
}

// restore reads from the index what is needed to go on with a campaign.
func (u *update) restore(ctx context.Context) error {
	campaign := []any{u.before.id}
	var numbers []int
	var number int
	var latest int64
	var name string
	var config int64
	v := covered{}
	transitions := make(map[string]sim.Coverage)
	err := errors.Join(
		u.w.each(ctx, "SELECT number FROM run WHERE campaign = ?", campaign, func() { numbers = append(numbers, number) }, &number),
		u.w.get(ctx, "SELECT COALESCE(MAX(at_ns), 0) FROM run WHERE campaign = ?", campaign, &latest),
		u.w.each(ctx, "SELECT id, name FROM config WHERE campaign = ?", campaign,
			func() { u.configs[name] = &indexedConfig{id: config} }, &config, &name),
		u.w.each(ctx, `SELECT f.name, t.machine, t.state, t.event, v.count, v.runs, COALESCE(v.first, -1)
			FROM config f JOIN coverage v ON v.config = f.id JOIN transition t ON t.id = v.transition WHERE f.campaign = ? ORDER BY f.id, v.position`, campaign,
			func() {
				u.configs[name].coverage = append(u.configs[name].coverage, v)
				t := v.Transition
				t.Count = 0
				transitions[name] = append(transitions[name], t)
			}, &name, &v.Machine, &v.State, &v.Event, &v.Count, &v.runs, &v.first),
	)
	u.elapsed = time.Duration(latest)
	u.mark = journal.CursorAt(u.before.bytes, numbers, transitions)
	return err
}

// create inserts the rows of a new campaign and its configurations.
func (u *update) create(ctx context.Context) error {
	rel, err := u.w.relative(u.dir)
	if err != nil {
		return err
	}
	c := u.a.Campaign
	u.before.id, err = u.w.insert(ctx, "INSERT INTO campaign VALUES (NULL, ?, ?, ?, ?, '', 0, '', 0, '', '')", rel, c.Name, seed(c.Seed), c.Sim)
	if err != nil {
		return err
	}
	for i := range c.Configs {
		if err := u.config(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// head writes the content of campaign.json, which changes as the campaign
// progresses.
func (u *update) head(ctx context.Context) error {
	h := &u.a.Header
	command, err := json.Marshal(append([]string{}, h.Command...))
	if err != nil {
		return err
	}
	planned := 0
	for _, has := range h.Shard.Has(u.a.Campaign) {
		if has {
			planned++
		}
	}
	elapsed := u.elapsed
	if h.End != "" {
		elapsed = h.Spent
	}
	errs := []error{
		u.w.exec(ctx, "UPDATE campaign SET shard = ?, planned = ?, started = ?, elapsed_ns = ?, ending = ?, command = ? WHERE id = ?",
			h.Shard.String(), planned, date(h.Started), int64(elapsed), string(h.End), string(command), u.before.id),
		u.w.exec(ctx, "DELETE FROM tool WHERE campaign = ?", u.before.id),
	}
	for name, version := range h.AllTools() {
		errs = append(errs, u.w.exec(ctx, "INSERT INTO tool VALUES (?, ?, ?)", u.before.id, name, version))
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
		u.before.id, i, cfg.Name, c.SimOf(cfg), u.a.System(cfg), cfg.Expect, c.Planned()[i], canary, control, needs, settings[:], string(text))
	u.configs[cfg.Name] = &indexedConfig{id: id}
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
		if err := u.w.exec(ctx, "UPDATE run SET dir = NULL WHERE campaign = ? AND number = ?", u.before.id, *e.Replaces); err != nil {
			return nil, err
		}
	}
	if e.Alone != nil {
		recurred = e.Alone.Recurs
	}
	if n := u.cover(e); e.Covered != nil {
		taken, fresh = e.Covered.Taken, n
		u.configs[e.ConfigName].whole = u.configs[e.ConfigName].whole || e.Covered.Total > 0
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
		if _, err := u.w.answers.ExecContext(uninterrupted, u.before.id, e.Number, v, int64(a.Search), int64(a.Evidence)); err != nil {
			return nil, err
		}
	}
	u.added++
	u.elapsed = max(u.elapsed, e.At)
	_, err = u.w.runs.ExecContext(uninterrupted, u.before.id, e.Number, u.configs[e.ConfigName].id, int64(e.At), e.Outcome.String(), e.Failed(), e.Finding(), e.Caught(),
		title, recurred, e.Operations, int64(e.Elapsed), int64(checked), taken, fresh, dir, program, log)
	return nil, err
}

// cover adds the coverage of a run and counts the transitions that no earlier
// run took.
func (u *update) cover(e *journal.Entry) (fresh int) {
	c := u.configs[e.ConfigName]
	for i := range e.Coverage {
		if i == len(c.coverage) {
			t := e.Coverage[i]
			t.Count = 0
			c.coverage = append(c.coverage, covered{t, 0, -1})
		}
		t, v := &e.Coverage[i], &c.coverage[i]
		if !t.Taken() || e.Covered == nil {
			continue
		}
		if v.runs == 0 {
			fresh++
			v.first = e.Number
		}
		v.Count += t.Count
		v.runs++
	}
	return fresh
}

// finish writes the totals of all runs.
func (u *update) finish(ctx context.Context) error {
	id := u.before.id
	errs := []error{
		u.head(ctx),
		u.w.exec(ctx, "DELETE FROM total WHERE config IN (SELECT id FROM config WHERE campaign = ?)", id),
		u.w.exec(ctx, `INSERT INTO total SELECT config, outcome, failed, finding, caught, COUNT(*), SUM(operations), SUM(simulated_ns), SUM(check_ns)
			FROM run WHERE campaign = ? GROUP BY config, outcome`, id),
		u.w.exec(ctx, "REPLACE INTO source VALUES (?, ?, ?, ?, ?, ?, ?)", id, u.now.file, u.now.head, u.now.size, u.now.changed, u.mark.Offset, u.prefix.Sum(nil)),
	}
	for i := range u.a.Campaign.Configs {
		c := u.configs[u.a.Campaign.Configs[i].Name]
		if c.whole {
			errs = append(errs, u.w.exec(ctx, "UPDATE config SET whole = 1 WHERE id = ?", c.id))
		}
		for i := range c.coverage {
			v := &c.coverage[i]
			t, err := u.w.transition(ctx, &v.Transition)
			if err != nil {
				return err
			}
			var first any
			if v.first >= 0 {
				first = v.first
			}
			errs = append(errs, u.w.exec(ctx, "REPLACE INTO coverage VALUES (?, ?, ?, ?, ?, ?)", c.id, i, t, int64(v.Count), v.runs, first))
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
