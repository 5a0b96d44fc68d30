package journal

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

func parse(t *testing.T, text string) *config.Campaign {
	t.Helper()
	c, err := config.Parse("test.yaml", []byte(text), nil)
	must.Succeed(t, err)
	return c
}

const campaign = "{name: test, configs: [{name: a, runs: 8}]}"

func create(t *testing.T, text string, shard config.Shard) *Writer {
	t.Helper()
	w, err := Create(t.TempDir(), parse(t, text), Header{Version: run.FormatVersion, Shard: shard, Session: time.Now()})
	must.Succeed(t, err)
	t.Cleanup(func() { _ = w.Close() }) // a test may have closed it
	return w
}

// entry is a run that took transitions.
func entry(a *Archive, number int, events ...string) *Entry {
	var taken sim.Coverage
	for _, event := range events {
		taken = append(taken, sim.Transition{Row: sim.Row{Machine: "L1", State: "I", Event: event}, Count: 1})
	}
	e := a.NewEntry(number)
	e.Coverage = taken
	e.Result = &run.Result{Outcome: sim.Passed, Covered: run.CoveredBy(taken)}
	return e
}

func appendAll(t *testing.T, w *Writer, entries ...*Entry) {
	t.Helper()
	for _, e := range entries {
		must.Succeed(t, w.Append(e))
	}
}

func reopen(t *testing.T, dir string) *Writer {
	t.Helper()
	w, err := Reopen(dir)
	must.Succeed(t, err)
	t.Cleanup(func() { _ = w.Close() }) // a test may have closed it
	return w
}

// replay returns the runs that count, by number with the transitions that they
// took, and the rejected lines.
func replay(t *testing.T, w *Writer) (runs map[int]string, rejected []Rejected) {
	t.Helper()
	runs = make(map[int]string)
	rejected, err := w.Replay(func(e *Entry) {
		for i := range e.Coverage {
			if e.Coverage[i].Count > 0 {
				runs[e.Number] += e.Coverage[i].Event
			}
		}
	})
	must.Succeed(t, err)
	return runs, rejected
}

// sealed matches the checksum of a line.
var sealed = regexp.MustCompile(`,"crc32c":"[0-9a-f]{8}"`)

// TestReplay damages a journal of five runs, replays it, repairs it and replays
// it again: the other runs count, and the repaired journal can be appended to.
func TestReplay(t *testing.T) {
	for _, tt := range []struct {
		name     string
		edit     func(lines []string) []string
		rejected map[int]string // by line: part of the reason
		rest     string         // the runs that count, in order
	}{
		{"whole", func(lines []string) []string { return lines }, nil, "01234"},
		{"empty", func([]string) []string { return nil }, nil, ""},
		{"last line cut short", func(lines []string) []string { lines[4] = lines[4][:20]; return lines }, nil, "0123"},
		{"not JSON", func(lines []string) []string { lines[3] = "\x00\n"; return lines }, map[int]string{4: "invalid"}, "0124"},
		{"a digit changed", func(lines []string) []string {
			lines[3] = strings.Replace(string(run.Seal([]byte(strings.TrimSpace(lines[3])))), `"at_ns":0`, `"at_ns":7`, 1)
			return lines
		}, map[int]string{4: "was changed after it was written"}, "0124"},
		{"run twice", func(lines []string) []string { return append(lines, lines[0]) }, map[int]string{6: "run 0 of"}, "01234"},
		{"other configuration", func(lines []string) []string {
			lines[4] = strings.Replace(lines[4], `"config":"a"`, `"config":"b"`, 1)
			return lines
		}, map[int]string{5: "configuration \"b\""}, "0123"},
		{"beyond the campaign", func(lines []string) []string { return append(lines, `{"number":8,"config":"a"}`+"\n") }, map[int]string{6: "run 8"}, "01234"},
		{"negative", func(lines []string) []string { return append(lines, `{"number":-1,"config":"a"}`+"\n") }, map[int]string{6: "run -1"}, "01234"},
		{"first line missing", func(lines []string) []string { return lines[1:] }, map[int]string{1: "one is lost", 2: "one is lost", 3: "one is lost", 4: "one is lost"}, ""},
		{"infrastructure", func(lines []string) []string {
			lines[4] = strings.Replace(lines[4], `"outcome":"passed"`, `"outcome":"infra"`, 1)
			return lines
		}, map[int]string{5: "could not be executed"}, "0123"},
		{"directory missing", func(lines []string) []string {
			lines[4] = strings.Replace(lines[4], `"kept":false`, `"kept":true`, 1)
			return lines
		}, map[int]string{5: "the files of run 4 are corrupt"}, "0123"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := create(t, campaign, config.Shard{})
			took := []string{"A", "B", "AC", "C", "B"}
			for number, events := range took {
				appendAll(t, w, entry(w.Archive, number, strings.Split(events, "")...))
			}
			must.Succeed(t, w.Close())
			data, err := os.ReadFile(w.Path(RunsFile))
			must.Succeed(t, err)
			var lines []string // as of earlier versions
			for line := range strings.Lines(string(data)) {
				lines = append(lines, sealed.ReplaceAllString(line, ""))
			}
			lines = tt.edit(lines)
			must.Succeed(t, os.WriteFile(w.Path(RunsFile), []byte(strings.Join(lines, "")), 0o644))
			w = reopen(t, w.Dir)
			got, rejected := replay(t, w)
			corrupt := ""
			for _, r := range rejected {
				corrupt += string(r.Text)
				if why := tt.rejected[r.Line]; why == "" || !strings.Contains(r.Err.Error(), why) {
					t.Errorf("line %d: %v, want %q", r.Line, r.Err, why)
				}
			}
			if len(rejected) != len(tt.rejected) {
				t.Errorf("%d lines are rejected, want %d", len(rejected), len(tt.rejected))
			}
			if len(rejected) > 0 {
				must.Succeed(t, w.Repair(rejected))
				if _, err := Reopen(w.Dir); err == nil {
					t.Error("a repaired journal is not locked")
				}
				if got, rejected = replay(t, w); len(rejected) > 0 {
					t.Errorf("rejected after the repair: %+v", rejected)
				}
			}
			text, err := os.ReadFile(filepath.Join(w.Path(QuarantineDir), LinesFile))
			if corrupt != "" && err != nil {
				t.Errorf("corrupt lines are not in quarantine: %v", err)
			}
			for line := range strings.Lines(corrupt) {
				if !strings.Contains(string(text), line) {
					t.Errorf("%q is not in quarantine:\n%s", line, text)
				}
			}
			appendAll(t, w, entry(w.Archive, 7, "B", "D"))
			want := map[int]string{7: "BD"}
			for _, number := range tt.rest {
				want[int(number-'0')] = took[number-'0']
			}
			got[7] = "BD"
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("runs that count (-want +got):\n%s", diff)
			}
			if got, rejected = replay(t, w); len(rejected) > 0 {
				t.Errorf("rejected after the last run: %+v", rejected)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("with the last run (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReplayShard requires that a line of another shard is rejected.
func TestReplayShard(t *testing.T) {
	w := create(t, campaign, config.Shard{Index: 1, Of: 2})
	appendAll(t, w, entry(w.Archive, 0), entry(w.Archive, 1), entry(w.Archive, 2))
	_, rejected := replay(t, w)
	if len(rejected) != 1 || rejected[0].Line != 2 {
		t.Errorf("rejected lines: %+v, want line 2", rejected)
	}
}

// TestInfraCoverage requires that a run of outcome infra does not count as the
// first that took a transition.
func TestInfraCoverage(t *testing.T) {
	w := create(t, campaign, config.Shard{})
	infra, passed := entry(w.Archive, 0, "A"), entry(w.Archive, 1, "A")
	infra.Outcome, infra.Covered = sim.Infra, nil
	appendAll(t, w, infra, passed)
	if passed.Covered.New != 1 {
		t.Errorf("%d new transitions, want 1", passed.Covered.New)
	}
}

// TestSpent requires that the time of a session that was killed ends with its
// last line, whatever the date of the journal.
func TestSpent(t *testing.T) {
	if _, err := Reopen(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error of an empty directory: %v", err)
	}
	w := create(t, campaign, config.Shard{})
	if _, err := Reopen(w.Dir); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("error while the journal is locked: %v", err)
	}
	number := 0
	for _, tt := range []struct {
		before, at time.Duration // of earlier sessions, of the line
		end        End
		want       time.Duration
	}{{0, 0, "", 0}, {0, time.Hour, "", time.Hour}, {2 * time.Hour, 2 * time.Hour, EndInterrupted, 2 * time.Hour}, {2 * time.Hour, 3 * time.Hour, "", 3 * time.Hour}} {
		if tt.at > 0 {
			e := entry(w.Archive, number)
			e.At = tt.at
			number++
			appendAll(t, w, e)
		}
		w.Header.Spent, w.Header.End = tt.before, tt.end
		later := time.Now().Add(30 * 24 * time.Hour)
		must.Succeed(t, errors.Join(w.WriteHeader(), w.Close(), os.Chtimes(w.Path(RunsFile), later, later)))
		w = reopen(t, w.Dir)
		if replay(t, w); w.Header.Spent != tt.want {
			t.Errorf("%d lines, end %q: %v spent, want %v", number, tt.end, w.Header.Spent, tt.want)
		}
	}
}

// TestCreateAtOnce begins a campaign in one directory from several files at
// once, many times, and requires that one succeeds, that the directory is as it
// leaves it, and that the others say why they do not.
func TestCreateAtOnce(t *testing.T) {
	for range 30 {
		dir := filepath.Join(t.TempDir(), "new", "campaign")
		const processes = 3
		var group sync.WaitGroup
		var writers [processes]*Writer
		var errs [processes]error
		start := make(chan struct{})
		for i := range processes {
			c := parse(t, campaign)
			c.Seed = uint64(i)
			group.Go(func() {
				<-start
				writers[i], errs[i] = Create(dir, c, Header{Seed: c.Seed})
				if errs[i] == nil && i > 0 { // it may have ended before another begins
					errs[i] = writers[i].Close()
				}
			})
		}
		close(start)
		group.Wait()
		begun := -1
		for i, err := range errs {
			switch {
			case err == nil && begun >= 0:
				t.Fatalf("two campaigns begin in one directory: %d and %d", begun, i)
			case err == nil:
				begun = i
			case !strings.Contains(err.Error(), "another process") && !strings.Contains(err.Error(), "is not empty"):
				t.Errorf("error is %v", err)
			}
		}
		if begun < 0 {
			t.Fatalf("no campaign begins: %v", errs)
		}
		_ = writers[begun].Close() // or before
		a, err := Open(dir)
		must.Succeed(t, err)
		names, err := run.Names(dir)
		must.Succeed(t, err)
		if a.Campaign.Seed != uint64(begun) || a.Header.Seed != uint64(begun) || len(names) != 3 {
			t.Fatalf("campaign %d begins, the directory has the file of %d, the header of %d, %v", begun, a.Campaign.Seed, a.Header.Seed, names)
		}
	}
}

// TestCreateAgain requires that a beginning that was killed is begun anew, at
// each step, and without what it had left.
func TestCreateAgain(t *testing.T) {
	for _, files := range [][]string{{RunsFile}, {RunsFile, ".campaign.yaml.abcdefgh27"}, {RunsFile, CampaignFile}, {RunsFile, CampaignFile, ".campaign.json.abcdefgh27"}} {
		dir := t.TempDir()
		for _, name := range files {
			must.Succeed(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		}
		w, err := Create(dir, parse(t, campaign), Header{})
		if err != nil {
			t.Errorf("%v: %v", files, err)
			continue
		}
		names, err := run.Names(dir)
		must.Succeed(t, errors.Join(err, w.Close()))
		if len(names) != 3 {
			t.Errorf("%v: the directory has %v", files, names)
		}
	}
}

// TestTemporary requires that resumption removes the temporary files that a kill
// leaves, and not those that a process still writes, nor other files.
func TestTemporary(t *testing.T) {
	w := create(t, campaign, config.Shard{})
	must.Succeed(t, w.Close())
	must.Succeed(t, os.MkdirAll(filepath.Join(w.Path(QuarantineDir), "000003"), 0o755))
	left := []string{".runs.jsonl.abcdefgh27", ".report.html.zyxwvuts54", "quarantine/000003/.reason.txt.abcdefgh27"}
	stay := []string{".report.html.abcdefgh01", ".notes", "quarantine/000003/result.json"}
	for _, name := range append(slices.Clone(left), stay...) {
		must.Succeed(t, os.WriteFile(w.Path(name), nil, 0o600))
	}
	out, err := run.CreateOutput(w.Path("report.html"), run.Plain)
	must.Succeed(t, err)
	w = reopen(t, w.Dir)
	for _, name := range left {
		if run.Exists(w.Path(name)) {
			t.Errorf("%s is left", name)
		}
	}
	for _, name := range stay {
		if !run.Exists(w.Path(name)) {
			t.Errorf("%s is removed", name)
		}
	}
	if must.Succeed(t, out.Close()); !run.Exists(w.Path("report.html")) {
		t.Error("the report that was written is lost")
	}
}

// TestCreateRefuses requires that files in the directory of a new campaign are
// left alone.
func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "mine"), nil, 0o644))
	if _, err := Create(dir, parse(t, campaign), Header{}); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("error is %v", err)
	}
}
