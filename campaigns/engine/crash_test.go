package engine

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// platter is what of a directory is certainly on the disk: the contents of files
// and the names of directories as of their last flushes. After a crash other
// changes may be there or not, each by itself.
type platter struct {
	root  string
	mu    sync.Mutex
	files map[uint64][]byte            // by inode
	names map[uint64]map[string]uint64 // by inode of the directory
}

func inode(info fs.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }

// synced notes a flush.
func (p *platter) synced(t *testing.T, f *os.File) {
	info, err := f.Stat()
	if err != nil {
		return
	}
	if held, err := os.Open(f.Name()); err == nil { // so that no other file gets its inode
		t.Cleanup(func() { _ = held.Close() })
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !info.IsDir() {
		data := make([]byte, info.Size())
		if n, err := f.ReadAt(data, 0); err == nil || n == len(data) {
			p.files[inode(info)] = data
		}
		return
	}
	p.names[inode(info)] = namesIn(f.Name())
}

func namesIn(dir string) map[string]uint64 {
	names := make(map[string]uint64)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			names[e.Name()] = inode(info)
		}
	}
	return names
}

// crash makes a directory as a crash leaves it: of what is not certainly on the
// disk each name and content is there with a probability.
func (p *platter) crash(t *testing.T, to string, rng *rand.Rand, probability float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := make(map[uint64][]byte) // contents that are not flushed
	dirs := make(map[uint64]string)
	must.Succeed(t, filepath.WalkDir(p.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // removed meanwhile
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if d.IsDir() {
			dirs[inode(info)] = path
		} else if data, err := os.ReadFile(path); err == nil {
			now[inode(info)] = data
		}
		return nil
	}))
	info, err := os.Stat(p.root)
	must.Succeed(t, err)
	p.restore(t, to, inode(info), now, dirs, func() bool { return rng.Float64() < probability })
}

func (p *platter) restore(t *testing.T, to string, dir uint64, now map[uint64][]byte, dirs map[uint64]string, survives func() bool) {
	must.Succeed(t, os.MkdirAll(to, 0o755))
	names := make(map[string]uint64)
	durable := p.names[dir]
	current := make(map[string]uint64)
	if path, ok := dirs[dir]; ok {
		current = namesIn(path)
	}
	for name, node := range durable {
		replacement, there := current[name]
		switch {
		case replacement == node || !survives():
			names[name] = node
		case there: // a file that is renamed replaces another at once
			names[name] = replacement
		}
	}
	for name, node := range current {
		if _, before := durable[name]; !before && survives() {
			names[name] = node
		}
	}
	for name, node := range names {
		path := filepath.Join(to, name)
		_, isDir := dirs[node]
		if _, flushed := p.names[node]; isDir || flushed {
			p.restore(t, path, node, now, dirs, survives)
			continue
		}
		data := p.files[node]
		if fresh, ok := now[node]; ok && survives() {
			data = fresh
		}
		must.Succeed(t, os.WriteFile(path, data, 0o600))
	}
}

// TestCrash crashes a machine after each flush of a campaign, and requires that
// every finding that was reported is in the journal with all of its files, unless
// a better example on the disk replaces it, and that the campaign can be resumed.
// Without -soak it crashes at one of three.
func TestCrash(t *testing.T) {
	const text = "name: crash\nsim: host\nseed: 5\nworkers: 2\nconfigs:\n" +
		"  - &c {name: large, runs: 2, threads: 3, ops: 30, locations: 3, rounds: 4}\n" +
		"  - {<<: *c, name: middle, rounds: 3}\n  - {<<: *c, name: small, rounds: 2}\nkeep-per-finding: 2\n"
	faulty := parse(t, embeddedCampaign).Configs[1]
	newRunner := func(string, *config.Config) (sim.Runner, error) {
		runner, err := run.NewRunner(config.SimBuiltin, &faulty)
		return runnerFunc(func(ctx context.Context, job sim.Job) (sim.Result, error) {
			// As the simulator of hardware does, which flushes nothing.
			if err := os.WriteFile(filepath.Join(job.Dir, "program.elf"), []byte("elf"), 0o700); err != nil {
				return sim.Result{}, err
			}
			result, err := runner.Run(ctx, job)
			result.Outcome, result.Title = sim.Crash, "lost"
			if err == nil {
				err = os.WriteFile(filepath.Join(job.Dir, run.LogFile), result.Log, 0o600)
			}
			return result, err
		}), err
	}
	root := t.TempDir()
	p := &platter{root: root, files: make(map[uint64][]byte), names: map[uint64]map[string]uint64{}}
	crashes := t.TempDir()
	rng := rand.New(rand.NewPCG(18, 0))
	var mu sync.Mutex
	reported := make(map[int]string) // findings, by number: what was reported
	var replaced []int
	step := 0
	check := func() {
		mu.Lock()
		defer mu.Unlock()
		if step++; len(reported) == 0 || !*soak && step%3 != 0 {
			return
		}
		for i, probability := range []float64{0, 0.5} {
			dir := filepath.Join(crashes, fmt.Sprint(step, "-", i))
			p.crash(t, dir, rng, probability)
			dir = filepath.Join(dir, "runs", "crash")
			if checkCrashed(t, dir, reported); step%24 == 0 {
				resume(t, &Engine{Dir: dir, Runner: newRunner})
				checkCrashed(t, dir, reported)
			}
		}
	}
	e, _ := newEngine(t, nil)
	e.Dir, e.Runner = filepath.Join(root, "runs", "crash"), newRunner
	e.OnResult = func(_ *summary.Summary, entry *journal.Entry) {
		if entry.Finding() {
			mu.Lock()
			reported[entry.Number] = entry.Title
			if entry.Replaces != nil {
				replaced = append(replaced, *entry.Replaces)
			}
			mu.Unlock()
			check()
		}
	}
	stop := run.ObserveSync(func(f *os.File) {
		if rel, err := filepath.Rel(root, f.Name()); err == nil && filepath.IsLocal(rel) {
			check() // a crash shortly before
			p.synced(t, f)
			check()
		}
	})
	defer stop()
	sum := runEngine(t, e, parse(t, text))
	stop()
	check()
	if len(reported) < 2 || len(reported) != sum.Total().Runs-sum.Total().Outcomes[sim.Passed] {
		t.Errorf("%d findings are reported: %v", len(reported), sum.Total().Outcomes)
	}
	if diff := cmp.Diff([]int{1}, replaced); diff != "" {
		t.Errorf("runs whose directories are replaced (-want +got):\n%s", diff)
	}
}

// checkCrashed requires that findings are in the directory of a campaign after a
// crash, with their files.
func checkCrashed(t *testing.T, dir string, reported map[int]string) {
	t.Helper()
	found := make(map[int]string)
	a, err := journal.Open(dir)
	if err != nil {
		t.Errorf("%v is lost: %v", reported, err)
		return
	}
	for entry, err := range a.Entries() {
		if err != nil {
			break // a line that was not flushed
		}
		if !entry.Finding() {
			continue
		}
		found[entry.Number] = entry.Title
		if !entry.Kept {
			continue // a line on the disk replaces it
		}
		if err := entry.Dir.Verify(); err != nil {
			t.Errorf("run %d is recorded without its files: %v", entry.Number, err)
		}
		log, err := entry.Dir.Log()
		if elf, elfErr := os.ReadFile(entry.Dir.Path("program.elf")); err != nil || run.Hash(log) != entry.LogHash || elfErr != nil || string(elf) != "elf" {
			t.Errorf("run %d is recorded without its log or executable: %v, %v", entry.Number, err, elfErr)
		}
	}
	for number, title := range reported {
		if found[number] != title {
			t.Errorf("run %d was reported as %q and is recorded as %q", number, title, found[number])
		}
	}
}
