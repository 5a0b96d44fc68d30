package cli

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/internal/must"
)

// TestMergeKilled kills merges at ever later moments, the first right at the
// start, and wants the next one to end with what an undisturbed merge leaves,
// and nothing else.
func TestMergeKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must.Succeed(t, os.WriteFile(at("c.yaml"), []byte("name: c\nsim: builtin\nkeep: all\nconfigs: [{name: a, runs: 40, threads: 2, ops: 10, locations: 2, rounds: 2, protocol: mi}]"), 0o600))
	for _, i := range []string{"1", "2"} {
		if out, err := process(t, "campaign", "run", "--shard", i+"/2", "--dir", at(i), at("c.yaml")).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	merge := func(to string, sources ...string) *exec.Cmd {
		return process(t, append([]string{"campaign", "merge", "-o", at(to)}, sources...)...)
	}
	start := time.Now()
	if out, err := merge("want", at("1"), at("2")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(start)
	// The directory's name is in the summary.
	want := mergedFiles(t, at("want"), at("want"))
	kills := 6
	if *soak {
		kills = 100
	}
	killed := 0
	// A merge that took as long as the machine was busy may be over before a later one
	// is killed: then there are more.
	for n := 0; n < kills || killed < kills/3 && n < 10*kills; n++ {
		// Half of them add to what an earlier merge left.
		sources := []string{at("1"), at("2")}
		to := "killed"
		if n%2 == 1 {
			to = "added"
		}
		if n < 2 || n%4 < 2 {
			os.RemoveAll(at(to))
		}
		if n%2 == 1 && n%4 < 2 {
			if out, err := merge(to, at("1")).CombinedOutput(); err == nil {
				t.Fatalf("nothing is missing:\n%s", out)
			}
		}
		cmd := merge(to, sources...)
		must.Succeed(t, cmd.Start())
		time.Sleep(whole * time.Duration(n%kills) / time.Duration(kills))
		must.Succeed(t, cmd.Process.Kill())
		if cmd.Wait() != nil {
			killed++
		}
		start := time.Now()
		if out, err := merge(to, sources...).CombinedOutput(); err != nil {
			t.Fatalf("kill %d: %v\n%s", n, err, out)
		}
		whole = min(whole, time.Since(start))
		if diff := cmp.Diff(want, mergedFiles(t, at(to), at(to))); diff != "" {
			t.Fatalf("kill %d: merged again it is otherwise (-undisturbed +killed):\n%s", n, diff)
		}
	}
	t.Logf("%d of %d merges were killed; one takes %v", killed, kills, whole)
	if killed < kills/3 {
		t.Errorf("only %d of %d merges were killed before their end", killed, kills)
	}
}

// mergedFiles reads the files of a merged campaign. What says when it was
// merged is left out, and dir is named DIR.
func mergedFiles(t *testing.T, dir, as string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || name == "campaign.json" {
			return err
		}
		data, err := os.ReadFile(path)
		files[name] = string(bytes.ReplaceAll(data, []byte(as), []byte("DIR")))
		return err
	})
	must.Succeed(t, err)
	return files
}
