package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/internal/must"
)

// TestMain lets the test be a process that only indexes a directory.
func TestMain(m *testing.M) {
	if db := os.Getenv("ORDEAL_TEST_INDEX"); db != "" {
		err := Reindex(context.Background(), db, []string{os.Getenv("ORDEAL_TEST_RUNS")}, Options{})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// process is a process that indexes a directory.
func process(t *testing.T, db, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must.Succeed(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "ORDEAL_TEST_INDEX="+db, "ORDEAL_TEST_RUNS="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

// big makes a campaign of many runs of each of four configurations.
func big(t *testing.T, dir string, n int) {
	t.Helper()
	small := filepath.Join(t.TempDir(), "small")
	runCampaign(t, small, nightly, "configs.*.runs=10")
	grow(t, small, dir, n)
}

// TestKilled kills processes that index, and requires the index to be the old one
// or the new one, and the next process to make it the new one.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	runCampaign(t, filepath.Join(dir, "a"), nightly)
	db := filepath.Join(dir, "index.db")
	reindex(t, db, Options{}, dir)
	old := content(t, db)
	big(t, filepath.Join(dir, "b"), 400)
	fresh := scratch(t, db, dir)
	if old == fresh {
		t.Fatal("the old index and the new one are alike: the test would hold for nothing")
	}
	killed, kills := 0, 3
	if *soak {
		kills = 6
	}
	for n := range kills {
		sqlFile(t, db, old, dir)
		cmd := process(t, db, dir)
		must.Succeed(t, cmd.Start())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			cmd.Wait()
		}()
		waitFor(ended, db+"-journal") // it writes
		time.Sleep(time.Duration(2*n) * time.Millisecond)
		if err := cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
			must.Succeed(t, err)
		}
		<-ended
		if cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
			killed++
		}
		recover := process(t, db, filepath.Join(dir, "a"))
		if out, err := recover.Output(); err != nil {
			t.Fatalf("after a kill: %v\n%s", err, out)
		}
		if got := content(t, db); got != old && got != fresh {
			t.Errorf("killed %d ms after it began to write: the index is neither old nor new:\n%s", 2*n, cmp.Diff(old, got))
		}
		reindex(t, db, Options{}, dir)
		if d := cmp.Diff(fresh, content(t, db)); d != "" {
			t.Errorf("the index does not recover (-scratch +index):\n%s", d)
		}
	}

	if killed < kills/3 {
		t.Errorf("%d of %d processes were killed before their end", killed, kills)
	}
}

// waitFor waits until a file exists, or a process has ended.
func waitFor(ended <-chan struct{}, name string) {
	for {
		select {
		case <-ended:
			return
		default:
		}
		if _, err := os.Stat(name); err == nil {
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// sqlFile makes the index of the one campaign a again.
func sqlFile(t *testing.T, db, old, dir string) {
	t.Helper()
	for _, suffix := range []string{"", "-journal"} {
		if err := os.Remove(db + suffix); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	reindex(t, db, Options{}, filepath.Join(dir, "a"))
	if got := content(t, db); got != old {
		t.Fatalf("another index than before:\n%s", cmp.Diff(old, got))
	}
}

// TestTogether has several processes index the same directory at once, while
// one reads, and requires all to succeed and no half of an index to be seen.
func TestTogether(t *testing.T) {
	dir := t.TempDir()
	big(t, filepath.Join(dir, "a"), 100)
	db := filepath.Join(dir, "index.db")
	must.Succeed(t, Reindex(t.Context(), db, nil, Options{}))
	var processes []*exec.Cmd
	for range 4 {
		cmd := process(t, db, dir)
		must.Succeed(t, cmd.Start())
		processes = append(processes, cmd)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, cmd := range processes {
			if err := cmd.Wait(); err != nil {
				t.Errorf("one of several processes: %v", err)
			}
		}
	}()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		got := ask(t, db, "SELECT COUNT(*), (SELECT COALESCE(SUM(runs), 0) FROM total) FROM run")
		if len(got) != 1 || got[0] != "0|0" && got[0] != "400|400" {
			t.Fatalf("in the meantime the index has %v runs", got)
		}
	}
	if d := cmp.Diff(scratch(t, db, dir), content(t, db)); d != "" {
		t.Errorf("(-scratch +index):\n%s", d)
	}
	if got := ask(t, db, "SELECT COUNT(*) FROM run"); got[0] != "400" {
		t.Errorf("%s runs are indexed, want 400", got[0])
	}
}

// TestRefuses requires files that are no index to be refused, and left alone.
func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	noneOpen(t, dir)
	runCampaign(t, filepath.Join(dir, "a"), nightly)
	good := filepath.Join(dir, "good.db")
	reindex(t, good, Options{}, dir)
	data, err := os.ReadFile(good)
	must.Succeed(t, err)
	holes := []byte(string(data))
	for i := 4096; i < len(holes); i += 7 {
		holes[i] ^= 0x55
	}
	page := []byte(string(data)) // of answers, which nothing needs to read
	root, err := strconv.Atoi(ask(t, good, "SELECT rootpage FROM sqlite_master WHERE name = 'answer'")[0])
	must.Succeed(t, err)
	at := (root - 1) * 4096
	for i := range 100 {
		page[at+i] = 0xff
	}
	for what, c := range map[string]struct {
		text string
		sql  []string
		want string
		deep bool // a question may not come upon it
	}{
		"a page":             {text: string(page), want: "damaged", deep: true},
		"text":               {text: "dear diary, today", want: "no SQLite database"},
		"short":              {text: "SQL", want: "no SQLite database"},
		"truncated":          {text: string(data[:len(data)/3]), want: "damaged"},
		"damaged":            {text: string(holes), want: "damaged"},
		"head of a database": {text: string(data[:50]), want: "damaged"},
		"another database":   {sql: []string{"CREATE TABLE diary (day TEXT)"}, want: "no index"},
		"another's version":  {sql: []string{"CREATE TABLE diary (day TEXT)", "PRAGMA user_version = 1"}, want: "no index"},
		"a newer version": {text: string(data), sql: []string{fmt.Sprintf("PRAGMA user_version = %d", Version+1), "DROP TABLE total"},
			want: fmt.Sprintf("version %d, made by a newer ordeal", Version+1)},
	} {
		path := filepath.Join(dir, strings.ReplaceAll(what, " ", "-")+".db")
		if c.text != "" {
			write(t, path, c.text)
		}
		if len(c.sql) > 0 {
			sqlExec(t, path, c.sql...)
		}
		before, err := os.ReadFile(path)
		must.Succeed(t, err)
		err = Reindex(t.Context(), path, []string{dir}, Options{})
		for _, want := range []string{c.want, path} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", what, err, want)
			}
		}
		err = Query(t.Context(), path, "SELECT SUM(search_s), SUM(length(campaign_dir)) FROM answers", func(r *Rows) error { _, err := r.Next(); return err })
		if !c.deep && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("query %s: %v, want %q", what, err, c.want)
		}
		after, err := os.ReadFile(path)
		if err != nil || string(after) != string(before) {
			t.Errorf("%s: the file is touched: %v", what, err)
		}
	}
}

// TestOlder makes an index of an older version anew, of the directories that
// it knew.
func TestOlder(t *testing.T) {
	dir := t.TempDir()
	noneOpen(t, dir)
	runCampaign(t, filepath.Join(dir, "a"), nightly)
	db := filepath.Join(dir, "index.db")
	reindex(t, db, Options{}, dir)
	want := exact(t, db)
	sqlExec(t, db, "PRAGMA user_version = 0", "DROP VIEW canary", "DROP TABLE answer", "DROP TABLE run", "CREATE TABLE run (was TEXT)",
		`CREATE TABLE "o""ld" (x)`, "CREATE VIEW v AS SELECT * FROM run")
	if err := Query(t.Context(), db, "SELECT 1", nil); err == nil || !strings.Contains(err.Error(), "older version") {
		t.Errorf("query: %v", err)
	}
	if all := reindex(t, db, Options{}); all["a"] == nil || all["a"].Runs != 44 {
		t.Errorf("made anew: %+v", all["a"])
	}
	if d := cmp.Diff(want, exact(t, db)); d != "" {
		t.Errorf("(-before +after):\n%s", d)
	}
}

// TestQuery requires questions to be answered, and nothing to be written.
func TestQuery(t *testing.T) {
	db := filepath.Join(t.TempDir(), "index.db")
	noneOpen(t, filepath.Dir(db))
	if err := Query(t.Context(), db, "SELECT 1", nil); err == nil || !strings.Contains(err.Error(), "reindex") {
		t.Errorf("no index: %v", err)
	}
	write(t, db, "")
	if err := Query(t.Context(), db, "SELECT 1", nil); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("an empty file: %v", err)
	}
	must.Succeed(t, Reindex(t.Context(), db, nil, Options{}))
	for query, want := range map[string]string{
		"DELETE FROM run": "a question only reads", "DROP VIEW canary": "a question only reads", "SELECT * FROM nowhere": "no such table", "SELEKT": "syntax error",
	} {
		err := Query(t.Context(), db, query, func(r *Rows) error { _, err := r.Next(); return err })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", query, err, want)
		}
	}
	if got := ask(t, db, "SELECT NULL, 1, 0.5, 'text', x'ff00'"); len(got) != 1 || got[0] != "-|1|0.5|text|ff00" {
		t.Errorf("values: %v", got)
	}
}

// TestCancel interrupts, and requires the index to be as it was.
func TestCancel(t *testing.T) {
	dir := t.TempDir()
	noneOpen(t, dir)
	runCampaign(t, filepath.Join(dir, "a"), nightly)
	db := filepath.Join(dir, "index.db")
	must.Succeed(t, Reindex(t.Context(), db, nil, Options{}))
	ctx, cancel := context.WithCancel(t.Context())
	err := Reindex(ctx, db, []string{dir}, Options{OnCampaign: func(*Campaign) { cancel() }})
	if err == nil || ctx.Err() == nil {
		t.Errorf("interrupted: %v", err)
	}
	if got := ask(t, db, "SELECT COUNT(*) FROM campaign"); got[0] != "0" {
		t.Errorf("%s campaigns are indexed", got[0])
	}
}
