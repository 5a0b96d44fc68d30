package gem5

import (
	"os"
	"path/filepath"
	"testing"

	"ordeal/sim"
	"ordeal/sim/sandbox"
)

// TestLimits has launches that exceed a limit: in the batch, too, what was
// whole before stays.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		settings, title string
		memory, size    int64
	}{
		{"", "", 1 << 30, 1 << 20},
		{"fault=hoard", "memory limit", 64 << 20, 0},
		{"fault=flood", "log exceeds its limit", 0, 1 << 20},
	} {
		r := newRunner(t, test.settings, nil)
		jobs := newJobs(t, 2, 2)
		for i := range jobs {
			jobs[i].Memory, jobs[i].LogSize = test.memory, test.size
		}
		results, err := r.RunBatch(t.Context(), jobs)
		if err != nil || len(results) != 2 {
			t.Fatalf("%s: %v, %v", test.settings, results, err)
		}
		want := sim.Infra
		if test.title == "" {
			want = sim.Passed
		}
		if got := results[0]; got.Outcome != want || got.Title != test.title {
			t.Errorf("%s: %v %q (%s), want %v %q", test.settings, got.Outcome, got.Title, got.Detail, want, test.title)
		}
	}
}

// TestLimitsOfLaunch adds up what the jobs of a batch may leave; one without
// a bound lifts it.
func TestLimitsOfLaunch(t *testing.T) {
	for _, test := range []struct {
		sizes []int64
		want  int64
	}{
		{[]int64{0}, 0}, {[]int64{5}, 5}, {[]int64{5, 7}, 12}, {[]int64{5, 0, 7}, 0},
	} {
		l := launch{}
		for _, size := range test.sizes {
			l.jobs = append(l.jobs, sim.Job{LogSize: size, Memory: 3})
		}
		got := l.limits()
		if got.DiskBytes != test.want || got.ResidentBytes != 3 {
			t.Errorf("log sizes %v: %d bytes on the disk, %d in memory, want %d, 3", test.sizes, got.DiskBytes, got.ResidentBytes, test.want)
		}
		if got.FileBytes == 0 || got.OpenFiles == 0 {
			t.Errorf("log sizes %v: %d bytes a file, %d open files, want limits", test.sizes, got.FileBytes, got.OpenFiles)
		}
	}
}

// TestHostileNames has names in which a shell would see commands: nothing here
// is one.
func TestHostileNames(t *testing.T) {
	const name = "a b;touch owned $(touch owned) `touch owned`\n'\"*"
	place := filepath.Join(t.TempDir(), name)
	tree := filepath.Join(place, "tree")
	if err := os.MkdirAll(filepath.Join(tree, "configs", "ruby"), 0o755); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(place, "gem5")
	r := newRunner(t, "", func(o *Options) {
		self, err := os.ReadFile(o.Binary)
		if err != nil {
			t.Fatal(err)
		}
		if err := sandbox.WriteExecutable(binary, self); err != nil {
			t.Fatal(err)
		}
		o.Binary, o.Tree = binary, tree
	})
	job := newJobs(t, 1, 2)[0]
	job.Dir = filepath.Join(place, "run")
	if err := os.Mkdir(job.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	result, err := r.Run(t.Context(), job)
	if err != nil || result.Outcome != sim.Passed {
		t.Errorf("%+v, %v", result, err)
	}
	for _, dir := range []string{".", place, job.Dir} {
		if _, err := os.Stat(filepath.Join(dir, "owned")); err == nil {
			t.Errorf("a shell was at work in %s", dir)
		}
	}
}
