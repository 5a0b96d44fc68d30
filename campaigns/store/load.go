package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"
	"time"

	"ordeal/campaigns/journal"
	"ordeal/campaigns/store/diff"
	"ordeal/sim"
)

// load is a campaign on its way into the index.
type load struct {
	w       *writer
	a       *journal.Archive
	dir     string
	now     *source // of the directory
	known   known   // of the index
	prefix  prefix
	mark    *journal.Cursor
	configs map[string]*loadConfig
	added   int
	elapsed time.Duration // when the last run was recorded
}

// loadConfig is a configuration of it.
type loadConfig struct {
	id       int64
	coverage []covered // in the order of the journal
	whole    bool      // some run tells of transitions never taken
}

// covered is a row of coverage.
type covered struct {
	sim.Transition
	runs, first int // first is -1 for none
}

// open opens a campaign's directory and decides from where to read it: from
// where it was left, if that part and the other files are as they were.
func (w *writer) open(dir string, s *source, before *known) (*load, error) {
	l := &load{w: w, dir: dir, now: s, known: *before, prefix: prefix{Hash: sha256.New()}, configs: make(map[string]*loadConfig), mark: new(journal.Cursor)}
	var err error
	if l.a, err = journal.Open(dir); err != nil {
		return nil, err
	}
	return l, nil
}

// resumable tells whether what the index has of the journal is as it was.
func (l *load) resumable() (bool, error) {
	if l.known.id == 0 || !bytes.Equal(l.known.file, l.now.file) {
		return false, nil
	}
	err := l.prefix.extend(l.dir, l.known.bytes)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && bytes.Equal(l.prefix.Sum(nil), l.known.journal), err
}

// run writes the campaign. Bad is what is wrong with its directory, err with
// the index.
func (l *load) run(ctx context.Context) (bad, err error) {
	on, bad := l.resumable()
	if bad != nil {
		return bad, nil
	}
	if on {
		err = l.restore(ctx)
	} else {
		if err = l.w.remove(ctx, &l.known); err == nil {
			err = l.create(ctx)
		}
		l.prefix.Reset()
		l.prefix.bytes = 0
	}
	if err != nil {
		return nil, err
	}
	for e, bad := range l.a.EntriesAfter(l.mark) {
		if bad != nil {
			return bad, nil
		}
		if bad, err := l.entry(ctx, e); bad != nil || err != nil {
			return bad, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if bad := l.prefix.extend(l.dir, l.mark.Offset); bad != nil {
		return bad, nil
	}
	return nil, l.finish(ctx)
}

// restore takes up a campaign that the index has a part of.
func (l *load) restore(ctx context.Context) error {
	campaign := l.known.id
	var numbers []int
	var number, at int64
	var name string
	var config int64
	var t sim.Transition
	var runs, first int
	err := errors.Join(
		l.w.each(ctx, fmt.Sprintf("SELECT number FROM run WHERE campaign = %d", campaign), func() { numbers = append(numbers, int(number)) }, &number),
		l.w.each(ctx, fmt.Sprintf("SELECT COALESCE(MAX(at_ns), 0) FROM run WHERE campaign = %d", campaign), func() { l.elapsed = time.Duration(at) }, &at),
		l.w.each(ctx, fmt.Sprintf("SELECT id, name FROM config WHERE campaign = %d", campaign),
			func() { l.configs[name] = &loadConfig{id: config} }, &config, &name),
	)
	if err != nil {
		return err
	}
	err = l.w.each(ctx, fmt.Sprintf(`SELECT f.name, t.machine, t.state, t.event, t.unreachable, v.count, v.runs, COALESCE(v.first, -1)
		FROM config f JOIN coverage v ON v.config = f.id JOIN transition t ON t.id = v.transition WHERE f.campaign = %d ORDER BY f.id, v.position`, campaign),
		func() {
			c := l.configs[name]
			c.coverage = append(c.coverage, covered{t, runs, first})
		}, &name, &t.Machine, &t.State, &t.Event, &t.Unreachable, &t.Count, &runs, &first)
	if err != nil {
		return err
	}
	transitions := make(map[string]sim.Coverage)
	for name, c := range l.configs {
		for _, v := range c.coverage {
			v.Count = 0
			transitions[name] = append(transitions[name], v.Transition)
		}
	}
	l.mark = journal.CursorAt(l.known.bytes, numbers, transitions)
	return nil
}

// create writes a campaign of which the index has nothing.
func (l *load) create(ctx context.Context) error {
	rel, err := l.w.relative(l.dir)
	if err != nil {
		return err
	}
	c := l.a.Campaign
	r, err := l.w.conn.ExecContext(ctx, "INSERT INTO campaign VALUES (NULL, ?, ?, ?, ?, '', 0, '', 0, '', '')", rel, c.Name, seed(c.Seed), c.Sim)
	if err != nil {
		return err
	}
	if l.known.id, err = r.LastInsertId(); err != nil {
		return err
	}
	for i := range c.Configs {
		if err := l.config(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// head writes what a campaign's head says, which changes as the campaign goes.
func (l *load) head(ctx context.Context) error {
	h := &l.a.Head
	command, err := json.Marshal(append([]string{}, h.Command...))
	if err != nil {
		return err
	}
	planned := 0
	for _, has := range h.Shard.Has(l.a.Campaign) {
		if has {
			planned++
		}
	}
	elapsed := l.elapsed
	if h.End != "" {
		elapsed = h.Spent
	}
	errs := []error{
		l.w.exec(ctx, "UPDATE campaign SET shard = ?, planned = ?, started = ?, elapsed_ns = ?, ending = ?, command = ? WHERE id = ?",
			h.Shard.String(), planned, date(h.Started), int64(elapsed), string(h.End), string(command), l.known.id),
		l.w.exec(ctx, "DELETE FROM tool WHERE campaign = ?", l.known.id),
	}
	for name, version := range h.Tools {
		errs = append(errs, l.w.exec(ctx, "INSERT INTO tool VALUES (?, ?, ?)", l.known.id, name, version))
	}
	return errors.Join(errs...)
}

// config writes a configuration.
func (l *load) config(ctx context.Context, i int) error {
	c := l.a.Campaign
	cfg := &c.Configs[i]
	text, err := json.Marshal(cfg)
	if err != nil {
		return err
	}
	all, err := diff.SettingsOf(c, cfg)
	if err != nil {
		return err
	}
	settings := sha256.Sum256([]byte(all.String()))
	canary, control, needs := false, false, 0
	if b := cfg.Bug; b != nil {
		canary, control, needs = b.Equivalent == "", b.Equivalent != "", b.Budget
	}
	r, err := l.w.conn.ExecContext(ctx, "INSERT INTO config VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)",
		l.known.id, i, cfg.Name, c.SimOf(cfg), l.a.System(cfg), cfg.Expect, cfg.Runs, canary, control, needs, settings[:], string(text))
	if err != nil {
		return err
	}
	id, err := r.LastInsertId()
	l.configs[cfg.Name] = &loadConfig{id: id}
	return err
}

// entry writes a run. Bad is what is wrong with the entry.
func (l *load) entry(ctx context.Context, e *journal.Entry) (bad, err error) {
	program, bad := digest(e.Program)
	if bad != nil {
		return fmt.Errorf("run %d: program: %w", e.Number, bad), nil
	}
	log, bad := digest(e.Log)
	if bad != nil {
		return fmt.Errorf("run %d: log: %w", e.Number, bad), nil
	}
	var title, recurred, taken, fresh, dir any
	run := l.a.Ended(e)
	if run.Kept || run.Quarantined {
		rel, err := filepath.Rel(l.dir, string(run.Dir))
		if err != nil {
			return err, nil
		}
		dir = filepath.ToSlash(rel)
	}
	if e.Title != "" {
		if title, err = l.w.title(ctx, e.Title); err != nil {
			return nil, err
		}
	}
	if e.Alone != nil {
		recurred = e.Alone.Recurs
	}
	if n := l.cover(e); e.Covered != nil {
		taken, fresh = e.Covered.Taken, n
		l.configs[e.Config].whole = l.configs[e.Config].whole || e.Covered.Reachable > 0
	}
	judged := time.Duration(0)
	seen := make(map[string]bool, len(e.Answers))
	for i := range e.Answers {
		a := &e.Answers[i]
		if seen[a.Model] {
			return fmt.Errorf("run %d: two answers of %s", e.Number, a.Model), nil
		}
		seen[a.Model] = true
		judged += a.Search + a.Evidence
		v, err := l.w.verdict(ctx, a)
		if err != nil {
			return nil, err
		}
		if err := l.w.answers.add(ctx, l.known.id, e.Number, v, int64(a.Search), int64(a.Evidence)); err != nil {
			return nil, err
		}
	}
	l.added++
	l.elapsed = max(l.elapsed, e.At)
	return nil, l.w.runs.add(ctx, l.known.id, e.Number, l.configs[e.Config].id, int64(e.At), e.Outcome.String(), e.Finding(), run.Finding(), run.Caught(),
		title, recurred, e.Operations, int64(e.Elapsed), int64(judged), taken, fresh, dir, program, log)
}

// cover adds the coverage of a run and counts what no run before it took.
func (l *load) cover(e *journal.Entry) (fresh int) {
	c := l.configs[e.Config]
	for i := range e.Coverage {
		if i == len(c.coverage) {
			t := e.Coverage[i]
			t.Count = 0
			c.coverage = append(c.coverage, covered{t, 0, -1})
		}
		n, v := e.Coverage[i].Count, &c.coverage[i]
		if n == 0 || e.Covered == nil {
			continue
		}
		if v.Count == 0 {
			fresh++
			v.first = e.Number
		}
		v.Count += n
		v.runs++
	}
	return fresh
}

// finish writes what all runs say together.
func (l *load) finish(ctx context.Context) error {
	id := l.known.id
	if err := errors.Join(l.w.runs.flush(ctx), l.w.answers.flush(ctx)); err != nil {
		return err
	}
	errs := []error{
		l.head(ctx),
		l.w.exec(ctx, "DELETE FROM total WHERE config IN (SELECT id FROM config WHERE campaign = ?)", id),
		l.w.exec(ctx, `INSERT INTO total SELECT config, outcome, failed, finding, caught, COUNT(*), SUM(operations), SUM(simulated_ns), SUM(judged_ns)
			FROM run WHERE campaign = ? GROUP BY config, outcome`, id),
		l.w.exec(ctx, "REPLACE INTO source VALUES (?, ?, ?, ?, ?, ?, ?)", id, l.now.file, l.now.head, l.now.size, l.now.changed, l.mark.Offset, l.prefix.Sum(nil)),
	}
	for i := range l.a.Campaign.Configs {
		c := l.configs[l.a.Campaign.Configs[i].Name]
		if c.whole {
			errs = append(errs, l.w.exec(ctx, "UPDATE config SET whole = 1 WHERE id = ?", c.id))
		}
		for i := range c.coverage {
			v := &c.coverage[i]
			t, err := l.w.transition(ctx, &v.Transition)
			if err != nil {
				return err
			}
			var first any
			if v.first >= 0 {
				first = v.first
			}
			errs = append(errs, l.w.exec(ctx, "REPLACE INTO coverage VALUES (?, ?, ?, ?, ?, ?)", c.id, i, t, int64(v.Count), v.runs, first))
		}
	}
	return errors.Join(errs...)
}

// seed is a seed as the index holds it.
func seed(n uint64) any {
	if n > math.MaxInt64 {
		return strconv.FormatUint(n, 10)
	}
	return int64(n)
}

// date is a moment as the index holds it.
func date(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
